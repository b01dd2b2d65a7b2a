import { clip } from '../model/shape.ts';
import { shapeOf } from '../model/kinds.ts';
import type { Kind, KubeEvent, ObjectOf, Pod } from '../model/kinds.ts';
import type { RawObject, Snapshot } from '../model/snapshot.ts';
import { parseTime } from '../model/time.ts';
import { parseServerVersion } from '../model/version.ts';
import { Coverage } from './coverage.ts';

/** Every index over a snapshot, each built once, on first use. It knows nothing of targets: see Inquiry. */
export class ClusterGraph {
  readonly snapshot: Snapshot;
  readonly coverage: Coverage;
  /** The clock of the snapshot, in ms. */
  readonly now: number;
  readonly serverVersion: { readonly major: number; readonly minor: number } | undefined;
  readonly #raw = new Map<string, RawObject[]>();
  readonly #byKey = new Map<Kind, Map<string, AnyShaped>>();
  readonly #indexes = new Map<string, Map<string, readonly AnyShaped[]>>();

  readonly #worked = new Map<string, unknown>();

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.coverage = new Coverage(snapshot.observations);
    this.now = parseTime(snapshot.takenAt) ?? 0;
    this.serverVersion = parseServerVersion(snapshot.serverVersion);
    for (const object of snapshot.objects) {
      const ofKind = this.#raw.get(object.kind);
      if (ofKind) ofKind.push(object);
      else this.#raw.set(object.kind, [object]);
    }
  }

  find<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined {
    return this.#objects(kind).get(keyOf(namespace, name)) as ObjectOf<K> | undefined;
  }

  all<K extends Kind>(kind: K): readonly ObjectOf<K>[] {
    return this.group(kind, 'all', () => ['']).get('') ?? [];
  }

  /** An index of one kind by some keys of each object, built at the first call with this name and kept. */
  group<K extends Kind>(kind: K, name: string, keysOf: (object: ObjectOf<K>) => readonly string[]): Map<string, readonly ObjectOf<K>[]> {
    const id = `${kind}/${name}`;
    let index = this.#indexes.get(id) as Map<string, ObjectOf<K>[]> | undefined;
    if (!index) {
      index = new Map();
      for (const object of this.#objects(kind).values() as Iterable<ObjectOf<K>>) {
        for (const key of keysOf(object)) {
          const members = index.get(key);
          if (members) members.push(object);
          else index.set(key, [object]);
        }
      }
      this.#indexes.set(id, index);
    }
    return index;
  }

  /** Whatever is worked out once for a snapshot, under a name of its own. */
  remember<T>(name: string, workOut: () => T): T {
    if (!this.#worked.has(name)) this.#worked.set(name, workOut());
    return this.#worked.get(name) as T;
  }

  inNamespace<K extends Kind>(kind: K, namespace: string): readonly ObjectOf<K>[] {
    return this.group(kind, 'namespace', (object) => [object.metadata.namespace ?? '']).get(namespace) ?? [];
  }

  podsUsing(claim: { readonly namespace: string; readonly name: string }): readonly Pod[] {
    return this.group('Pod', 'claim', (pod) => claimNamesOf(pod).map((name) => keyOf(pod.metadata.namespace, name))).get(keyOf(claim.namespace, claim.name)) ?? [];
  }

  eventsAbout(uid: string): readonly KubeEvent[] {
    return this.group('Event', 'uid', (event) => [event.involvedObject?.uid ?? event.regarding?.uid ?? '']).get(uid) ?? [];
  }

  /** Objects of a kind that we have no shape for, e.g. the source of a populator. */
  rawOfKind(kind: string): readonly RawObject[] {
    return this.#raw.get(kind) ?? [];
  }

  #objects(kind: Kind): Map<string, AnyShaped> {
    let objects = this.#byKey.get(kind);
    if (!objects) {
      objects = new Map();
      const shape = shapeOf(kind);
      // Sorted, so that no answer depends on the order in which a server or a dump lists things.
      const raw = [...(this.#raw.get(kind) ?? [])].sort(byIdentity);
      for (const object of raw) {
        const clipped = shaped.get(object) ?? (clip(object, shape) as AnyShaped | undefined);
        if (clipped) shaped.set(object, clipped);
        if (clipped && typeof clipped.metadata?.name === 'string') objects.set(keyOf(clipped.metadata.namespace, clipped.metadata.name), clipped);
      }
      this.#byKey.set(kind, objects);
    }
    return objects;
  }
}

const graphs = new WeakMap<Snapshot, ClusterGraph>();

/** The graph of a snapshot, made once however many ask about it: a verdict and a survey stand on the same one. */
export function graphOf(snapshot: Snapshot): ClusterGraph {
  const graph = graphs.get(snapshot) ?? new ClusterGraph(snapshot);
  graphs.set(snapshot, graph);
  return graph;
}

type AnyShaped = ObjectOf<Kind>;

/** A watched cluster is a new snapshot several times a second, with mostly the same objects in it. */
const shaped = new WeakMap<RawObject, AnyShaped>();

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function byIdentity(a: RawObject, b: RawObject): number {
  return compareText(String(a.metadata?.namespace ?? ''), String(b.metadata?.namespace ?? '')) || compareText(String(a.metadata?.name ?? ''), String(b.metadata?.name ?? ''));
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The names of all claims that a pod's volumes use; a generic ephemeral volume uses POD-VOLUME. */
export function claimNamesOf(pod: Pod): string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim?.claimName) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral && volume.name ? [`${pod.metadata.name}-${volume.name}`] : [];
  });
}

