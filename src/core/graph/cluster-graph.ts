import { clip } from '../kube/shape.ts';
import { shapeOf } from '../kube/kinds.ts';
import type { Kind, KubeEvent, ObjectOf, Pod } from '../kube/kinds.ts';
import { compareText } from '../kube/order.ts';
import type { RawObject, Snapshot } from '../kube/snapshot.ts';
import { parseTime } from '../kube/time.ts';
import type { VolumeUsage } from '../kube/volume-usage.ts';
import { parseServerVersion } from '../kube/version.ts';
import { Coverage } from './coverage.ts';

export { compareText };

/**
 * Every index over a snapshot, each built once, on first use. Questions about one target are asked through an Inquiry.
 */
export class ClusterGraph {
  readonly snapshot: Snapshot;
  readonly coverage: Coverage;
  /** The clock of the snapshot, in ms. */
  readonly now: number;
  readonly serverVersion: { readonly major: number; readonly minor: number } | undefined;
  /** Kinds that a fix was chosen from, as far as they were in the snapshot: see Inquiry.seen. */
  readonly glanced = new Set<Kind>();
  readonly #raw = new Map<string, RawObject[]>();
  readonly #objects = new Map<Kind, ObjectsOfKind>();
  readonly #indexes = new Map<Kind, Map<string, Map<string, readonly AnyShaped[]>>>();
  readonly #remembered = new Map<string, unknown>();
  /** The graph of a snapshot with mostly the same objects, whose work is reused. */
  readonly #earlier: ClusterGraph | undefined;
  /** A graph that was derived from this one later, and that includes objects which have changed since. */
  #latest: ClusterGraph | undefined;

  constructor(snapshot: Snapshot, earlier?: ClusterGraph, latest?: ClusterGraph) {
    this.snapshot = snapshot;
    this.#earlier = earlier;
    this.#latest = latest;
    // Its work is done, and a chain of all graphs would keep everything in memory.
    if (latest) latest.#latest = undefined;
    this.coverage =
      [latest, earlier].find((graph) => graph?.snapshot.observations === snapshot.observations)?.coverage ??
      new Coverage(snapshot.observations);
    this.now = parseTime(snapshot.takenAt) ?? 0;
    this.serverVersion = parseServerVersion(snapshot.serverVersion);
    for (const object of snapshot.objects) {
      const ofKind = this.#raw.get(object.kind);
      if (ofKind) ofKind.push(object);
      else this.#raw.set(object.kind, [object]);
    }
  }

  find<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined {
    return this.#ofKind(kind)
      .byName.get(namespace ?? '')
      ?.get(name) as ObjectOf<K> | undefined;
  }

  all<K extends Kind>(kind: K): readonly ObjectOf<K>[] {
    return this.#ofKind(kind).all as readonly AnyShaped[] as readonly ObjectOf<K>[];
  }

  /** An index of one kind by the keys of each object, built at the first call with this name and kept. */
  group<K extends Kind>(
    kind: K,
    name: string,
    keysOf: (object: ObjectOf<K>) => readonly string[] | string,
  ): Map<string, readonly ObjectOf<K>[]> {
    const ofKind = this.#indexesOf(kind);
    let index = ofKind.get(name) as Map<string, readonly ObjectOf<K>[]> | undefined;
    if (!index) ofKind.set(name, (index = indexBy(this.all(kind), keysOf)));
    return index;
  }

  /** Computes a value once for the snapshot, and keeps it under this name. */
  remember<T>(name: string, compute: () => T): T {
    if (!this.#remembered.has(name)) this.#remembered.set(name, compute());
    return this.#remembered.get(name) as T;
  }

  inNamespace<K extends Kind>(kind: K, namespace: string): readonly ObjectOf<K>[] {
    return this.group(kind, 'namespace', (object) => object.metadata.namespace ?? '').get(namespace) ?? none;
  }

  podsUsing(claim: { readonly namespace: string; readonly name: string }): readonly Pod[] {
    return (
      this.group('Pod', 'claim', (pod) => claimNamesOf(pod).map((name) => keyOf(pod.metadata.namespace, name))).get(
        keyOf(claim.namespace, claim.name),
      ) ?? none
    );
  }

  /** How full the volume of a claim is; undefined where nothing has measured it. */
  usageOf(namespace: string, claim: string): VolumeUsage | undefined {
    return this.remember(
      'volume usage',
      () => new Map((this.snapshot.usage?.volumes ?? []).map((usage) => [keyOf(usage.namespace, usage.claim), usage])),
    ).get(keyOf(namespace, claim));
  }

  eventsAbout(uid: string): readonly KubeEvent[] {
    return (
      this.group('Event', 'uid', (event) => event.involvedObject?.uid ?? event.regarding?.uid ?? '').get(uid) ?? none
    );
  }

  /** Objects of a kind that has no shape, such as the source of a populator. */
  rawOfKind(kind: string): readonly RawObject[] {
    return this.#raw.get(kind) ?? [];
  }

  #ofKind(kind: Kind): ObjectsOfKind {
    let objects = this.#objects.get(kind);
    if (!objects) {
      const same = this.#graphWithSame(kind);
      objects = same ? same.#ofKind(kind) : this.#cutAll(kind);
      this.#objects.set(kind, objects);
    }
    return objects;
  }

