import { randomUUID } from 'node:crypto';
import { compareText } from '../core/kube/order.ts';
import type { RawObject, Snapshot } from '../core/kube/snapshot.ts';
import { toCoreEvent } from './events.ts';
import { textAt } from './fields.ts';
import type { KindRegistry, ServedKind } from './served-kinds.ts';

/** One stored object; its JSON is written on first use, and kept. */
export class Entry {
  readonly key: string;
  readonly object: RawObject;
  #bare: string | undefined;
  #metadata: string | undefined;

  constructor(object: RawObject) {
    this.key = keyOf(object.metadata.namespace, object.metadata.name);
    this.object = object;
  }

  /** Without kind and apiVersion, as the items of a built-in list are. */
  get bareJson(): string {
    if (this.#bare === undefined) {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.object;
      this.#bare = JSON.stringify(rest);
    }
    return this.#bare;
  }

  get metadataJson(): string {
    return (this.#metadata ??= JSON.stringify(this.object.metadata));
  }

  json(kind: string, apiVersion: string): string {
    return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${this.bareJson.slice(1)}`;
  }
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly entry: Entry;
  /** What the object was before; a watch with a selector needs it to see an object leave. */
  readonly previous: Entry | undefined;
}

/** Sorted by key and never changed in place: a list that is being paged keeps the array it began with. */
interface Arrangement {
  readonly all: readonly Entry[];
  readonly byNamespace: ReadonlyMap<string, readonly Entry[]>;
}

interface Collection {
  readonly byKey: Map<string, Entry>;
  /** Created for the first list after a change. */
  arrangement: Arrangement | undefined;
  readonly changes: Change[];
  /** Changes up to this version are forgotten. */
  forgotten: number;
  readonly listeners: Set<(change: Change) => void>;
}

const rememberedChanges = 1000;
const keyOf = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
/** The order of etcd keys: by code unit, not by language. */
const byKeyOrder = (left: Entry, right: Entry): number => compareText(left.key, right.key);

export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #kinds: KindRegistry;
  readonly #now: () => number;
  readonly #first: number;
  readonly #watchers = new Set<(change: Change) => void>();
  #version: number;

  constructor(snapshot: Snapshot, kinds: KindRegistry, now: () => number) {
    this.#kinds = kinds;
    this.#now = now;
    this.#first = newestVersion(snapshot.objects);
    this.#version = this.#first;
    const grouped = new Map<string, Map<string, Entry>>();
    for (const object of snapshot.objects) {
      const served = kinds.of(object);
      const entry = new Entry(stored(object, served));
      const entries = grouped.get(served.collection) ?? new Map<string, Entry>();
      grouped.set(served.collection, entries.set(entry.key, entry));
    }
    for (const [name, entries] of grouped) this.#collections.set(name, this.#collect(entries));
  }

  get version(): number {
    return this.#version;
  }

  list(served: ServedKind, namespace: string | undefined): readonly Entry[] {
    const collection = this.#collections.get(served.collection);
    if (collection === undefined) return [];
    const { all, byNamespace } = (collection.arrangement ??= arrange(collection.byKey));
    return namespace === undefined ? all : (byNamespace.get(namespace) ?? []);
  }

  get(served: ServedKind, namespace: string | undefined, name: string): Entry | undefined {
    return this.#collections.get(served.collection)?.byKey.get(keyOf(namespace, name));
  }

  find(kind: string, namespace: string | undefined, name: string): RawObject | undefined {
    const served = this.#kinds.find(kind);
    return served === undefined ? undefined : this.get(served, namespace, name)?.object;
  }

  /**
   * Creates or replaces, as a server would: a new version, and the uid and birth of the old object if the new one names
   * none.
   */
  apply(object: RawObject): RawObject {
    const served = this.#kinds.of(object);
    const collection = this.#collection(served);
    const previous = collection.byKey.get(keyOf(object.metadata.namespace, object.metadata.name));
    const written = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: object.metadata.uid ?? previous?.object.metadata.uid ?? randomUUID(),
        creationTimestamp:
          object.metadata['creationTimestamp'] ??
          previous?.object.metadata['creationTimestamp'] ??
          new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z'),
        resourceVersion: String(this.#version + 1),
      },
    };
    // What a client stores here is its own; only contents that came with the snapshot are withheld.
    const entry = new Entry(served.kind === 'Event' ? toCoreEvent(written) : written);
    collection.byKey.set(entry.key, entry);
    this.#record(collection, {
      type: previous === undefined ? 'ADDED' : 'MODIFIED',
      version: this.#version + 1,
      entry,
      previous,
    });
    return entry.object;
  }

  remove(kind: string, namespace: string | undefined, name: string): boolean {
    const served = this.#kinds.find(kind);
    if (served === undefined) return false;
    const collection = this.#collection(served);
    const previous = collection.byKey.get(keyOf(namespace, name));
    if (previous === undefined) return false;
    collection.byKey.delete(previous.key);
    const last = new Entry({
      ...previous.object,
      metadata: { ...previous.object.metadata, resourceVersion: String(this.#version + 1) },
    });
    this.#record(collection, { type: 'DELETED', version: this.#version + 1, entry: last, previous });
    return true;
  }

  /** What happened after a version; undefined if that is too long ago to know. */
  changesAfter(served: ServedKind, version: number): readonly Change[] | undefined {
    const collection = this.#collection(served);
    return version < collection.forgotten ? undefined : collection.changes.filter((change) => change.version > version);
  }

  oldestKnown(served: ServedKind): number {
    return this.#collection(served).forgotten;
  }

  subscribe(served: ServedKind, listener: (change: Change) => void): () => void {
    const { listeners } = this.#collection(served);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Hears of every change of any kind. */
  subscribeAll(listener: (change: Change) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  #collection(served: ServedKind): Collection {
    const existing = this.#collections.get(served.collection);
    if (existing !== undefined) return existing;
    const created = this.#collect(new Map());
    this.#collections.set(served.collection, created);
    return created;
  }

  #collect(entries: Map<string, Entry>): Collection {
    return { byKey: entries, arrangement: undefined, changes: [], forgotten: this.#first, listeners: new Set() };
  }

  #record(collection: Collection, change: Change): void {
    this.#version = change.version;
    collection.arrangement = undefined;
    collection.changes.push(change);
    while (collection.changes.length > rememberedChanges)
      collection.forgotten = collection.changes.shift()?.version ?? collection.forgotten;
    for (const listener of [...collection.listeners, ...this.#watchers]) listener(change);
  }
}

function arrange(entries: ReadonlyMap<string, Entry>): Arrangement {
  const all = [...entries.values()].sort(byKeyOrder);
  const byNamespace = new Map<string, Entry[]>();
  for (const entry of all) {
    const namespace = entry.object.metadata.namespace ?? '';
    const bucket = byNamespace.get(namespace);
    if (bucket === undefined) byNamespace.set(namespace, [entry]);
    else bucket.push(entry);
  }
  return { all, byNamespace };
}

function stored(object: RawObject, served: ServedKind): RawObject {
  if (served.kind === 'Event') return toCoreEvent(object);
  if (!served.metadataOnly) return object;
  const { data: _data, stringData: _stringData, binaryData: _binaryData, ...rest } = object;
  return rest as RawObject;
}

function newestVersion(objects: readonly RawObject[]): number {
  let newest = 1;
  for (const object of objects) {
    const version = Number(textAt(object, 'metadata', 'resourceVersion'));
    if (Number.isSafeInteger(version) && version > newest) newest = version;
  }
  return newest;
}
