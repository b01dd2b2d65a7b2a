import { UserError } from '../../core/kube/errors.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { identify } from '../identify.ts';
import { BrokenInput } from './broken-input.ts';
import { Coverage } from './coverage.ts';
import { kindOf } from './document.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Observation, RawObject } from '../../core/kube/snapshot.ts';
import type { ParsedDocument } from './document.ts';
import type { Place } from './layout.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What was found in the files so far. */
export class Gathering {
  readonly coverage = new Coverage();
  readonly #objects: RawObject[] = [];
  /** The index of each object, by kind, namespace and name. */
  readonly #places = new Map<string, Map<string, Map<string, number>>>();
  /** The number of Kubernetes objects, of any kind. */
  met = 0;
  captures = 0;
  otherDocuments = 0;
  takenAt: string | undefined;
  #version: string | undefined;

  /** The number of everything that was recognised. */
  get seen(): number {
    return this.met + this.otherDocuments + this.captures;
  }

  get objects(): readonly RawObject[] {
    return this.#objects;
  }

  get serverVersion(): string | undefined {
    return this.#version ?? newestKubelet(this.#objects);
  }

  addDocument(document: ParsedDocument, place: Place): void {
    if (Array.isArray(document.head) || document.items) {
      this.#addList(document, place);
      return;
    }
    if (typeof document.head !== 'object' || document.head === null)
      throw new BrokenInput('notKubernetes', 'is plain text, not Kubernetes objects');
    const head = document.head as Fields;
    for (const key of ['items', 'objects']) {
      const items = head[key];
      if (Array.isArray(items)) {
        const { [key]: _, ...rest } = head;
        this.#addList({ head: rest, items, itemCount: items.length }, place);
        return;
      }
    }
    this.#addAlone(head, place);
  }

