import type { RequestTrace } from '../collect/reader.ts';

/** What a command asked of a server, for -v=6 and above. */
export class Traffic {
  #requests = 0;
  #bytes = 0;
  #objects = 0;
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

  /** An answer was made from so many objects, after so many rounds of reading. */
  answered(rounds: number, objects: number): void {
    this.#rounds += rounds;
    this.#objects = Math.max(this.#objects, objects);
  }

  end(): void {
    if (this.#requests === 0) return;
    const count = (amount: number, word: string): string => `${amount} ${word}${amount === 1 ? '' : 's'}`;
    this.#say(`${[count(this.#requests, 'request'), count(this.#bytes, 'byte'), count(this.#objects, 'object'), count(this.#rounds, 'round')].join(', ')} in ${Math.round(performance.now() - this.#begun)} ms`);
  }
}
