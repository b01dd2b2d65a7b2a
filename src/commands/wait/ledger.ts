import type { TargetRef } from '../../core/kube/selection.ts';
import type { WaitItem, WaitState, Wish } from '../../core/report/wait.ts';
import { targetKey } from './answer.ts';

export interface Settlement {
  /** Reached by this look. */
  readonly reached: readonly WaitState[];
  /** Proven out of reach, or in trouble for longer than is borne. */
  readonly unreachable: readonly WaitState[];
  readonly pending: readonly WaitState[];
  /** How soon the next trouble is borne no longer. */
  readonly patienceMs: number;
}

interface Trouble {
  readonly cause: string;
  readonly sinceMs: number;
}

/** What has become of each target over all looks. */
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

  /** The moments are of a clock that only runs forward. */
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

  /** For how much longer the state is borne. A look that could not tell neither begins nor ends a trouble. */
  #patienceWith({ wish, prospect, cause }: WaitState, nowMs: number): number {
    const key = targetKey(wish.target);
    if (prospect === 'lasting') return 0;
    if (prospect === 'unknown') return Number.POSITIVE_INFINITY;
    if (prospect !== 'blocked' && !(this.#isStrict && (prospect === 'someone' || prospect === 'absent'))) {
      this.#troubles.delete(key);
      return Number.POSITIVE_INFINITY;
    }
    const known = this.#troubles.get(key);
    // Another cause is progress of a kind: its time begins anew.
    const trouble = known?.cause === (cause ?? prospect) ? known : { cause: cause ?? prospect, sinceMs: nowMs };
    this.#troubles.set(key, trouble);
    return trouble.sinceMs + this.#graceMs - nowMs;
  }
}

export function itemOfState(state: WaitState, isUnreachable: boolean): WaitItem {
  const { wish, prospect, summary, uid, item } = state;
  const { kind, namespace, name } = wish.target;
  return {
    target: { kind, ...(namespace !== undefined && { namespace }), name, ...(uid !== undefined && { uid }) },
    goal: wish.goal,
    state:
      prospect === 'reached' || prospect === 'absent' || prospect === 'unknown'
        ? isUnreachable && prospect !== 'reached'
          ? 'unreachable'
          : prospect
        : isUnreachable
          ? 'unreachable'
          : 'waiting',
    summary,
    ...(item && { explanation: item }),
  };
}
