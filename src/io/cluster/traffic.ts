import type { ReadCount, RequestTrace } from './reader.ts';

/** Logs the requests of a command, and their sum at the end, for -v=6 and above. */
export class Traffic {
  #requests = 0;
  #bytes = 0;
  #objects = 0;
  #rows = 0;
  #rounds = 0;
  readonly #begun = performance.now();
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  request({ method, path, status, ms, bytes }: RequestTrace): void {
    this.#requests += 1;
    this.#bytes += bytes;
    this.#log(`${method} ${path} ${status === 0 ? 'no answer' : status} in ${Math.round(ms)} ms, ${bytes} bytes`);
  }

  read({ objects = 0, rows = 0 }: ReadCount): void {
    this.#objects += objects;
    this.#rows += rows;
  }

  /** An answer took this many rounds of reading. */
  answered(rounds: number): void {
    this.#rounds += rounds;
  }

  end(): void {
    if (this.#requests === 0) return;
    const sums = [
      count(this.#requests, 'request'),
      count(this.#bytes, 'byte'),
      count(this.#objects, 'object'),
      count(this.#rows, 'row'),
      count(this.#rounds, 'round'),
      `${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`,
    ];
    this.#log(`${sums.join(', ')} in ${Math.round(performance.now() - this.#begun)} ms`);
  }
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
