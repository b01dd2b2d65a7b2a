import { EventEmitter } from 'node:events';
import stringWidth from 'string-width';

/** A control sequence, an operating system command, or one character. */
const token = /\u001b\[([?\d;]*)([A-Za-z])|\u001b\]([^\u0007]*)\u0007|(\P{Mark}\p{Mark}*)/gsu;

/** A terminal of a fixed size that draws what is written to it, as far as Ink uses one. */
export class FakeTerminal extends EventEmitter {
  readonly isTTY = true;
  readonly writes: string[] = [];
  /** The operating system commands, such as the one for the clipboard. */
  readonly commands: string[] = [];
  columns: number;
  rows: number;
  isAlternate = false;
  hasCursor = true;
  #cells: string[][] = [];
  #row: number;
  #column: number;

  /** The cursor may be anywhere when a program starts. */
  constructor(
    columns = 80,
    rows = 24,
    cursor: { readonly row: number; readonly column: number } = { row: 0, column: 0 },
  ) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.#row = cursor.row;
    this.#column = cursor.column;
  }

  write(text: string, ...rest: readonly unknown[]): boolean {
    this.writes.push(text);
    for (const [, parameters, letter, command, character] of text.matchAll(token)) {
      if (letter !== undefined) this.#control(letter, parameters ?? '');
      else if (command !== undefined) this.commands.push(command);
      else this.#print(character ?? '');
    }
    const written = rest.at(-1);
    if (typeof written === 'function') written();
    return true;
  }

  #control(letter: string, parameters: string): void {
    if (letter === 'h' || letter === 'l') return this.#setMode(parameters, letter === 'h');
    const [first = '', second = ''] = parameters.split(';');
    const count = Number(first) || 1;
    if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'B') this.#row = Math.min(this.rows - 1, this.#row + count);
    else if (letter === 'G') this.#column = count - 1;
    else if (letter === 'E') this.#moveTo(this.#row + count, 0);
    else if (letter === 'H') this.#moveTo(count - 1, (Number(second) || 1) - 1);
    else if (letter === 'K') this.#eraseLine(first);
    else if (letter === 'J') this.#eraseScreen(first);
    else if (letter !== 'm') throw new Error(`this terminal does not know CSI ${parameters}${letter}`);
  }

  #setMode(mode: string, isOn: boolean): void {
    if (mode === '?25') this.hasCursor = isOn;
    if (mode !== '?1049') return;
    this.isAlternate = isOn;
    this.#cells = [];
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.min(this.rows - 1, row);
    this.#column = column;
  }

  #eraseLine(what: string): void {
    if (what === '2') this.#cells[this.#row] = [];
    else this.#cells[this.#row]?.splice(this.#column);
  }

  #eraseScreen(what: string): void {
    if (what === '2') this.#cells = [];
    else {
      this.#cells.splice(this.#row + 1);
      this.#eraseLine('');
    }
  }

  #print(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') this.#newLine();
    else this.#put(character, stringWidth(character));
  }

  #newLine(): void {
    this.#column = 0;
    if (this.#row < this.rows - 1) this.#row += 1;
    else this.#cells.shift();
  }

  /** As on a real terminal, a line is wrapped only when one more character is written behind its end. */
  #put(character: string, width: number): void {
    if (this.#column + width > this.columns) this.#newLine();
    const line = (this.#cells[this.#row] ??= []);
    while (line.length < this.#column) line.push(' ');
    line.splice(this.#column, width, character, ...Array.from({ length: width - 1 }, () => ''));
    this.#column += width;
  }

  get lines(): string[] {
    return Array.from({ length: this.rows }, (_, row) => (this.#cells[row] ?? []).join('').trimEnd());
  }

  get text(): string {
    return this.lines.join('\n');
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.#cells = this.#cells.slice(0, rows).map((line) => line.slice(0, columns));
    this.#moveTo(this.#row, Math.min(this.#column, columns));
    this.emit('resize');
  }

  get stdout(): NodeJS.WriteStream {
    return this as unknown as NodeJS.WriteStream;
  }
}

/** The keyboard in front of it. */
export class FakeKeyboard extends EventEmitter {
  readonly isTTY = true;
  isRaw = false;
  #typed: string[] = [];

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }

  setEncoding(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  read(): string | null {
    return this.#typed.shift() ?? null;
  }

  type(text: string): void {
    this.#typed.push(text);
    this.emit('readable');
  }

  get stdin(): NodeJS.ReadStream {
    return this as unknown as NodeJS.ReadStream;
  }
}
