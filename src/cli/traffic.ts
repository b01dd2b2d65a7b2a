import type { ReadCount, RequestTrace } from '../io/cluster/reader.ts';

/** What a command asked of a server, for -v=6 and above. */
export class Traffic {
  #requests = 0;
  #bytes = 0;
  #objects = 0;
  #rows = 0;
  #rounds = 0;
  readonly #begun = performance.now();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  request({ method, path, status, ms, bytes }: RequestTrace): void {
    this.#requests += 1;
    this.#bytes += bytes;
    this.#say(`${method} ${path} ${status === 0 ? 'no answer' : status} in ${Math.round(ms)} ms, ${bytes} bytes`);
  }

  read({ objects = 0, rows = 0 }: ReadCount): void {
    this.#objects += objects;
    this.#rows += rows;
  }

  /** An answer was made after so many rounds of reading. */
  answered(rounds: number): void {
    this.#rounds += rounds;
  }

  end(): void {
    if (this.#requests === 0) return;
    const count = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? '' : 's'}`;
    const peak = `${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`;
    this.#say(
      `${[count(this.#requests, 'request'), count(this.#bytes, 'byte'), count(this.#objects, 'object'), count(this.#rows, 'row'), count(this.#rounds, 'round'), peak].join(', ')} in ${Math.round(performance.now() - this.#begun)} ms`,
    );
  }
}