  #addList(document: ParsedDocument, place: Place): void {
    const items = document.items ?? (document.head as readonly unknown[]);
    const head: Fields = Array.isArray(document.head) ? {} : (document.head as Fields);
    const kind = kindOf(head);
    if (kind === 'Snapshot' && isOurs(head)) {
      this.#addCapture(head, items);
      return;
    }
    if (kind === 'Report' || kind === 'ProbeReport')
      throw new BrokenInput('notKubernetes', 'is a report, not the objects it was made from');
    // kubectl writes the keys in alphabetical order: a list without a kind was cut inside its items.
    if (kind === undefined && typeof head['apiVersion'] === 'string')
      throw new BrokenInput('truncated', 'ends in the middle');
    const itemKind = kindOfItems(kind, Array.isArray(document.head), place);
    const listVersion =
      itemKind !== undefined && typeof head['apiVersion'] === 'string' ? { apiVersion: head['apiVersion'] } : {};
    const inferred = { ...(itemKind === undefined ? {} : { kind: itemKind }), ...listVersion };
    const objects = items.map((item) => identify(item, inferred)).filter((object) => object !== undefined);
    this.met += kind === undefined && objects.length === 0 ? 0 : Math.max(document.itemCount, objects.length);
    for (const object of objects) this.#put(object);
    const emptyKind = itemKind !== undefined && isKnownKind(itemKind) && items.length === 0 ? { kind: itemKind } : {};
    this.coverage.addList(objects, {
      ...emptyKind,
      ...(place.namespace === undefined ? {} : { namespace: place.namespace }),
    });
    if (items.length === 0 && kind !== undefined) this.otherDocuments += 1;
  }

  #addAlone(head: Fields, place: Place): void {
    if (kindOf(head) === 'Table')
      throw new BrokenInput('notKubernetes', 'is a Table, which holds columns and no objects');
    const version = versionIn(head);
    if (version !== undefined) {
      this.#version ??= version;
      this.otherDocuments += 1;
      return;
    }
    if (kindOf(head) === 'Report' || kindOf(head) === 'ProbeReport')
      throw new BrokenInput('notKubernetes', 'is a report, not the objects it was made from');
    const inferred = kindOf(head) === undefined && typeof head['metadata'] === 'object' ? place.kind : undefined;
    const object = identify(head, inferred === undefined ? {} : { kind: inferred });
    if (!object) {
      if (kindOf(head) !== undefined && typeof head['apiVersion'] === 'string') this.met += 1;
      return;
    }
    this.met += 1;
    this.#put(object);
    const kind = object.kind as Kind;
    if (place.folders.includes(kind)) this.coverage.addList([object]);
    else this.coverage.addAlone(kind);
  }

  #addCapture(head: Fields, items: readonly unknown[]): void {
    if (head['apiVersion'] !== 'csi.kubectl.dev/v1')
      throw new UserError(
        `this capture has the format ${JSON.stringify(head['apiVersion'])}, which this version cannot read`,
        'use the version of kubectl csi that wrote it, or a newer one',
      );
    this.captures += 1;
    for (const item of items) {
      const object = identify(item);
      if (object) this.#put(object);
    }
    this.met += items.length;
    const { observations, takenAt, serverVersion } = head;
    this.coverage.addCaptured(Array.isArray(observations) ? observations.filter(isObservation) : []);
    if (
      typeof takenAt === 'string' &&
      !Number.isNaN(Date.parse(takenAt)) &&
      (this.takenAt === undefined || Date.parse(takenAt) > Date.parse(this.takenAt))
    )
      this.takenAt = takenAt;
    if (typeof serverVersion === 'string') this.#version ??= serverVersion;
  }

  /** Of two versions of an object the newer one is kept, or else the later one. */
  #put(object: RawObject): void {
    const { kind, metadata } = object;
    const namespaces = valueIn(this.#places, kind, () => new Map<string, Map<string, number>>());
    const names = valueIn(namespaces, metadata.namespace ?? '', () => new Map<string, number>());
    const at = names.get(metadata.name);
    if (at === undefined) names.set(metadata.name, this.#objects.push(object) - 1);
    else if (!(Number(metadata['resourceVersion']) < Number(this.#objects[at]?.metadata['resourceVersion'])))
      this.#objects[at] = object;
  }
}

/** `PodList` holds pods; a bare list holds what its place in the dump says; a `List` may hold anything. */
function kindOfItems(listKind: string | undefined, isBare: boolean, place: Place): string | undefined {
  if (listKind !== undefined && listKind !== 'List' && listKind.endsWith('List')) return listKind.slice(0, -4);
  return isBare || listKind === undefined ? place.kind : undefined;
}

function valueIn<T>(map: Map<string, T>, key: string, make: () => T): T {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

function isOurs(head: Fields): boolean {
  return typeof head['apiVersion'] === 'string' && head['apiVersion'].startsWith('csi.kubectl.dev/');
}

const states: ReadonlySet<unknown> = new Set(['complete', 'partial', 'denied', 'absentApi', 'failed', 'unread']);

function isObservation(value: unknown): value is Observation {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, scope, state, message } = value as Fields;
  if (typeof kind !== 'string' || !isKnownKind(kind) || !states.has(state)) return false;
  if (typeof scope !== 'object' || scope === null || Object.values(scope).some((part) => typeof part !== 'string'))
    return false;
  return message === undefined || typeof message === 'string';
}

/** `kubectl version -o json` or a support bundle's cluster_version.json. */
function versionIn(head: Fields): string | undefined {
  for (const holder of [head['serverVersion'], head['info'], head]) {
    const version = typeof holder === 'object' && holder !== null ? (holder as Fields)['gitVersion'] : undefined;
    if (typeof version === 'string') return version;
  }
  return undefined;
}

function newestKubelet(objects: Iterable<RawObject>): string | undefined {
  let newest: { readonly text: string; readonly parts: readonly number[] } | undefined;
  for (const object of objects) {
    if (object.kind !== 'Node') continue;
    const text = (object['status'] as { readonly nodeInfo?: { readonly kubeletVersion?: unknown } } | undefined)
      ?.nodeInfo?.kubeletVersion;
    const match = typeof text === 'string' ? /^v(\d+)\.(\d+)\.(\d+)/.exec(text) : null;
    if (!match) continue;
    const parts = match.slice(1).map(Number);
    if (!newest || isNewer(parts, newest.parts)) newest = { text: match.input, parts };
  }
  return newest?.text;
}

function isNewer(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] as number) > (b[at] as number);
}
