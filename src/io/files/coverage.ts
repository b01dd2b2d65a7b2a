import { resourceOf, resources } from '../../core/kube/resources.ts';
import { onlySomeInDump, scopeKey } from '../../core/kube/snapshot.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Observation, RawObject } from '../../core/kube/snapshot.ts';
import type { Contradiction } from './contradictions.ts';

const notThere = 'not in the dump';

/** What seems complete is not, if a file could not be read. */
function doubt(message: string): (observation: Observation) => Observation {
  return (observation) =>
    observation.state === 'complete' || observation.state === 'absentApi'
      ? { kind: observation.kind, scope: observation.scope, state: 'failed', message }
      : observation;
}

/**
 * What a dump covers, inferred from its contents. A list of a cluster-scoped kind covers the kind. A list in which one
 * kind has objects of several namespaces was taken with -A and covers all of them; otherwise each kind covers its
 * namespace, since lists of several namespaces may have been merged. A single object covers only itself, and so does a
 * list that was cut or that lacks what another object proves to exist.
 */
export class Coverage {
  readonly #everywhere = new Set<Kind>();
  readonly #namespaces = new Map<Kind, Set<string>>();
  readonly #alone = new Set<Kind>();
  readonly #failed: Observation[] = [];
  #lost: string | undefined;
  readonly #captured: Observation[] = [];

  addList(objects: readonly RawObject[], empty: { readonly kind?: Kind; readonly namespace?: string } = {}): void {
    const isWide = holdsSeveralNamespaces(objects);
    for (const object of objects)
      this.#cover(object.kind as Kind, isWide ? undefined : object.metadata.namespace, isWide);
    if (objects.length === 0 && empty.kind !== undefined) this.#cover(empty.kind, empty.namespace, false);
  }

  /** A page of a list, which was not followed by the others. */
  addCut(objects: readonly RawObject[], kind: Kind | undefined): void {
    for (const object of objects) this.addAlone(object.kind as Kind);
    if (kind !== undefined) this.addAlone(kind);
  }

  /** What seemed to be whole lists lacks something. */
  addContradictions(contradictions: readonly Contradiction[]): void {
    for (const { kind, namespace } of contradictions) {
      const namespaces = this.#namespaces.get(kind);
      const isClaimed = this.#everywhere.has(kind) || (namespace !== undefined && namespaces?.has(namespace) === true);
      if (!isClaimed) continue;
      this.#everywhere.delete(kind);
      if (namespace !== undefined) namespaces?.delete(namespace);
      this.#alone.add(kind);
    }
  }

  addAlone(kind: Kind): void {
    this.#alone.add(kind);
  }

  /** A file of unknown contents that was not read may hold objects of any kind. */
  addFailed(kind: Kind | undefined, namespace: string | undefined, message: string): void {
    if (kind === undefined) this.#lost ??= message;
    else this.#failed.push({ kind, scope: namespace === undefined ? {} : { namespace }, state: 'failed', message });
  }

  addCaptured(observations: readonly Observation[]): void {
    this.#captured.push(...observations);
  }

  #cover(kind: Kind, namespace: string | undefined, isWide: boolean): void {
    if (isWide || !resourceOf(kind).namespaced) this.#everywhere.add(kind);
    else if (namespace !== undefined)
      (this.#namespaces.get(kind) ?? this.#namespaces.set(kind, new Set()).get(kind))?.add(namespace);
  }

  observations(known: readonly string[], isComplete: boolean): Observation[] {
    const result = new Map<string, Observation>();
    const put = (observation: Observation): void => {
      const key = scopeKey(observation.kind, observation.scope);
      if (!result.has(key)) result.set(key, observation);
    };
    const failed = new Map(
      this.#failed.map((observation) => [scopeKey(observation.kind, observation.scope), observation]),
    );
    for (const observation of failed.values()) put(observation);
    // One capture may have what another lacks; what none of them requested comes last.
    const asked = this.#captured
      .filter(({ state }) => state !== 'unread')
      .sort((a, b) => Number(b.state === 'complete') - Number(a.state === 'complete'));
    for (const observation of asked) put(observation);
    const unasked = new Map(
      this.#captured
        .filter(({ state, scope }) => state === 'unread' && Object.keys(scope).length === 0)
        .map((observation) => [observation.kind, observation]),
    );
    for (const { kind } of resources) {
      if (isComplete || this.#everywhere.has(kind) || this.#coversAll(kind, known)) {
        put({ kind, scope: {}, state: 'complete' });
        continue;
      }
      const namespaces = this.#namespaces.get(kind);
      for (const namespace of namespaces ?? []) put({ kind, scope: { namespace }, state: 'complete' });
      if (this.#alone.has(kind)) put({ kind, scope: {}, state: 'partial', message: onlySomeInDump });
      else if (namespaces) put({ kind, scope: {}, state: 'unread', message: 'the dump holds only some namespaces' });
      else put(unasked.get(kind) ?? { kind, scope: {}, state: 'unread', message: notThere });
    }
    return this.#lost === undefined ? [...result.values()] : [...result.values()].map(doubt(this.#lost));
  }

  /** Every namespace of the cluster has its own file, as in must-gather. */
  #coversAll(kind: Kind, known: readonly string[]): boolean {
    const covered = this.#namespaces.get(kind);
    return (
      covered !== undefined &&
      this.#everywhere.has('Namespace') &&
      known.length > 0 &&
      known.every((namespace) => covered.has(namespace))
    );
  }
}

function holdsSeveralNamespaces(objects: readonly RawObject[]): boolean {
  const seen = new Map<string, string>();
  return objects.some(({ kind, metadata: { namespace } }) => {
    if (namespace === undefined) return false;
    const known = seen.get(kind);
    seen.set(kind, known ?? namespace);
    return known !== undefined && known !== namespace;
  });
}