  #indexesOf(kind: Kind): Map<string, Map<string, readonly AnyShaped[]>> {
    let indexes = this.#indexes.get(kind);
    if (!indexes) {
      const same = this.#graphWithSame(kind);
      indexes = same ? same.#indexesOf(kind) : new Map<string, Map<string, readonly AnyShaped[]>>();
      this.#indexes.set(kind, indexes);
    }
    return indexes;
  }

  /** An earlier graph whose snapshot holds the very same objects of this kind. */
  #graphWithSame(kind: Kind): ClusterGraph | undefined {
    if (!this.#earlier) return undefined;
    const now = this.#raw.get(kind) ?? none;
    const isSame = (graph: ClusterGraph): boolean => {
      const before = graph.#raw.get(kind) ?? none;
      return now.length === before.length && now.every((object, index) => object === before[index]);
    };
    const latest = this.#latestWithCuts(kind);
    if (latest && isSame(latest)) return latest;
    return isSame(this.#earlier) ? this.#earlier : undefined;
  }

  #latestWithCuts(kind: Kind): ClusterGraph | undefined {
    const latest = this.#latest;
    return latest && latest.#objects.has(kind) ? latest : undefined;
  }

  /** The objects of this kind that an earlier graph has cut already, in their order. */
  #knownCuts(kind: Kind): ReadonlyMap<RawObject, AnyShaped> {
    const known = new Map<RawObject, AnyShaped>();
    const graph = this.#latestWithCuts(kind) ?? this.#earlier;
    if (!graph) return known;
    const { all, sources } = graph.#ofKind(kind);
    for (let index = 0; index < sources.length; index += 1) {
      const [source, cut] = [sources[index], all[index]];
      if (source && cut) known.set(source, cut);
    }
    return known;
  }

  #cutAll(kind: Kind): ObjectsOfKind {
    const shape = shapeOf(kind);
    const all: AnyShaped[] = [];
    const sources: RawObject[] = [];
    const byName: ObjectsOfKind['byName'] = new Map();
    const known = this.#knownCuts(kind);
    const isWatched = this.snapshot.source.type === 'cluster';
    // Sorted, so that no answer depends on the order in which a server or a dump lists objects.
    for (const raw of sortedLike(this.#raw.get(kind) ?? none, known)) {
      const cut = known.get(raw) ?? (isWatched ? shaped.get(raw) : undefined);
      const object = cut ?? (clip(raw, shape) as AnyShaped | undefined);
      if (object && isWatched) shaped.set(raw, object);
      if (typeof object?.metadata?.name !== 'string') continue;
      const { namespace = '', name } = object.metadata;
      let names = byName.get(namespace);
      if (!names) byName.set(namespace, (names = new Map()));
      const twin = names.get(name);
      const place = twin ? all.indexOf(twin) : all.length;
      all[place] = object;
      sources[place] = raw;
      names.set(name, object);
    }
    return { all, sources, byName };
  }
}

interface ObjectsOfKind {
  readonly all: readonly AnyShaped[];
  /** What each of `all` was cut from, in the same order. */
  readonly sources: readonly RawObject[];
  /** By namespace ('' for none), then by name. */
  readonly byName: Map<string, Map<string, AnyShaped>>;
}

const graphs = new WeakMap<Snapshot, ClusterGraph>();

/** The graph of a snapshot, built once and shared by everything that is computed from the snapshot. */
export function graphOf(snapshot: Snapshot): ClusterGraph {
  const graph = graphs.get(snapshot) ?? new ClusterGraph(snapshot);
  graphs.set(snapshot, graph);
  return graph;
}

/**
 * Prepares the graph of a snapshot that shares most of its objects with an earlier one, and more with the latest that
 * was derived from it.
 */
export function deriveGraph(snapshot: Snapshot, earlier: Snapshot, latest?: Snapshot): void {
  graphs.set(snapshot, new ClusterGraph(snapshot, graphOf(earlier), latest && graphOf(latest)));
}

type AnyShaped = ObjectOf<Kind>;

const none: readonly never[] = [];

/** A watched cluster yields a new snapshot several times a second, with mostly the same objects in it. */
const shaped = new WeakMap<RawObject, AnyShaped>();

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function byIdentity(a: RawObject, b: RawObject): number {
  return (
    compareText(String(a.metadata?.namespace ?? ''), String(b.metadata?.namespace ?? '')) ||
    compareText(String(a.metadata?.name ?? ''), String(b.metadata?.name ?? ''))
  );
}

/** Objects by identity. Most of them are often `sorted` already, and only the others are put between them. */
function sortedLike(objects: readonly RawObject[], sorted: ReadonlyMap<RawObject, unknown>): readonly RawObject[] {
  if (sorted.size === 0) return [...objects].sort(byIdentity);
  const others = objects.filter((object) => !sorted.has(object)).sort(byIdentity);
  const present = new Set(objects);
  const result: RawObject[] = [];
  let next = 0;
  for (const object of sorted.keys()) {
    if (!present.has(object)) continue;
    while (next < others.length && byIdentity(others[next] as RawObject, object) < 0)
      result.push(others[next++] as RawObject);
    result.push(object);
  }
  result.push(...others.slice(next));
  return result;
}

function indexBy<T>(
  objects: readonly T[],
  keysOf: (object: T) => readonly string[] | string,
): Map<string, readonly T[]> {
  const index = new Map<string, T[]>();
  const put = (key: string, object: T): void => {
    const members = index.get(key);
    if (members) members.push(object);
    else index.set(key, [object]);
  };
  for (const object of objects) {
    const keys = keysOf(object);
    if (typeof keys === 'string') put(keys, object);
    else for (const key of keys) put(key, object);
  }
  return index;
}

/** The names of all claims that a pod uses; the claim of a generic ephemeral volume is called POD-VOLUME. */
export function claimNamesOf(pod: Pod): string[] {
  const names: string[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim?.claimName) names.push(persistentVolumeClaim.claimName);
    else if (ephemeral && name) names.push(`${pod.metadata.name}-${name}`);
  }
  return names;
}
