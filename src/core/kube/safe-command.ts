import { kubectlSwitches } from './kubectl-switches.ts';

/** A word as it is written, or what separates two programs. */
interface Piece {
  readonly type: 'word' | 'redirection' | 'separator';
  readonly text: string;
}

/** A name that begins with a dash, as `shellWord` writes it. Our own options are never quoted. */
const dashedName = /^\$?'-/;
/**
 * Such a name, or a redirection to anything but a plain file name: most commands hold neither and need not be taken
 * apart.
 */
const mayHoldOne = /(?:^|[\s/])\$?'-|[<>]\s*(?![A-Za-z0-9][\w.-]*(?:[\s|;]|$))[^\s&]/;

/**
 * Makes a printed command safe to copy: a name that begins with a dash is put behind `--`, so that no program takes it
 * for an option (`kubectl delete pvc -- '--all'`), and a redirection writes to a file of the current directory only.
 * Every command of a fix goes through this function.
 */
export function guardCommand(command: string): string {
  if (!mayHoldOne.test(command)) return command;
  // The lines of a here-document are data.
  const heredoc = /<<-?\s*['"]?\w+['"]?[^\n]*\n/.exec(command);
  const end = heredoc === null ? command.length : heredoc.index + heredoc[0].length;
  const pieces = split(command.slice(0, end));
  if (!pieces?.some(({ type, text }) => type !== 'separator' && isHazard(text))) return command;
  let guarded = '';
  let program: Piece[] = [];
  for (const piece of [...pieces, { type: 'separator', text: '' } as const]) {
    if (piece.type !== 'separator') {
      program.push(piece);
      continue;
    }
    guarded += guardProgram(program) + (piece.text.includes('\n') ? piece.text : separation(piece.text.trim()));
    program = [];
  }
  return guarded + command.slice(end);
}

const isHazard = (text: string): boolean => dashedName.test(text) || isUnsafeTarget(text);

function guardProgram(pieces: readonly Piece[]): string {
  const words = pieces.filter(({ type }) => type === 'word').map(({ text }) => text);
  const redirections = pieces.filter(({ type }) => type === 'redirection').map(({ text }) => safeTarget(text));
  const start = words[0] === 'sudo' ? 1 : 0;
  return [...words.slice(0, start), ...guardWords(words.slice(start)), ...redirections].join(' ');
}

/** Blanks around a separator, as they are usually written; a new line has none. */
function separation(text: string): string {
  if (text === '') return '';
  return text === ';' ? '; ' : ` ${text} `;
}

/** The options first, then `--`, then the first name that begins with a dash and all words after it. */
function guardWords(words: readonly string[]): string[] {
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  const isOption = optionsOf(own);
  const first = own.findIndex((word, index) => dashedName.test(word) && !isOption[index]);
  if (first === -1) return [...words];
  // What follows `--` of exec and debug is the command to run: the name is written with its type instead.
  if (dashes !== -1)
    return words.map((word, index) =>
      dashedName.test(word) && index < dashes && !isOption[index] ? typed(word) : word,
    );
  return [
    ...own.filter((_, index) => index < first || isOption[index]),
    '--',
    ...own.filter((_, index) => index >= first && !isOption[index]),
  ];
}

const typed = (word: string): string => `pod/${word}`;

/** Which words are options or their values. */
function optionsOf(words: readonly string[]): boolean[] {
  const result: boolean[] = [];
  const takesValue = words[0] === 'grep' ? /^-[A-Za-z]*[efmABC]$/ : undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const isOption = at > 0 && word.length > 1 && word.startsWith('-');
    result.push(isOption);
    if (!isOption || word.includes('=') || at + 1 >= words.length) continue;
    if (takesValue ? takesValue.test(word) : !isSwitch(word)) {
      result.push(true);
      at += 1;
    }
  }
  return result;
}

function isSwitch(word: string): boolean {
  if (!word.startsWith('--')) return /^-[Aitwh]+$/.test(word);
  return kubectlSwitches.has(word.slice(2)) || word === '--exec' || word === '--create-pods';
}

/** A redirection to a place outside the current directory, which a name in a dump could choose. */
function isUnsafeTarget(text: string): boolean {
  const target = /^\d?>{1,2}\s*(.+)$/s.exec(text)?.[1];
  return target !== undefined && !/^(?:&\d|\/dev\/null)$/.test(target) && /^['$]*[-.~]|\/|\\/.test(target);
}

function safeTarget(text: string): string {
  if (!isUnsafeTarget(text)) return text;
  const [, operator = '', target = ''] = /^(\d?>{1,2}\s*)(.+)$/s.exec(text) ?? [];
  const name = target.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^[-._]+/, '');
  return `${operator}${name === '' ? 'saved.yaml' : name}`;
}

/** Undefined for a text with an open quote. */
function split(text: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  const next =
    /[ \t]+|(?<separator>\s*(?:\|\||&&|[|;\n])\s*)|(?<redirection>\d?>{1,2}\s*(?:\$?'(?:[^'\\]|\\.)*'|\\.|[^\s'\\|;])+|<<-?\s*['"]?\w+['"]?)|(?<word>(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"(?:[^"\\]|\\.)*"|\\[^]|[^\s'"\\|;&<>])+)/y;
  while (next.lastIndex < text.length) {
    const match = next.exec(text);
    if (match === null) return undefined;
    for (const type of ['separator', 'redirection', 'word'] as const) {
      const found = match.groups?.[type];
      if (found !== undefined) pieces.push({ type, text: found });
    }
  }
  return pieces;
}
