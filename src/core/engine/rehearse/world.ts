import { resourceOf } from '../../kube/resources.ts';
import { isKnownKind } from '../../kube/kinds.ts';
import { eventScope } from '../../kube/snapshot.ts';
import type { Observation, RawObject, Snapshot } from '../../kube/snapshot.ts';
import { deriveGraph, graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';

/** Longer than any rule waits before it holds. No summary may show this age: nothing has waited yet. */
const imaginedAgeMs = 61 * 60_000;

/** Kinds of which manifests create many. */
const numerousKinds: ReadonlySet<string> = new Set([
  'PersistentVolumeClaim',
  'Pod',
  'StatefulSet',
  'Deployment',
  'DaemonSet',
  'ReplicaSet',
]);

/** The cluster as it would be: the objects that were read, with what the manifests would create or change. */
export class World {
  readonly #base: Snapshot;
  /** Shared with other worlds on the same snapshot, until the first change of a kind. */
  readonly #objects: Map<string, ReadonlyMap<string, RawObject>>;
  readonly #changed = new Map<string, Map<string, RawObject>>();
  readonly #observations: Observation[] = [];
  #snapshot: Snapshot | undefined;
  /** The last snapshot before the latest changes: the graph of the next one reuses its work. */
  #latest: Snapshot | undefined;
  /** Without the latest objects of numerous kinds. */
  #planned: Snapshot | undefined;
  /** The creation time of every imagined object. */
  readonly madeAt: string;

  constructor(base: Snapshot) {
    this.#base = base;
    this.#objects = new Map(objectsByKind(base));
    this.madeAt = earlier(base.takenAt) ?? new Date(0).toISOString();
  }

  get(kind: string, namespace: string | undefined, name: string): RawObject | undefined {
    return this.#objects.get(kind)?.get(keyOf(kind, namespace, name));
  }

  put(object: RawObject): void {
    const key = keyOf(object.kind, object.metadata.namespace, object.metadata.name);
    if (this.#objects.get(object.kind)?.get(key) === object) return;
    this.#change(object.kind).set(key, object);
    this.#snapshot = undefined;
    if (!numerousKinds.has(object.kind)) this.#planned = undefined;
  }

  remove(kind: string, namespace: string | undefined, name: string): void {
    this.#change(kind).delete(keyOf(kind, namespace, name));
    this.#snapshot = undefined;
  }

  ofKind(kind: string): RawObject[] {
    return [...(this.#objects.get(kind)?.values() ?? [])];
  }

  #change(kind: string): Map<string, RawObject> {
    let own = this.#changed.get(kind);
    if (!own) {
      own = new Map(this.#objects.get(kind));
      this.#changed.set(kind, own);
      this.#objects.set(kind, own);
    }
    return own;
  }

  /** A new object has no events, and a new claim no volume yet: there is nothing to read for it. */
  noteNovelty(object: RawObject): void {
    const {
      kind,
      metadata: { uid = '' },
    } = object;
    this.#observations.push({ kind: 'Event', scope: eventScope(object), state: 'complete' });
    if (kind === 'PersistentVolumeClaim')
      this.#observations.push(
        { kind: 'PersistentVolume', scope: { name: `pvc-${uid}` }, state: 'complete' },
        { kind: 'PersistentVolumeClaim', scope: { fieldSelector: `metadata.name=prime-${uid}` }, state: 'complete' },
      );
    this.#snapshot = undefined;
  }

  get snapshot(): Snapshot {
    if (!this.#snapshot) {
      this.#snapshot = {
        ...this.#base,
        objects: [...this.#objects.values()].flatMap((objects) => [...objects.values()]),
        observations: this.#observe(),
      };
      deriveGraph(this.#snapshot, this.#base, this.#latest);
      this.#latest = this.#snapshot;
    }
    return this.#snapshot;
  }

  /** The same list as before where nothing was added, so that a graph need not index it again. */
  #observe(): readonly Observation[] {
    const known = (this.#latest ?? this.#base).observations;
    const count = this.#base.observations.length + this.#observations.length;
    return known.length === count ? known : [...this.#base.observations, ...this.#observations];
  }

  inquire(): Inquiry {
    return new Inquiry(graphOf(this.snapshot));
  }

  /**
   * For questions about kinds with few objects: a StatefulSet with hundreds of claims must not index the cluster again
   * for each.
   */
  inquireBeside(): Inquiry {
    this.#planned ??= this.snapshot;
    return new Inquiry(graphOf(this.#planned));
  }
}

const partitions = new WeakMap<Snapshot, ReadonlyMap<string, ReadonlyMap<string, RawObject>>>();

/** The objects of a snapshot by kind and name, sorted once for all worlds that start from it. */
function objectsByKind(base: Snapshot): ReadonlyMap<string, ReadonlyMap<string, RawObject>> {
  const known = partitions.get(base);
  if (known) return known;
  const byKind = new Map<string, Map<string, RawObject>>();
  for (const object of base.objects) {
    const { kind, metadata } = object;
    let objects = byKind.get(kind);
    if (!objects) byKind.set(kind, (objects = new Map()));
    objects.set(keyOf(kind, metadata.namespace, metadata.name), kind === 'StorageClass' ? madeEarlier(object) : object);
  }
  partitions.set(base, byKind);
  return byKind;
}

/**
 * Imagined objects are older than the snapshot, so their class is made older too: rules would otherwise give a young
 * class time.
 */
function madeEarlier(storageClass: RawObject): RawObject {
  const creationTimestamp = earlier(storageClass.metadata['creationTimestamp']);
  return creationTimestamp === undefined
    ? storageClass
    : { ...storageClass, metadata: { ...storageClass.metadata, creationTimestamp } };
}

function earlier(time: unknown): string | undefined {
  const moment = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(moment) ? undefined : new Date(moment - imaginedAgeMs).toISOString().replace('.000Z', 'Z');
}

function keyOf(kind: string, namespace: string | undefined, name: string): string {
  const isNamespaced = !isKnownKind(kind) || resourceOf(kind).namespaced;
  return `${kind}|${isNamespaced ? (namespace ?? '') : ''}|${name}`;
}
