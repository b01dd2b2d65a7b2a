import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { EnvironmentError } from '../../core/kube/errors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { WrongAnswer } from './answer-shape.ts';
import { refusalOf } from './reader.ts';
import type { ListResult, Refusal, WatchEvent, WatchState } from './reader.ts';

type Fields = Readonly<Record<string, unknown>>;

interface WatchPlan {
  open(
    from: string,
    silence: number,
    seconds: number,
  ): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }>;
  relist(): Promise<ListResult>;
  /** Throws a WrongAnswer for anything but an object of the kind. */
  identify(value: object): RawObject | undefined;
  /** Takes secrets out of a message. */
  hide(text: string): string;
  readonly from: string;
  /** How long a watch may be silent whose server sends bookmarks. */
  readonly quietMs?: number;
  onEvent(event: WatchEvent): void;
  onState?(state: WatchState): void;
  readonly signal: AbortSignal;
}

/** The server is asked to end a watch after this long; a new one begins where it ended. */
const seconds = 290;
/**
 * A watch that ends sooner than this without an event did not work (client-go's reflector calls it a very short watch).
 */
const shortestMs = 1000;
/**
 * The API server sends a bookmark about every minute (`defaultBookmarkFrequency` of its cacher, and up to a quarter
 * more). Where two are missing, the connection is dead, although nothing has closed it.
 */
const usualQuietMs = 150_000;
/** No line of a watch is longer: etcd takes objects of 1.5 MB by default. */
const longestLine = 32 * 1024 * 1024;
const types: Readonly<Record<string, 'added' | 'modified' | 'deleted'>> = {
  ADDED: 'added',
  MODIFIED: 'modified',
  DELETED: 'deleted',
};

/**
 * Follows a kind until the signal. A watch that breaks off is resumed where it was; if that is too old, the list is
 * read again.
 */
export async function followWatch(plan: WatchPlan): Promise<Refusal | undefined> {
  let from = plan.from;
  let failures = 0;
  let unauthorized = 0;
  const bookmarks: Bookmarks = { isSent: false };
  while (!plan.signal.aborted) {
    let outcome: Outcome;
    try {
      outcome = await followOnce(plan, from, bookmarks);
    } catch (error) {
      if (plan.signal.aborted) return undefined;
      // A missing plugin or a bad certificate does not go away by waiting.
      if (error instanceof EnvironmentError) throw error;
      outcome = { type: 'broken', from, message: error instanceof Error ? error.message : String(error) };
    }
    if (outcome.type === 'refused') {
      // After the first 401 the credentials were renewed; a second one is final.
      if (!outcome.isUnauthorized || unauthorized++ > 0) return outcome.refusal;
      continue;
    }
    unauthorized = 0;
    if (outcome.type === 'broken') plan.onState?.({ state: 'broken', message: outcome.message });
    failures = outcome.type === 'ended' || outcome.from !== from ? 0 : failures + 1;
    from = outcome.from;
    if (outcome.type === 'expired') {
      const listed = await plan.relist();
      const refusal = refusalOf(listed);
      if (refusal !== undefined || !('objects' in listed)) return refusal;
      plan.onEvent({ type: 'relisted', objects: listed.objects });
      from = listed.resourceVersion ?? '0';
    }
    if (failures > 0)
      await sleep(Math.min(250 * 2 ** failures, 15_000), undefined, { signal: plan.signal }).catch(() => undefined);
  }
  return undefined;
}

type Outcome =
  | { readonly type: 'ended' | 'expired'; readonly from: string }
  | { readonly type: 'broken'; readonly from: string; readonly message: string }
  | { readonly type: 'refused'; readonly refusal: Refusal; readonly isUnauthorized?: boolean };

/** Whether the last watch brought bookmarks: not every server sends them, and its silence means nothing. */
interface Bookmarks {
  isSent: boolean;
}

