import { resourceOf } from '../kube/resources.ts';
import { matchesLabelSelector, parseLabelSelector } from '../kube/selectors.ts';
import { candidateScope, eventScope, pendingPods, scopeKey } from '../kube/snapshot.ts';
import type { Claim, Kind, KubeEvent, Lease, ObjectOf, Pod, Volume } from '../kube/kinds.ts';
import type { Need, Observation, Scope } from '../kube/snapshot.ts';
import type { ObjectRef } from '../report/report.ts';
import type { ClusterGraph } from './cluster-graph.ts';

export type Lookup<T> =
  { readonly state: 'found'; readonly object: T } | { readonly state: 'missing' } | { readonly state: 'unknown' };

/** The items of a list, and whether they are all there is. An empty list that is incomplete does not mean "none". */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly complete: boolean;
}

/** The scope of Inquiry.some. */
export const someScope: Scope = { first: 50 };

/**
 * How many volumes are searched for a class that does not exist. The table of all of them takes a second in a large
 * cluster.
 */
const firstVolumes = 500;

function firstOfClass(className: string): Scope {
  return { ...candidateScope(className), first: firstVolumes };
}

/** A question that the snapshot could not answer, and why. */
export interface Unanswered extends Need {
  readonly observation: Observation;
  /** It was asked already, so asking again would not help. */
  readonly wasAsked: boolean;
}

/**
 * The questions that are asked for one target. Every question that the snapshot cannot answer is remembered: a
 * collector then reads it, or the report says that it could not be read.
 */
export class Inquiry {
  readonly graph: ClusterGraph;
  /** What logs add to the events, by the uid of the object. */
  readonly #logged: ReadonlyMap<string, readonly KubeEvent[]> | undefined;
  #unanswered: Map<string, Unanswered> | undefined;

  constructor(graph: ClusterGraph, logged?: ReadonlyMap<string, readonly KubeEvent[]>) {
    this.graph = graph;
    this.#logged = logged;
  }

  get now(): number {
    return this.graph.now;
  }

  get unanswered(): readonly Unanswered[] {
    return this.#unanswered ? [...this.#unanswered.values()] : [];
  }

  /** Adds the open questions to those of other inquiries; of the same question the last one counts. */
  addOpenTo(others: Map<string, Unanswered>): void {
    this.#unanswered?.forEach((question, key) => others.set(key, question));
  }

  /** One object by name. */
  get<K extends Kind>(kind: K, namespace: string | undefined, name: string, needed?: string): Lookup<ObjectOf<K>> {
    const object = this.graph.find(kind, resourceOf(kind).namespaced ? namespace : undefined, name);
    if (object) return { state: 'found', object };
    const scope: Scope = namespace !== undefined && resourceOf(kind).namespaced ? { namespace, name } : { name };
    return this.#isCovered(kind, scope, needed) ? { state: 'missing' } : { state: 'unknown' };
  }

  /** All objects of a kind, in one namespace or everywhere. */
  list<K extends Kind>(kind: K, namespace?: string, needed?: string): Listing<ObjectOf<K>> {
    const complete = this.#isCovered(kind, namespace === undefined ? {} : { namespace }, needed);
    return {
      items: namespace === undefined ? this.graph.all(kind) : this.graph.inNamespace(kind, namespace),
      complete,
    };
  }

  /** Some objects of a kind, for a question that nearly any of them answers: a cluster may hold thousands. */
  some<K extends Kind>(kind: K, needed?: string): Listing<ObjectOf<K>> {
    const complete = this.#isCovered(kind, someScope, needed);
    return { items: this.graph.all(kind), complete };
  }

