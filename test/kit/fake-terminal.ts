import { EventEmitter } from 'node:events';

/** A terminal of a fixed size: what is written to it stands on a screen that can be read. */
export class FakeTerminal extends EventEmitter {
  readonly isTTY = true;
  readonly writes: string[] = [];
  columns: number;
  rows: number;
  #screen: string[] = [];
  #row = 0;

  constructor(columns = 80, rows = 24) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string, ...rest: readonly unknown[]): boolean {
    this.writes.push(text);
    // Only what the screen is drawn with: go to a row, erase, and text.
    for (const [, row, erase, line] of text.matchAll(
      /\u001b\[(\d+);1H|(\u001b\[2J)|((?:\u001b\[[\d;]*[mK]|[^\u001b])+)|\u001b(?:\[\?\d+[hl]|\[H|\]52;[^\u0007]*\u0007)/g,
    )) {
      if (row !== undefined) this.#row = Number(row) - 1;
      else if (erase !== undefined) this.#screen = [];
      else if (line !== undefined) this.#screen[this.#row] = line;
    }
    const written = rest.at(-1);
    if (typeof written === 'function') written();
    return true;
  }

  get lines(): string[] {
    return Array.from({ length: this.rows }, (_, row) =>
      (this.#screen[row] ?? '').replaceAll(/\u001b\[[\d;]*[mK]/g, '').trimEnd(),
    );
  }

  get text(): string {
    return this.lines.join('\n');
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
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
