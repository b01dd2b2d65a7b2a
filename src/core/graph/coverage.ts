import type { Kind } from '../kube/kinds.ts';
import { scopeKey, widerScopes } from '../kube/snapshot.ts';
import type { Observation, Scope } from '../kube/snapshot.ts';

const worstFirst = ['denied', 'failed', 'absentApi', 'partial', 'unread'] as const;

/** Decides whether an object that is not in the snapshot does not exist, or was just not read. */
export class Coverage {
  readonly #byScope = new Map<string, Observation>();
  /** Kinds that were read completely: every question about them is answered. */
  readonly #whole = new Set<Kind>();
  /** Kinds that were only read as a whole, as in most dumps: one observation answers for every scope. */
  readonly #alone = new Map<Kind, Observation>();

  constructor(observations: readonly Observation[]) {
    for (const observation of observations) {
      const key = scopeKey(observation.kind, observation.scope);
      const earlier = this.#byScope.get(key);
      if (earlier?.state !== 'complete') this.#byScope.set(key, observation);
    }
    for (const [kind, ofKind] of Map.groupBy(this.#byScope.values(), (observation) => observation.kind)) {
      const wide = ofKind.find(({ scope }) => isEverything(scope));
      if (answers(wide)) this.#whole.add(kind);
      if (wide && ofKind.length === 1) this.#alone.set(kind, wide);
    }
  }

  /** Whether the kind was read completely, so that every question about it is answered. */
  isWhole(kind: Kind): boolean {
    return this.#whole.has(kind);
  }

  /** Whether a missing object of this scope is known not to exist. */
  answers(kind: Kind, scope: Scope): boolean {
    if (this.#whole.has(kind)) return true;
    // Nothing but the list of everything is wider than a name without a namespace.
    if (isNameAlone(scope)) return answers(this.#byScope.get(scopeKey(kind, scope)));
    return answers(this.of(kind, scope));
  }

  /** Whether exactly this was asked already: that a wider list is denied does not mean that the narrow question is. */
  wasAsked(kind: Kind, scope: Scope): boolean {
    if (this.#alone.has(kind) && !isEverything(scope)) return false;
    const exact = this.#byScope.get(scopeKey(kind, scope));
    return exact !== undefined && exact.state !== 'unread' && exact.state !== 'partial';
  }

  /** The observation that answers a question about this scope: a complete one if any covers it, else why not. */
  of(kind: Kind, scope: Scope): Observation {
    const alone = this.#alone.get(kind);
    if (alone) return alone;
    const exact = this.#byScope.get(scopeKey(kind, scope));
    if (answers(exact)) return exact;
    const wider = widerScopes(scope).map((candidate) => this.#byScope.get(scopeKey(kind, candidate)));
    const complete = wider.find(answers);
    if (complete) return complete;
    if (exact) return exact;
    const known = wider.filter((observation) => observation !== undefined);
    for (const state of worstFirst) {
      const found = known.find((observation) => observation.state === state);
      if (found) return found;
    }
    return { kind, scope, state: 'unread' };
  }
}

function isNameAlone({ namespace, name, fieldSelector, labelSelector, first }: Scope): boolean {
  return name !== undefined && namespace === undefined && !fieldSelector && !labelSelector && first === undefined;
}

function isEverything({ namespace, name, fieldSelector, labelSelector, first }: Scope): boolean {
  return namespace === undefined && name === undefined && !fieldSelector && !labelSelector && first === undefined;
}

/** An API that the server does not serve holds no objects, which is an answer too. */
function answers(observation: Observation | undefined): observation is Observation {
  return observation?.state === 'complete' || observation?.state === 'absentApi';
}
