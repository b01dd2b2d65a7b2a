/** One program of a pipeline, as a POSIX shell would start it. */
export interface ShellProgram {
  readonly words: readonly string[];
  /** The text of a here-document, or of the program before it in the pipe when that is known. */
  readonly input?: string;
  /** The file that `>` writes. */
  readonly output?: string;
}

/** Programs joined by pipes. */
export type Pipeline = readonly ShellProgram[];

interface Token {
  readonly type: 'word' | 'pipe' | 'end' | 'output' | 'heredoc';
  readonly text: string;
}

/**
 * Reads the part of the shell's language that printed fixes use: words, quotes, pipes, `&&` and new lines, `> FILE` and
 * here-documents. Anything else (loops, variables, `<`) is answered with undefined, so that a guess never passes for a
 * reading.
 */
export function readShellLines(text: string): readonly Pipeline[] | undefined {
  const tokens = new Tokens(text).read();
  return tokens && joinTokens(tokens);
}

function joinTokens(tokens: readonly Token[]): Pipeline[] | undefined {
  const lines: ShellProgram[][] = [[]];
  let program: { words: string[]; input?: string; output?: string } = { words: [] };
  let expectsFile = false;
  const endProgram = (): void => {
    if (program.words.length > 0) lines.at(-1)?.push(program);
    program = { words: [] };
  };
  for (const { type, text } of tokens) {
    if (expectsFile && type !== 'word') return undefined;
    if (type === 'word' && expectsFile) [program.output, expectsFile] = [text, false];
    else if (type === 'word') program.words.push(text);
    else if (type === 'output') expectsFile = true;
    else if (type === 'heredoc') program.input = text;
    else {
      endProgram();
      if (type === 'end') lines.push([]);
    }
  }
  endProgram();
  return expectsFile ? undefined : lines.filter((line) => line.length > 0);
}

class Tokens {
  readonly #text: string;
  #at = 0;
  readonly #tokens: Token[] = [];
  readonly #heredocs: { readonly end: string; readonly index: number }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly Token[] | undefined {
    while (this.#at < this.#text.length) if (!this.#next()) return undefined;
    return this.#heredocs.length === 0 ? this.#tokens : undefined;
  }

  #next(): boolean {
    const rest = this.#text.slice(this.#at);
    const blank = /^(?:[ \t]+|\\\n|#[^\n]*)/.exec(rest)?.[0];
    if (blank !== undefined && !(blank.startsWith('#') && this.#isInsideWord())) return this.#skip(blank.length);
    if (rest.startsWith('\n')) return this.#endLine();
    if (rest.startsWith('&&') || rest.startsWith(';')) return this.#push('end', '', rest.startsWith('&&') ? 2 : 1);
    const heredoc = /^<<-?\s*(['"]?)(\w+)\1/.exec(rest);
    if (heredoc) {
      this.#heredocs.push({ end: heredoc[2] as string, index: this.#tokens.length });
      return this.#push('heredoc', '', heredoc[0].length);
    }
    if (rest.startsWith('||') || rest.startsWith('>>')) return false;
    if (rest.startsWith('|')) return this.#push('pipe', '', 1);
    if (rest.startsWith('>')) return this.#push('output', '', 1);
    return this.#word();
  }

  /** A `#` begins a comment only at the beginning of a word. */
  #isInsideWord(): boolean {
    return this.#at > 0 && !/[\s;|&]/.test(this.#text[this.#at - 1] ?? ' ');
  }

  #skip(length: number): boolean {
    this.#at += length;
    return true;
  }

  #push(type: Token['type'], text: string, length: number): boolean {
    this.#tokens.push({ type, text });
    return this.#skip(length);
  }

  #endLine(): boolean {
    this.#push('end', '', 1);
    for (const { end, index } of this.#heredocs.splice(0)) {
      const close = new RegExp(`^${end}$`, 'm').exec(this.#text.slice(this.#at));
      if (!close) return false;
      this.#tokens[index] = { type: 'heredoc', text: this.#text.slice(this.#at, this.#at + close.index) };
      this.#at += close.index + end.length;
    }
    return true;
  }

  #word(): boolean {
    let word = '';
    const begin = this.#at;
    while (this.#at < this.#text.length) {
      const piece = wordPiece(this.#text.slice(this.#at));
      if (piece === undefined) return false;
      if (piece.length === 0) break;
      word += piece.text;
      this.#at += piece.length;
    }
    if (this.#at === begin) return false;
    this.#tokens.push({ type: 'word', text: word });
    return true;
  }
}

/**
 * The next part of a word: plain, quoted or escaped. Length 0 where the word ends, undefined for what is not
 * understood.
 */
function wordPiece(rest: string): { readonly text: string; readonly length: number } | undefined {
  const single = /^'([^']*)'/.exec(rest);
  if (single) return { text: single[1] ?? '', length: single[0].length };
  // Inside double quotes a substitution stays as it is written: its value is known only when it runs.
  const double = /^"((?:\\.|\$\([^)]*\)|[^"\\`$])*)"/s.exec(rest);
  if (double) return { text: (double[1] ?? '').replaceAll(/\\([\\"$`])/g, '$1'), length: double[0].length };
  // `$'…'`, in which shellWord writes names with control characters.
  const coded = /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest);
  if (coded) return { text: coded[1] ?? '', length: coded[0].length };
  const escaped = /^\\([^\n])/.exec(rest);
  if (escaped) return { text: escaped[1] ?? '', length: 2 };
  const plain = /^[^\s'"\\|&;<>()$`]+/.exec(rest);
  if (plain) return { text: plain[0], length: plain[0].length };
  return /^[\s|&;<>]/.test(rest) ? { text: '', length: 0 } : undefined;
}
