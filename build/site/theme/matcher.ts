import type { MessageReport } from '../../../src/commands/explain/answer.ts';
import type { CauseEntry } from '../page-data.ts';
import type { Answer, Question } from './worker.ts';

type Causes = Readonly<Record<string, CauseEntry>>;

/** The matcher and the sentences of all causes are loaded with the first text: the other pages stay light. */
export class Matcher {
  #worker: Worker | undefined;
  #causes: Promise<Causes> | undefined;
  #last = 0;
  readonly #waiting = new Map<number, (report: MessageReport) => void>();

  async ask(text: string): Promise<MessageReport> {
    this.#causes ??= import('./causes.data.ts').then(({ data }) => data);
    const causes = await this.#causes;
    const id = (this.#last += 1);
    const entries = Object.entries(causes);
    const question: Question = {
      id,
      text,
      stages: new Map(entries.flatMap(([cause, { stage }]) => (stage === undefined ? [] : [[cause, stage] as const]))),
      sentences: new Map(entries.map(([cause, { sentence }]) => [cause, sentence])),
    };
    return new Promise<MessageReport>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#start().postMessage(question);
    });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
      this.#waiting.get(data.id)?.(data.report);
      this.#waiting.delete(data.id);
    });
    this.#worker = worker;
    return worker;
  }
}
