/** Draws what a terminal shows as SVG: text stays text, and the colours follow the reader's light or dark theme. */

export const lineHeight = 18;
const columnWidth = 8.43;
const margin = 16;
/** From the top of a line to its baseline. */
const baseline = 13;

interface Colour {
  readonly light: string;
  readonly dark: string;
}

/** The colours that the program uses, by SGR number. Each has a contrast of at least 4.5 on its background. */
const colours: Readonly<Record<number, Colour>> = {
  31: { light: '#b3261e', dark: '#f47067' },
  32: { light: '#1a6b2f', dark: '#57ab5a' },
  33: { light: '#7d5200', dark: '#d4a72c' },
  34: { light: '#0550ae', dark: '#6cb6ff' },
  35: { light: '#7a37c4', dark: '#b083f0' },
  36: { light: '#0f6674', dark: '#39c5cf' },
  90: { light: '#59636e', dark: '#9198a1' },
};
const ink: Colour = { light: '#1f2328', dark: '#d1d7e0' };
const paper: Colour = { light: '#f6f8fa', dark: '#151b23' };
const faint: Colour = { light: '#59636e', dark: '#9198a1' };
const border: Colour = { light: '#d1d9e0', dark: '#3d444d' };

export interface Picture {
  /** What the picture shows, for people who cannot see it. */
  readonly title: string;
  readonly description: string;
  readonly columns: number;
  readonly rows: number;
  /** Elements, and the style rules that belong to them alone. */
  readonly body: readonly string[];
  readonly style?: readonly string[];
}

export function svgOf({ title, description, columns, rows, body, style = [] }: Picture): string {
  const width = placeOf(columns) + margin;
  const height = rows * lineHeight + 2 * margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    '<style>',
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
    '.b{font-weight:bold}',
    ...rulesOf('light'),
    '@media (prefers-color-scheme:dark){',
    ...rulesOf('dark'),
    '}',
    ...style,
    '</style>',
    `<rect class="paper edge" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function rulesOf(theme: keyof Colour): string[] {
  return [
    `text{fill:${ink[theme]}}.paper{fill:${paper[theme]}}.edge{stroke:${border[theme]}}.band{fill:${ink[theme]}}.on{fill:${paper[theme]}}.f{fill:${faint[theme]}}`,
    Object.entries(colours)
      .map(([code, colour]) => `.c${code}{fill:${colour[theme]}}`)
      .join(''),
  ];
}

/** One line of a terminal. Each word after a gap has its own place, so that columns stay in line whatever the font. */
export function lineOf(line: string, row: number): string {
  const y = margin + row * lineHeight;
  const pieces = piecesOf(line);
  const bands = pieces
    .filter(({ isReversed }) => isReversed)
    .map(
      ({ column, text }) =>
        `<rect class="band" x="${placeOf(column)}" y="${y}" width="${round(text.length * columnWidth)}" height="${lineHeight}"/>`,
    );
  const words = pieces.flatMap(({ column, text, classes, isReversed }) =>
    [...text.matchAll(/[│─▸▾✔✖◌·←→]+|[^│─▸▾✔✖◌·←→ ]+(?: [^│─▸▾✔✖◌·←→ ]+)*/g)].map(({ 0: word, index }) => {
      const look = isReversed ? ['on'] : classes;
      const named = look.length === 0 ? '' : ` class="${look.join(' ')}"`;
      return `<tspan x="${placeOf(column + index)}"${named}>${escape(word)}</tspan>`;
    }),
  );
  return words.length === 0 ? bands.join('') : `${bands.join('')}<text y="${y + baseline}">${words.join('')}</text>`;
}

/** The left edge of a column. */
export function placeOf(column: number): number {
  return round(margin + column * columnWidth);
}

/** The upper edge of a row. */
export function topOf(row: number): number {
  return margin + row * lineHeight;
}

export function widthOf(line: string): number {
  return line.replaceAll(/\u001b\[[\d;]*m/g, '').length;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

interface Piece {
  readonly column: number;
  readonly text: string;
  readonly classes: readonly string[];
  readonly isReversed: boolean;
}

/** Runs of the same look: escape sequences set colour, weight, faintness and reversal until the next one. */
function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  const look = new Set<string>();
  let column = 0;
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) for (const code of codes.split(';').map(Number)) applyCode(look, code);
    else if (part !== '') {
      pieces.push({
        column,
        text: part,
        classes: [...look].filter((name) => name !== 'reversed'),
        isReversed: look.has('reversed'),
      });
      column += part.length;
    }
  }
  return pieces;
}

const defaultBackground = 49;

function applyCode(look: Set<string>, code: number): void {
  const clearColour = (): void => {
    for (const name of look) if (name.startsWith('c')) look.delete(name);
  };
  if (code === 0) look.clear();
  else if (code === 1) look.add('b');
  else if (code === 2) look.add('f');
  else if (code === 7) look.add('reversed');
  else if (code === 22) {
    look.delete('b');
    look.delete('f');
  } else if (code === 27) look.delete('reversed');
  else if (code === 39) clearColour();
  else if (code !== defaultBackground) {
    const known = code in colours ? code : code - 60;
    if (!(known in colours)) throw new Error(`the pictures have no colour for SGR ${code}`);
    clearColour();
    look.add(`c${known}`);
  }
}
