import { interruption } from '../../../cli/interruption.ts';
import { lookUntil } from '../../../cli/watch-loop.ts';
import type { Turn, Watch } from '../../../cli/watch-loop.ts';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import type { WaitResult, WaitState } from '../../../core/report/wait.ts';
import type { WaitAnswer } from '../answer.ts';
import type { WaitEnding } from '../ending.ts';
import { WaitLedger } from '../ledger.ts';
import type { WaitPlan } from '../plan.ts';

/**
 * How often to look if nothing changes: events, nodes and drivers are not watched, and waits grow too long by
 * themselves.
 */
const lookAgainMs = 10_000;
/** How soon to ask a server again that did not answer. */
const askAgainMs = 2000;
/** The shortest time between two looks. */
const leastWaitMs = 50;
/** How long the last look may take when the time is over: as long as the whole wait, within these limits. */
const lastLookMs = 5000;
const leastLookMs = 1000;

export interface WaitPort {
  look(ledger: WaitLedger): Promise<WaitAnswer>;
  /** Absent if nothing ever changes, as in a dump. */
  readonly watch?: Watch;
  /** Called after every look, in this order. */
  onReached(states: readonly WaitState[]): Promise<void>;
  onPending(pending: readonly WaitState[], ledger: WaitLedger, answer: WaitAnswer): Promise<void>;
  onSilence(message: string): Promise<void>;
}

type WaitTurn = Turn<WaitEnding | undefined>;

/** Looks until every target has reached its goal, one is known not to, or the time is over. Undefined: interrupted. */
export async function waitUntilSettled(plan: WaitPlan, port: WaitPort): Promise<WaitEnding | undefined> {
  const over = new AbortController();
  const tooLate = new AbortController();
  const timers = [
    setTimeout(() => over.abort(), plan.timeoutMs),
    setTimeout(() => tooLate.abort(), plan.timeoutMs + Math.min(lastLookMs, Math.max(plan.timeoutMs, leastLookMs))),
  ];
  const wait = new WaitLoop(plan, port, { interrupted: interruption(), over: over.signal, tooLate: tooLate.signal });
  try {
    return await wait.run();
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

interface WaitSignals {
  readonly interrupted: AbortSignal;
  /** The time is over: one more look, and the wait ends. */
  readonly over: AbortSignal;
  /** Even the last look has taken too long. */
  readonly tooLate: AbortSignal;
}

interface SuccessfulLook {
  readonly answer: WaitAnswer;
  readonly pending: readonly WaitState[];
}

class WaitLoop {
  readonly #begun = performance.now();
  readonly #plan: WaitPlan;
  readonly #port: WaitPort;
  readonly #signals: WaitSignals;
  readonly #ledger: WaitLedger;
  readonly #isOnce: boolean;
  #last: SuccessfulLook | undefined;

  constructor(plan: WaitPlan, port: WaitPort, signals: WaitSignals) {
    this.#plan = plan;
    this.#port = port;
    this.#signals = signals;
    this.#ledger = new WaitLedger(plan);
    this.#isOnce = port.watch === undefined || plan.timeoutMs === 0;
  }

  run(): Promise<WaitEnding | undefined> {
    const { interrupted, over } = this.#signals;
    return lookUntil(() => this.#turn(), {
      watch: this.#isOnce ? undefined : this.#port.watch,
      signal: AbortSignal.any([interrupted, over]),
    });
  }

  async #turn(): Promise<WaitTurn> {
    const isLast = this.#isOnce || this.#signals.over.aborted;
    const looked = await this.#look();
    if (this.#signals.interrupted.aborted) return { result: undefined };
    return typeof looked === 'string' ? this.#afterSilence(looked, isLast) : this.#afterAnswer(looked, isLast);
  }

  /**
   * An answer, or why there is none. Errors of the first look are thrown; a single look has as much time as the server
   * takes.
   */
  async #look(): Promise<WaitAnswer | string> {
    const { interrupted, tooLate } = this.#signals;
    const isFirst = this.#last === undefined;
    const looking = this.#port.look(this.#ledger).catch((error: unknown) => {
      if (isFirst || !(error instanceof EnvironmentError)) throw error;
      return error.message;
    });
    const looked = await Promise.race([
      looking,
      silenceAt(this.#isOnce ? interrupted : AbortSignal.any([interrupted, tooLate])),
    ]);
    if (isFirst && typeof looked === 'string' && !interrupted.aborted)
      throw new EnvironmentError(
        `${looked}: nothing could be read before --timeout`,
        'Check the API server and the network, or raise --timeout',
      );
    return looked;
  }

  async #afterSilence(silence: string, isLast: boolean): Promise<WaitTurn> {
    // The first look either succeeds or throws.
    const { answer, pending } = this.#last as SuccessfulLook;
    if (isLast || this.#signals.over.aborted)
      return { result: { ...this.#ending('inconclusive', answer, pending), silence } };
    await this.#port.onSilence(silence);
    return { waitMs: askAgainMs };
  }

  async #afterAnswer(answer: WaitAnswer, isLast: boolean): Promise<WaitTurn> {
    const isFirst = this.#last === undefined;
    const { reached, pending, unreachable, patienceMs } = this.#ledger.note(answer.states, performance.now());
    this.#last = { answer, pending };
    await this.#port.onReached(reached);
    if (answer.unlisted === undefined && pending.length === 0 && this.#isEnough())
      return { result: this.#ending('reached', answer, []) };
    if (unreachable.length > 0) return { result: { ...this.#ending('unreachable', answer, pending), unreachable } };
    const isRefused = answer.unlisted?.isRefused === true || pending.some((state) => state.isRefused);
    // Rights that are missing at the beginning will not appear while waiting; later a server that restarts may refuse
    // for a while.
    if (isFirst && isRefused) return { result: this.#ending('inconclusive', answer, pending) };
    if (isLast)
      return { result: this.#ending(isUnlisted(answer, pending) ? 'inconclusive' : 'timeout', answer, pending) };
    // It may ask the server for near names.
    await Promise.race([this.#port.onPending(pending, this.#ledger, answer), silenceAt(this.#signals.tooLate)]);
    const isHidden = pending.some(({ prospect }) => prospect === 'unknown') || answer.unlisted !== undefined;
    return { waitMs: Math.max(leastWaitMs, Math.min(isHidden ? askAgainMs : lookAgainMs, patienceMs)) };
  }

  /** With --all or a selector, something has to exist, unless it is to be deleted. */
  #isEnough(): boolean {
    const { subject } = this.#plan;
    return subject.type === 'named' || subject.goal === 'deleted' || this.#ledger.reached.length > 0;
  }

  #ending(result: WaitResult, answer: WaitAnswer, pending: readonly WaitState[]): WaitEnding {
    return {
      result,
      reached: this.#ledger.reached,
      pending,
      unreachable: [],
      answer,
      waitedMs: performance.now() - this.#begun,
      isOnce: this.#isOnce,
    };
  }
}

/** Nothing that is left shows that the goal is not reached. */
function isUnlisted({ unlisted }: WaitAnswer, pending: readonly WaitState[]): boolean {
  return unlisted !== undefined || (pending.length > 0 && pending.every(({ prospect }) => prospect === 'unknown'));
}

function silenceAt(signal: AbortSignal): Promise<string> {
  const words = 'the server did not answer in time';
  return new Promise((resolve) => {
    if (signal.aborted) resolve(words);
    else signal.addEventListener('abort', () => resolve(words), { once: true });
  });
}
