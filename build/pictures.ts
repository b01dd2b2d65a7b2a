import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startApiServer } from '../src/sim/api-server.ts';
import { demoSnapshot } from '../src/sim/demo/demo-snapshot.ts';
import { writeKubeconfig } from '../src/sim/kubeconfig.ts';

/** Makes the pictures of the README from what the real program prints about the embedded cluster: `npm run pictures`. */
const pictures: readonly { readonly file: string; readonly words: readonly string[] }[] = [
  { file: 'why-pending.svg', words: ['why-pending', 'pvc/metrics-restored', '-n', 'data'] },
  { file: 'why-pending-all.svg', words: ['why-pending', '-n', 'web'] },
  { file: 'status.svg', words: ['status', '-n', 'web'] },
  { file: 'trace.svg', words: ['trace', 'pod/warehouse-0', '-n', 'data'] },
];

const tuiSize = { columns: 132, rows: 32 };
const lineHeight = 18;
const columnWidth = 8.43;

/** The sixteen colours of a dark terminal, by SGR number. */
const colours: Readonly<Record<number, string>> = {
  31: '#f47067',
  32: '#57ab5a',
  33: '#d4a72c',
  34: '#6cb6ff',
  35: '#b083f0',
  36: '#39c5cf',
  90: '#8b949e',
  91: '#ff938a',
  92: '#6bc46d',
  93: '#eac55f',
  94: '#91cbff',
  95: '#dcbdfb',
  96: '#56d4dd',
};

const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-pictures-'));
const server = await startApiServer(demoSnapshot(new Date()));
try {
  const kubeconfig = join(directory, 'config');
  await writeKubeconfig(kubeconfig, server.url);
  await writeFile(
    join(import.meta.dirname, '../docs/images', 'tui.svg'),
    svgOfScreen(await pictureTui(kubeconfig), tuiSize.columns),
  );
  for (const { file, words } of pictures) {
    const screen = await run(words, kubeconfig);
    await writeFile(
      join(import.meta.dirname, '../docs/images', file),
      svgOf(`$ kubectl csi ${words.join(' ')}\n${screen}`),
    );
  }
} finally {
  await server.close();
  await rm(directory, { recursive: true, force: true });
}

function run(words: readonly string[], kubeconfig: string): Promise<string> {
  const program = join(import.meta.dirname, '../bin/kubectl-csi');
  return new Promise((resolve, reject) => {
    const env = { ...process.env, KUBECONFIG: kubeconfig, COLUMNS: '80' };
    execFile(program, [...words, '--color', 'always'], { env }, (error, stdout) =>
      stdout === '' ? reject(error ?? new Error(`${words.join(' ')} printed nothing`)) : resolve(stdout),
    );
  });
}

/** The interactive screen, as tmux sees it. */
async function pictureTui(kubeconfig: string): Promise<string> {
  const socket = join(directory, 'tmux');
  const tmux = (...words: readonly string[]): Promise<string> =>
    promisify(execFile)('tmux', ['-S', socket, '-f', '/dev/null', ...words]).then(({ stdout }) => stdout);
  const program = join(import.meta.dirname, '../bin/kubectl-csi');
  await tmux(
    'new-session',
    '-d',
    '-s',
    'picture',
    '-x',
    String(tuiSize.columns),
    '-y',
    String(tuiSize.rows),
    '-e',
    `KUBECONFIG=${kubeconfig}`,
    '-e',
    'LANG=C.UTF-8',
    `${program} tui --color always`,
  );
  try {
    const until = async (text: string): Promise<void> => {
      while (!(await tmux('capture-pane', '-p', '-t', 'picture')).includes(text)) await setTimeout(200);
    };
    const press = async (keys: readonly string[], text: string): Promise<void> => {
      await tmux('send-keys', '-t', 'picture', ...keys);
      await until(text);
    };
    await until('  live  ');
    await press(['-l', '/not-running'], '/not-running_');
    await press(['Enter'], 'esc clear');
    await press(['Enter'], 'pvc/media');
    await press(['j'], '>       pvc/');
    await press(['Escape'], 'q quit');
    return await tmux('capture-pane', '-e', '-p', '-t', 'picture');
  } finally {
    await tmux('kill-server');
  }
}