async function followOnce(plan: WatchPlan, begin: string, bookmarks: Bookmarks): Promise<Outcome> {
  const begun = performance.now();
  const { quietMs = usualQuietMs } = plan;
  const { response, timer } = await plan.open(begin, (seconds + 30) * 1000, seconds);
  let from = begin;
  let rest = '';
  let hasEvents = false;
  let quiet: NodeJS.Timeout | undefined;
  const expectMore = (): void => {
    clearTimeout(quiet);
    quiet = setTimeout(() => response.destroy(new Error('the server does not send anything any more')), quietMs);
  };
  try {
    if (response.statusCode !== 200) {
      const outcome = await readRefusal(plan, response, begin);
      return outcome;
    }
    if (/html/i.test(response.headers['content-type'] ?? '')) throw new WrongAnswer('the server sent a web page');
    plan.onState?.({ state: 'following' });
    response.setEncoding('utf8');
    if (bookmarks.isSent) expectMore();
    // One watch without any is enough to stop waiting for them: the server may be another one.
    bookmarks.isSent = false;
    for await (const chunk of response) {
      timer.refresh();
      quiet?.refresh();
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) throw new WrongAnswer('the server sent an event that does not end');
      for (const line of lines) {
        const event = parseLine(line);
        if (!event) continue;
        hasEvents = true;
        if (event.type === 'BOOKMARK') {
          bookmarks.isSent = true;
          expectMore();
        }
        if (event.type === 'ERROR')
          return (event.object['code'] as unknown) === 410
            ? { type: 'expired', from }
            : { type: 'broken', from, message: plan.hide(String(event.object['message'] ?? 'the watch failed')) };
        const type = types[event.type];
        const object = type === undefined ? undefined : plan.identify(event.object);
        if (type !== undefined && object) plan.onEvent({ type, object });
        // Recorded last: an event that was not understood is requested again.
        const { resourceVersion } = (event.object['metadata'] ?? {}) as Fields;
        if (typeof resourceVersion === 'string') from = resourceVersion;
      }
    }
    if (!hasEvents && performance.now() - begun < shortestMs)
      return { type: 'broken', from, message: 'the server ends the watch at once' };
    return { type: 'ended', from };
  } catch (error) {
    if (plan.signal.aborted) return { type: 'ended', from };
    return { type: 'broken', from, message: plan.hide(error instanceof Error ? error.message : String(error)) };
  } finally {
    clearTimeout(timer);
    clearTimeout(quiet);
    response.destroy();
  }
}

function parseLine(line: string): { readonly type: string; readonly object: Fields } | undefined {
  if (line.trim() === '') return undefined;
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    throw new WrongAnswer('the server sent a watch event that is not JSON');
  }
  const { type, object } = (event ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  if (typeof type !== 'string' || typeof object !== 'object' || object === null)
    throw new WrongAnswer('the server sent something other than a watch event');
  return { type, object: object as Fields };
}

async function readRefusal(plan: WatchPlan, response: IncomingMessage, from: string): Promise<Outcome> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk as string;
    if (text.length > 10_000) break;
  }
  const { statusCode = 0 } = response;
  let message = `the server answered with status ${statusCode}`;
  try {
    const parsed = JSON.parse(text) as { readonly message?: unknown };
    if (typeof parsed.message === 'string') message = plan.hide(parsed.message.slice(0, 500));
  } catch {
    // Without a Status, only the code is known.
  }
  // A server that was set up again or restored from a backup has lower versions than ours.
  if (statusCode === 410 || /too large resource version/i.test(message)) return { type: 'expired', from };
  if (statusCode === 403) return { type: 'refused', refusal: { state: 'denied', message } };
  // Whether the kind is absent is for a list to prove.
  if (statusCode === 404) return { type: 'expired', from };
  if (statusCode === 401) return { type: 'refused', refusal: { state: 'failed', message }, isUnauthorized: true };
  return { type: 'broken', from, message };
}