  /** The objects of a kind with these labels (in the syntax of `kubectl -l`), in one namespace or everywhere. */
  listLabelled<K extends Kind>(
    kind: K,
    namespace: string | undefined,
    labelSelector: string,
    needed?: string,
  ): Listing<ObjectOf<K>> {
    const complete = this.#isCovered(kind, { ...(namespace !== undefined && { namespace }), labelSelector }, needed);
    const selector = parseLabelSelector(labelSelector);
    const items = namespace === undefined ? this.graph.all(kind) : this.graph.inNamespace(kind, namespace);
    return { items: items.filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels ?? {})), complete };
  }

  /** At least the volumes that a claim of this class could bind: see candidateScope. */
  volumesFor(className: string, needed?: string): Listing<Volume> {
    const complete = this.#isCovered('PersistentVolume', candidateScope(className), needed);
    return { items: this.graph.all('PersistentVolume'), complete };
  }

  /** The same among the first volumes of the cluster only. Complete means that they are all there are. */
  someVolumesFor(className: string, needed?: string): Listing<Volume> {
    const isRead = this.#isCovered('PersistentVolume', firstOfClass(className), needed);
    return {
      items: this.graph.all('PersistentVolume'),
      complete: isRead && !this.hasMoreVolumesFor(className),
    };
  }

  /** Whether only the first volumes were searched, and there are others. */
  hasMoreVolumesFor(className: string): boolean {
    const { coverage } = this.graph;
    return (
      coverage.answers('PersistentVolume', firstOfClass(className)) &&
      !coverage.answers('PersistentVolume', candidateScope(className))
    );
  }

  /** Whether nothing of this scope was read yet; a question that depends on its answer can wait. */
  isUnasked(kind: Kind, scope: Scope): boolean {
    const { state, message } = this.graph.coverage.of(kind, scope);
    return state === 'unread' && message === undefined;
  }

  /** The objects of a kind that are in the snapshot, without asking for more. */
  seen<K extends Kind>(kind: K): readonly ObjectOf<K>[] {
    this.graph.glanced.add(kind);
    return this.graph.all(kind);
  }

  /**
   * An answer that is the same for every target, such as where the controller of a driver runs: computed once for a
   * snapshot. The questions that it leaves open count for every inquiry that uses it.
   */
  once<T>(key: string, compute: (ask: Inquiry) => T): T {
    const shared = this.graph.remember(key, () => {
      const own = new Inquiry(this.graph);
      return { answer: compute(own), own };
    });
    shared.own.#unanswered?.forEach((question, key) => {
      this.#leaveOpen(key, question);
    });
    return shared.answer;
  }

  podsUsing(claim: { readonly namespace: string; readonly name: string }): Listing<Pod> {
    const complete =
      this.graph.coverage.isWhole('Pod') ||
      this.#isCovered('Pod', { namespace: claim.namespace }, `which pods use pvc/${claim.name}`);
    return { items: this.graph.podsUsing(claim), complete };
  }

  /** Only the pods that have not started: a few, where a namespace may hold thousands that run. */
  pendingPodsUsing(claim: { readonly namespace: string; readonly name: string }): Listing<Pod> {
    const complete = this.#isCovered(
      'Pod',
      { namespace: claim.namespace, fieldSelector: pendingPods },
      `which pods use pvc/${claim.name}`,
    );
    return {
      items: this.graph.podsUsing(claim).filter((pod) => (pod.status?.phase ?? 'Pending') === 'Pending'),
      complete,
    };
  }

  podsOnNode(node: string): Listing<Pod> {
    const complete = this.#isCovered('Pod', { fieldSelector: `spec.nodeName=${node}` }, `which pods run on ${node}`);
    const items =
      this.graph.group('Pod', 'node', (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : [])).get(node) ?? [];
    return { items, complete };
  }

  /** Leases of this name in any namespace. They are requested by name, because a cluster has a lease for each node. */
  leasesNamed(name: string, needed?: string): Listing<Lease> {
    const complete = this.#isCovered('Lease', { fieldSelector: `metadata.name=${name}` }, needed);
    return { items: this.graph.group('Lease', 'name', (lease) => [lease.metadata.name]).get(name) ?? [], complete };
  }

  /** Claims of this name in any namespace. A populator keeps its own claims in a namespace that no object names. */
  claimsNamed(name: string, needed?: string): Listing<Claim> {
    const complete = this.#isCovered('PersistentVolumeClaim', { fieldSelector: `metadata.name=${name}` }, needed);
    return {
      items: this.graph.group('PersistentVolumeClaim', 'name', (claim) => [claim.metadata.name]).get(name) ?? [],
      complete,
    };
  }

  /** What logs reported of an object, as events; nothing has to be read for that. */
  loggedAbout({ metadata }: { readonly metadata: { readonly uid?: string } }): readonly KubeEvent[] {
    return (metadata.uid === undefined ? undefined : this.#logged?.get(metadata.uid)) ?? [];
  }

  /** The events about an object. Matched by uid, so that those of an earlier object of the same name do not count. */
  eventsOf(object: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  }): Listing<KubeEvent> {
    const { uid, name } = object.metadata;
    if (!uid) return { items: [], complete: false };
    const recorded = this.graph.eventsAbout(uid);
    const logged = this.#logged?.get(uid);
    const items = logged === undefined ? recorded : [...recorded, ...logged];
    if (this.graph.coverage.isWhole('Event')) return { items, complete: true };
    return {
      items,
      complete: this.#isCovered(
        'Event',
        eventScope(object),
        `what the controllers said about ${object.kind.toLowerCase()}/${name}`,
      ),
    };
  }

  #isCovered(kind: Kind, scope: Scope, needed: string | undefined): boolean {
    const { coverage } = this.graph;
    if (coverage.answers(kind, scope)) return true;
    const key = scopeKey(kind, scope);
    if (!this.#unanswered?.has(key))
      this.#leaveOpen(key, {
        kind,
        scope,
        needed: needed ?? resourceOf(kind).tells,
        observation: coverage.of(kind, scope),
        wasAsked: coverage.wasAsked(kind, scope),
      });
    return false;
  }

  #leaveOpen(key: string, question: Unanswered): void {
    this.#unanswered ??= new Map();
    if (!this.#unanswered.has(key)) this.#unanswered.set(key, question);
  }
}

export function refOf(object: {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}): ObjectRef {
  const {
    kind,
    metadata: { name, namespace, uid },
  } = object;
  // Written out without spreads, because every line of evidence has a reference.
  if (namespace === undefined) return uid === undefined ? { kind, name } : { kind, name, uid };
  return uid === undefined ? { kind, namespace, name } : { kind, namespace, name, uid };
}
