import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { failureOf } from '../../cli/follow/second-thread.ts';
import type { Failure } from '../../cli/follow/second-thread.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { ClusterFeed, Frame, KindRows, Place, TuiPorts } from '../../tui/ports.ts';
import { tuiPorts } from './ports.ts';
import type { PortFlags } from './ports.ts';

/** The argument with which the program is started as a second thread of itself. */
export const workerWord = '__tui';

export type FeedMethod = Exclude<keyof ClusterFeed, 'subscribe'>;
export type Call = { readonly id: number } & (
  | { readonly type: 'open'; readonly place: Place }
  | { readonly type: 'ports'; readonly method: 'contexts' | 'causePage'; readonly given: readonly unknown[] }
  | { readonly type: 'feed'; readonly feed: number; readonly method: FeedMethod; readonly given: readonly unknown[] }
);
/** `isKnown`: the rows are those that the other thread was sent last, and are left out. */
export type Reply =
  | { readonly id: number; readonly value: unknown; readonly isKnown?: boolean }
  | { readonly id: number; readonly failure: Failure }
  | { readonly feed: number; readonly frame: Frame };

export interface WorkerData {
  readonly flags: PortFlags;
}

/** Reads and judges in a thread of its own, so that the screen answers keys immediately. */
export async function serveTui(): Promise<void> {
  if (isMainThread || parentPort === null)
    throw new UserError(`${workerWord} is not a command`, 'kubectl csi tui starts it automatically');
  const { flags } = workerData as WorkerData;
  await answerCalls(parentPort, tuiPorts(flags));
}

function answerCalls(port: MessagePort, ports: TuiPorts): Promise<void> {
  const answer = answerer(port, ports);
  const isKnown = rememberRows();
  const replyTo = async (call: Call): Promise<Reply> => {
    const { id } = call;
    try {
      const value = await answer(call);
      if (call.type !== 'feed' || call.method !== 'rows') return { id, value };
      const rows = value as KindRows;
      return isKnown(`${call.feed} ${String(call.given[0])}`, rows)
        ? { id, value: { ...rows, rows: [] }, isKnown: true }
        : { id, value };
    } catch (error) {
      return { id, failure: failureOf(error) };
    }
  };
  return new Promise((resolve) => {
    port.on('message', (call: Call) => void replyTo(call).then((reply) => port.postMessage(reply)));
    port.on('close', resolve);
  });
}

function answerer(port: MessagePort, ports: TuiPorts): (call: Call) => Promise<unknown> {
  const feeds = new Map<number, ClusterFeed>();
  return async (call) => {
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
}

/** Ten thousand rows take a while to hand over, and seldom change. */
function rememberRows(): (key: string, answer: KindRows) => boolean {
  const sent = new Map<string, string>();
  return (key, { rows }) => {
    const text = JSON.stringify(rows);
    const isKnown = sent.get(key) === text;
    sent.set(key, text);
    return isKnown;
  };
}
