import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { ClusterFeed, Frame, KindRows, Place, TuiPorts } from '../../tui/ports.ts';
import { tuiPorts } from './ports.ts';
import type { PortFlags } from './ports.ts';

/** The word after which the program answers another thread of its own instead of a person. */
export const workerWord = '__tui';

export type FeedMethod = Exclude<keyof ClusterFeed, 'subscribe'>;
export type Call = { readonly id: number } & (
  | { readonly type: 'open'; readonly place: Place }
  | { readonly type: 'ports'; readonly method: 'contexts' | 'causePage'; readonly given: readonly unknown[] }
  | { readonly type: 'feed'; readonly feed: number; readonly method: FeedMethod; readonly given: readonly unknown[] }
);
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly next?: string | undefined;
}
/** `isKnown`: the rows are those that this thread was given last, and are not handed over again. */
export type Reply =
  | { readonly id: number; readonly value: unknown; readonly isKnown?: boolean }
  | { readonly id: number; readonly failure: Failure }
  | { readonly feed: number; readonly frame: Frame };

export interface WorkerData {
  readonly flags: PortFlags;
}

/** Reads and judges away from the keys: whatever it takes, the screen answers at once. */
export async function serveTui(): Promise<void> {
  if (isMainThread || parentPort === null)
    throw new UserError(`${workerWord} is no command`, 'kubectl csi tui starts it by itself');
  const { flags } = workerData as WorkerData;
  await answerCalls(parentPort, tuiPorts(flags));
}

function answerCalls(port: MessagePort, ports: TuiPorts): Promise<void> {
  const feeds = new Map<number, ClusterFeed>();
  const isKnown = rememberRows();
  const answer = async (call: Call): Promise<unknown> => {
    if (call.type === 'ports')
      return call.method === 'contexts' ? ports.contexts() : ports.causePage(String(call.given[0]));
    if (call.type === 'open') {
      const feed = await ports.open(call.place);
      feeds.set(call.id, feed);
      feed.subscribe((frame) => port.postMessage({ feed: call.id, frame } satisfies Reply));
      return call.id;
    }
    const feed = feeds.get(call.feed);
    if (feed === undefined) throw new Error('that cluster is closed');
    if (call.method === 'close') feeds.delete(call.feed);
    return (feed[call.method] as (...given: readonly unknown[]) => Promise<unknown>)(...call.given);
  };
  return new Promise((resolve) => {
    port.on('message', (call: Call) => {
      answer(call).then(
        (value) =>
          port.postMessage(
            (call.type === 'feed' &&
            call.method === 'rows' &&
            isKnown(`${call.feed} ${String(call.given[0])}`, value as KindRows)
              ? { id: call.id, value: { ...(value as KindRows), rows: [] }, isKnown: true }
              : { id: call.id, value }) satisfies Reply,
          ),
        (error: unknown) => port.postMessage({ id: call.id, failure: failureOf(error) } satisfies Reply),
      );
    });
    port.on('close', resolve);
  });
}

/** Ten thousand rows take a while to hand over, and seldom change. */
function rememberRows(): (key: string, answer: KindRows) => boolean {
  const given = new Map<string, string>();
  return (key, { rows }) => {
    const text = JSON.stringify(rows);
    const isKnown = given.get(key) === text;
    given.set(key, text);
    return isKnown;
  };
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return {
    name: error.name,
    message: error.message,
    ...((error instanceof UserError || error instanceof EnvironmentError) && { next: error.next }),
  };
}