/** A screen whose columns stay in line whatever the font: each word behind a gap gets its place. */
function svgOfScreen(screen: string, columns: number): string {
  const lines = screen.replace(/\n$/, '').split('\n');
  const width = Math.ceil(columns * columnWidth) + 32;
  const height = lines.length * lineHeight + 32;
  const place = (column: number): string => (16 + column * columnWidth).toFixed(1);
  const rows = lines.map((line, row) => {
    const pieces = piecesOf(line);
    const bands = pieces
      .filter(({ isReversed }) => isReversed)
      .map(
        ({ column, text }) =>
          `<rect x="${place(column)}" y="${row * lineHeight + 14}" width="${(text.length * columnWidth).toFixed(1)}" height="${lineHeight}" fill="#d1d7e0"/>`,
      );
    const words = pieces.flatMap(({ column, text, style, isReversed }) =>
      [...text.matchAll(/[│▸▾✔✖◌·]|[^│▸▾✔✖◌· ]+(?: [^│▸▾✔✖◌· ]+)*/g)].map(
        (word) =>
          `<tspan x="${place(column + word.index)}"${isReversed ? ' fill="#151b23"' : style}>${escape(word[0])}</tspan>`,
      ),
    );
    return `${bands.join('')}<text y="${28 + row * lineHeight}" xml:space="preserve">${words.join('')}</text>`;
  });
  return [...svgHead(width, height), ...rows, '</svg>', ''].join('\n');
}

interface Piece {
  readonly column: number;
  readonly text: string;
  readonly style: string;
  readonly isReversed: boolean;
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let style = '';
  let isReversed = false;
  let column = 0;
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes === undefined) {
      if (part !== '') pieces.push({ column, text: part, style, isReversed });
      column += part.length;
      continue;
    }
    for (const code of codes.split(';').map(Number)) {
      if (code === 7) isReversed = true;
      else if (code === 27) isReversed = false;
      else style = styleAfter(style, code);
      if (code === 0) isReversed = false;
    }
  }
  return pieces;
}

function svgHead(width: number, height: number): string[] {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#d1d7e0">`,
    `<rect width="100%" height="100%" rx="8" fill="#151b23"/>`,
  ];
}

function svgOf(screen: string): string {
  const lines = screen.trimEnd().split('\n');
  const columns = Math.max(80, ...lines.map((line) => plain(line).length));
  const width = Math.ceil(columns * columnWidth) + 32;
  const height = lines.length * lineHeight + 32;
  const rows = lines.map(
    (line, index) => `<text x="16" y="${28 + index * lineHeight}" xml:space="preserve">${spansOf(line)}</text>`,
  );
  return [...svgHead(width, height), ...rows, '</svg>', ''].join('\n');
}

function plain(line: string): string {
  return line.replaceAll(/\u001b\[[\d;]*m/g, '');
}

/** One span a run of the same look: escapes set colour, weight and faintness until the next. */
function spansOf(line: string): string {
  let style = '';
  return line
    .split(/(\u001b\[[\d;]*m)/)
    .map((part) => {
      const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
      if (codes === undefined) return part === '' ? '' : `<tspan${style}>${escape(part)}</tspan>`;
      for (const code of codes.split(';').map(Number)) style = styleAfter(style, code);
      return '';
    })
    .join('');
}

function styleAfter(style: string, code: number): string {
  if (code === 0 || code === 22 || code === 39) return '';
  if (code === 1) return `${style} font-weight="bold"`;
  if (code === 2) return `${style} opacity="0.65"`;
  const colour = colours[code];
  return colour === undefined ? style : `${style.replaceAll(/ fill="[^"]*"/g, '')} fill="${colour}"`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
