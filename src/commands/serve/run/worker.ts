import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { failureOf } from '../../../cli/follow/second-thread.ts';
import type { Failure } from '../../../cli/follow/second-thread.ts';
import { UserError } from '../../../core/kube/errors.ts';
import type { LiveView } from '../../../html/live.ts';
import type { Picture } from '../picture.ts';
import type { DocumentName, DocumentQuery } from '../routes.ts';
import { keepMemorySmall } from './memory.ts';
import { Reading } from './reading.ts';
import type { ReadingFlags } from './reading.ts';

/** The argument with which the program is started as a second thread of itself. */
export const workerWord = '__serve';

export type Call = { readonly id: number } & (
  | { readonly type: 'page'; readonly view: LiveView }
  | { readonly type: 'document'; readonly name: DocumentName; readonly query: DocumentQuery }
);
export type Told =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly failure: Failure }
  | { readonly picture: Picture }
  /** Nothing can be served. */
  | { readonly end: Failure };

/** One call after the other: a judgement in between keeps its turn. */
export async function serveReading(): Promise<void> {
  if (isMainThread || parentPort === null)
    throw new UserError(`${workerWord} is not a command`, 'kubectl csi serve starts it automatically');
  keepMemorySmall();
  const port = parentPort;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const tell = (told: Told): void => port.postMessage(told);
  const reading = new Reading(workerData as ReadingFlags, (picture) => tell({ picture }));
  let turn: Promise<unknown> = Promise.resolve();
  const answer = async (call: Call): Promise<void> => {
    try {
      const text = call.type === 'page' ? await reading.page(call.view) : await reading.document(call.name, call.query);
      tell({ id: call.id, text });
    } catch (error) {
      tell({ id: call.id, failure: failureOf(error) });
    }
  };
  port.on('message', (call: Call) => {
    turn = turn.then(() => answer(call));
  });
  await reading.begin().catch((error: unknown) => tell({ end: failureOf(error) }));
  await new Promise((resolve) => port.on('close', resolve));
}
