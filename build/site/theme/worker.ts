import { answerText } from '../../../src/commands/explain/answer.ts';
import type { MessageReport } from '../../../src/commands/explain/answer.ts';
import { sanitise } from '../../../src/terminal/sanitise.ts';

/** Runs the program's own matcher next to the page, so that a long log does not block it. Nothing is sent anywhere. */
export interface Question {
  readonly id: number;
  readonly text: string;
  readonly stages: ReadonlyMap<string, string>;
  readonly sentences: ReadonlyMap<string, string>;
}

export interface Answer {
  readonly id: number;
  readonly report: MessageReport;
}

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  const text = sanitise(data.text, { newlines: true });
  const report = answerText({ type: 'argument', name: 'the text', text }, data);
  const answer: Answer = { id: data.id, report };
  self.postMessage(answer);
});
