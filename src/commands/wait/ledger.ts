import type { TargetRef } from '../../core/kube/selection.ts';
import type { WaitState, Wish } from '../../core/report/wait.ts';
import { targetKey } from './answer.ts';

interface Settlement {
  /** Reached by this look. */
  readonly reached: readonly WaitState[];
  /** Proven out of reach, or failing for longer than the grace time. */
  readonly unreachable: readonly WaitState[];
  readonly pending: readonly WaitState[];
  /** How soon the grace time of the next one is over. */
  readonly patienceMs: number;
}

interface Trouble {
  readonly cause: string;
  readonly sinceMs: number;
}

/** What became of each target over all looks. */
export class WaitLedger {
  readonly uids = new Map<string, Wish>();
  readonly #reached = new Map<string, WaitState>();
  readonly #troubles = new Map<string, Trouble>();
  readonly #graceMs: number;
  readonly #isStrict: boolean;

  constructor({ graceMs, isStrict }: { readonly graceMs: number; readonly isStrict: boolean }) {
    this.#graceMs = graceMs;
    this.#isStrict = isStrict;
  }

  get reached(): readonly WaitState[] {
    return [...this.#reached.values()];
  }

  readonly isReached = (target: TargetRef): boolean => this.#reached.has(targetKey(target));

  /** Takes the states of one look; `nowMs` is of a monotonic clock. */
  note(states: readonly WaitState[], nowMs: number): Settlement {
    const reached = states.filter(({ prospect }) => prospect === 'reached');
    for (const state of reached) this.#reached.set(targetKey(state.wish.target), state);
    const pending = states.filter(({ prospect }) => prospect !== 'reached');
    for (const { wish, uid } of pending)
      if (wish.goal === 'deleted' && wish.uid === undefined && uid !== undefined)
        this.uids.set(targetKey(wish.target), { ...wish, uid });
    const patience = pending.map((state) => ({ state, left: this.#patienceWith(state, nowMs) }));
    return {
      reached,
      unreachable: patience.filter(({ left }) => left <= 0).map(({ state }) => state),
      pending,
      patienceMs: Math.min(...patience.map(({ left }) => left)),
    };
  }

  /** What is left of the grace time. A look without an answer neither starts nor stops it. */
  #patienceWith({ wish, prospect, cause }: WaitState, nowMs: number): number {
    const key = targetKey(wish.target);
    if (prospect === 'lasting') return 0;
    if (prospect === 'unknown') return Number.POSITIVE_INFINITY;
    if (prospect !== 'blocked' && !(this.#isStrict && (prospect === 'someone' || prospect === 'absent'))) {
      this.#troubles.delete(key);
      return Number.POSITIVE_INFINITY;
    }
    const known = this.#troubles.get(key);
    // Another cause means that something changed, so it gets the whole grace time.
    const trouble = known?.cause === (cause ?? prospect) ? known : { cause: cause ?? prospect, sinceMs: nowMs };
    this.#troubles.set(key, trouble);
    return trouble.sinceMs + this.#graceMs - nowMs;
  }
}
