import { EnvironmentError } from '../../core/kube/errors.ts';
import type { WaitResult, WaitState } from '../../core/report/wait.ts';
import { interruption } from '../../cli/interruption.ts';
import { WaitLedger } from './ledger.ts';
import type { WaitPlan } from './plan.ts';
import type { WaitAnswer } from './answer.ts';
import { createBell } from '../../cli/watch-loop.ts';

/** What is not watched (events, nodes, drivers) and what time alone brings about is looked at this often. */
const lookAgainMs = 10_000;
/** A server that does not answer is asked again sooner: whoever waits wants to know as soon as it is back. */
const askAgainMs = 2000;
/** A watch that was refused, or could not begin, is tried again after this. */
const watchAgainMs = 15_000;
/** How long the last look may take when the time is over. */
const lastLookMs = 5000;

export interface WaitPort {
  look(ledger: WaitLedger): Promise<WaitAnswer>;
  /** Until the signal; absent where nothing ever changes. */
  readonly watch?: (ring: () => void, signal: AbortSignal) => Promise<void>;
  /** Told of every look, in this order. */
  onReached(states: readonly WaitState[]): Promise<void>;
  onPending(pending: readonly WaitState[], ledger: WaitLedger, answer: WaitAnswer): Promise<void>;
  onSilence(message: string): Promise<void>;
}

export interface WaitEnding {
  readonly result: WaitResult;
  readonly reached: readonly WaitState[];
  readonly pending: readonly WaitState[];
  readonly unreachable: readonly WaitState[];
  /** The last look that succeeded. */
  readonly answer: WaitAnswer;
  readonly waitedMs: number;
  /** There was no waiting: a dump, or no time. */
  readonly isOnce: boolean;
  /** The server did not answer in the end. */
  readonly silence?: string;
}

/** Looks until every target has reached its goal, or one is known not to, or the time is over. Undefined: interrupted. */
export async function waitUntilSettled(plan: WaitPlan, port: WaitPort): Promise<WaitEnding | undefined> {
  const begun = performance.now();
  const interrupted = interruption();
  const over = new AbortController();
  const far = new AbortController();
  const timers = [
    setTimeout(() => over.abort(), plan.timeoutMs),
    setTimeout(() => far.abort(), plan.timeoutMs + lastLookMs),
  ];
  const ended = AbortSignal.any([interrupted, over.signal]);
  const isOnce = port.watch === undefined || plan.timeoutMs === 0;
  const bell = createBell(ended);
  if (!isOnce) void keepWatching(port.watch, bell.ring, ended);
  const ledger = new WaitLedger(plan);
  let last: { readonly answer: WaitAnswer; readonly pending: readonly WaitState[] } | undefined;
  try {
    for (;;) {
      const isLast = isOnce || over.signal.aborted;
      // Before anything is known the time to find out is the server's, not ours.
      const looked = await lookOnce(
        port,
        ledger,
        last === undefined ? interrupted : AbortSignal.any([interrupted, far.signal]),
        last === undefined,
      );
      if (interrupted.aborted) return undefined;
      const ending = (
        result: WaitResult,
        answer: WaitAnswer,
        pending: readonly WaitState[],
        unreachable: readonly WaitState[] = [],
        silence?: string,
      ): WaitEnding => ({
        result,
        reached: ledger.reached,
        pending,
        unreachable,
        answer,
        waitedMs: performance.now() - begun,
        isOnce,
        ...(silence !== undefined && { silence }),
      });
      if (typeof looked === 'string') {
        // The first look either succeeds or throws.
        const { answer, pending } = last as NonNullable<typeof last>;
        if (isLast || over.signal.aborted) return ending('inconclusive', answer, pending, [], looked);
        await port.onSilence(looked);
        await bell.next(askAgainMs);
        continue;
      }
      const { reached, pending, unreachable, patienceMs } = ledger.note(looked.states, performance.now());
      await port.onReached(reached);
      const isFirst = last === undefined;
      last = { answer: looked, pending };
      if (looked.unlisted === undefined && pending.length === 0 && isEnough(ledger, plan))
        return ending('reached', looked, []);
      if (unreachable.length > 0) return ending('unreachable', looked, pending, unreachable);
      const isRefused = looked.unlisted?.isRefused === true || pending.some((state) => state.isRefused);
      // Rights that are not there at the beginning do not come by waiting; a server that starts may refuse for a while.
      if (isFirst && isRefused) return ending('inconclusive', looked, pending);
      if (isLast) return ending(isUntold(looked, pending) ? 'inconclusive' : 'timeout', looked, pending);
      await port.onPending(pending, ledger, looked);
      const isHidden = pending.some(({ prospect }) => prospect === 'unknown') || looked.unlisted !== undefined;
      await bell.next(Math.max(50, Math.min(isHidden ? askAgainMs : lookAgainMs, patienceMs)));
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
    over.abort();
  }
}

/** Nothing that is left shows that the goal is not reached. */
function isUntold({ unlisted }: WaitAnswer, pending: readonly WaitState[]): boolean {
  return unlisted !== undefined || (pending.length > 0 && pending.every(({ prospect }) => prospect === 'unknown'));
}

/** Of what is chosen there has to be something, unless it is to be gone. */
function isEnough(ledger: WaitLedger, { subject }: WaitPlan): boolean {
  return subject.type === 'named' || subject.goal === 'deleted' || ledger.reached.length > 0;
}

/** An answer, or why there is none. */
async function lookOnce(
  port: WaitPort,
  ledger: WaitLedger,
  signal: AbortSignal,
  mustSucceed: boolean,
): Promise<WaitAnswer | string> {
  const looking = port.look(ledger).catch((error: unknown) => {
    if (mustSucceed || !(error instanceof EnvironmentError)) throw error;
    return error.message;
  });
  return Promise.race([looking, silenceAt(signal)]);
}

function silenceAt(signal: AbortSignal): Promise<string> {
  const words = 'the server did not answer in time';
  return new Promise((resolve) => {
    if (signal.aborted) resolve(words);
    else signal.addEventListener('abort', () => resolve(words), { once: true });
  });
}

/** A watch ends for good when it is refused; the server may think better of it, or come back. */
async function keepWatching(watch: WaitPort['watch'], ring: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await watch?.(ring, signal).catch(() => undefined);
    await createBell(signal).next(watchAgainMs);
  }
}
