import { UserError } from '../../core/kube/errors.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import { identify } from '../identify.ts';
import { BrokenInput } from './broken-input.ts';
import { ClusterIdentity } from './cluster-identity.ts';
import { Coverage } from './coverage.ts';
import { isTooDeep } from './depth.ts';
import { isList, kindOf } from './document.ts';
import { tooDeep } from './limits.ts';
import { Notes } from './notes.ts';
import { compareVersions, isSame } from './object-versions.ts';
import { newestKubelet, versionIn } from './server-version.ts';
import { containerLogIn } from './captured-log.ts';
import type { ContainerLog } from '../../core/kube/container-log.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Observation, RawObject } from '../../core/kube/snapshot.ts';
import type { ParsedDocument } from './document.ts';
import type { Place } from './layout.ts';

/** The API server allows 253. */
const longestName = 2000;
/** A list in a list is what `kubectl get -o json` of several runs becomes; more is no dump. */
const deepestList = 16;

type Fields = Readonly<Record<string, unknown>>;

/** What was found in the files so far. */
export class Gathering {
  readonly coverage = new Coverage();
  readonly #objects: RawObject[] = [];
  /** The path of --from that each object is from. */
  readonly #origins: string[] = [];
  /** The index of each object, by kind, namespace and name. */
  readonly #places = new Map<string, Map<string, Map<string, number>>>();
  /** The number of Kubernetes objects, of any kind. */
  met = 0;
  captures = 0;
  otherDocuments = 0;
  takenAt: string | undefined;
  /** When the latest of the files was changed, in milliseconds. */
  changed: number | undefined;
  /** The logs of captures. */
  readonly logs: ContainerLog[] = [];
  /** What was not read, and why. */
  readonly lost: string[] = [];
  readonly #notes: Notes;
  readonly clusters = new ClusterIdentity();
  #version: string | undefined;

  constructor(notes: Notes = new Notes()) {
    this.#notes = notes;
  }

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

  /** A file that may hold objects and was not read: what is not in the dump may be in it. */
  addLost({ kind, namespace }: Place, path: string, why: string): void {
    this.lost.push(`${path} ${why}`);
    this.#notes.addSkipped(path, why);
    this.coverage.addFailed(kind, namespace, `${path.slice(path.lastIndexOf('/') + 1)}: ${why}`);
  }

  addTime(moment: number | undefined): void {
    if (moment !== undefined && moment > (this.changed ?? 0)) this.changed = moment;
  }

  addDocument(document: ParsedDocument, place: Place, depth = 0): void {
    if (depth > deepestList) throw new BrokenInput('tooLarge', `has lists inside lists, more than ${deepestList} deep`);
    if (Array.isArray(document.head) || document.items) {
      this.#addList(document, place, depth);
      return;
    }
    if (typeof document.head !== 'object' || document.head === null)
      throw new BrokenInput('notKubernetes', 'is plain text, not Kubernetes objects');
    const head = document.head as Fields;
    for (const key of ['items', 'objects']) {
      const items = head[key];
      if (Array.isArray(items)) {
        const { [key]: _, ...rest } = head;
        this.#addList({ head: rest, items, itemCount: items.length }, place, depth);
        return;
      }
    }
    const kind = kindOf(head);
    if (kind !== undefined && isList(kind) && 'items' in head) {
      // Go writes an empty list as null.
      if (head['items'] !== null) throw new BrokenInput('invalid', `items of the ${kind} is not a list`);
      this.#addList({ head: { ...head, items: undefined }, items: [], itemCount: 0 }, place, depth);
      return;
    }
    this.#addAlone(head, place);
  }

  #addList(document: ParsedDocument, place: Place, depth: number): void {
    const items = document.items ?? (document.head as readonly unknown[]);
    const head: Fields = Array.isArray(document.head) ? {} : (document.head as Fields);
    const kind = kindOf(head);
    if (kind === 'Snapshot' && isOurs(head)) {
      this.#addCapture(head, items);
      return;
    }
    if (kind === 'Report' || kind === 'ProbeReport')
      throw new BrokenInput('notKubernetes', 'is a report, not the objects it is based on');
    // kubectl writes the keys in alphabetical order: a list without a kind was cut inside its items.
    if (kind === undefined && typeof head['apiVersion'] === 'string')
      throw new BrokenInput('truncated', 'ends in the middle');
    if (kind === undefined && items.length > 0 && !items.some(mayBeObject))
      throw new BrokenInput('notKubernetes', 'is a list of something other than Kubernetes objects');
    const itemKind = kindOfItems(kind, Array.isArray(document.head), place);
    const listVersion =
      itemKind !== undefined && typeof head['apiVersion'] === 'string' ? { apiVersion: head['apiVersion'] } : {};
    const inferred = { ...(itemKind === undefined ? {} : { kind: itemKind }), ...listVersion };
    const objects: RawObject[] = [];
    const lists: Fields[] = [];
    for (const item of items) {
      const object = identify(item, inferred);
      if (object !== undefined) objects.push(object);
      else if (isListItem(item)) lists.push(item);
      else this.#missItem(item, itemKind, place);
    }
    this.met += kind === undefined && objects.length === 0 ? 0 : Math.max(document.itemCount, objects.length);
    for (const object of objects) this.#put(object);
    const emptyKind = itemKind !== undefined && isKnownKind(itemKind) && items.length === 0 ? { kind: itemKind } : {};
    if (isCut(head)) this.coverage.addCut(objects, emptyKind.kind);
    else
      this.coverage.addList(objects, {
        ...emptyKind,
        ...(place.namespace === undefined ? {} : { namespace: place.namespace }),
      });
    if (items.length === 0 && kind !== undefined) this.otherDocuments += 1;
    for (const list of lists) this.addDocument({ head: list, itemCount: 0 }, place, depth + 1);
  }

  /** An item that should be an object of a kind we read, and has no name or no kind, is missing from the answer. */
  #missItem(item: unknown, itemKind: string | undefined, place: Place): void {
    const kind = kindOf(item) ?? itemKind;
    if (kind !== undefined && !isKnownKind(kind)) return;
    if (kind !== undefined && isOfOtherGroup(item)) return;
    const what = kind === undefined ? 'an item without a kind' : `a ${kind} without a name`;
    this.addLost(
      {
        folders: [],
        ...(kind !== undefined && { kind }),
        ...(place.namespace !== undefined && { namespace: place.namespace }),
      },
      what,
      'is in a list',
    );
  }

  #addAlone(head: Fields, place: Place): void {
    if (kindOf(head) === 'Table')
      throw new BrokenInput('notKubernetes', 'is a Table, which has columns but no objects');
    const version = versionIn(head);
    if (version !== undefined) {
      this.#version ??= version;
      this.otherDocuments += 1;
      return;
    }
    if (kindOf(head) === 'Report' || kindOf(head) === 'ProbeReport')
      throw new BrokenInput('notKubernetes', 'is a report, not the objects it is based on');
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
        'Use the version of kubectl csi that wrote it, or a later one',
      );
    this.captures += 1;
    for (const item of items) {
      const object = identify(item);
      if (object) this.#put(object);
    }
    this.met += items.length;
    const { observations, takenAt, serverVersion, logs, source } = head;
    this.clusters.addCapture(source);
    if (Array.isArray(logs)) this.logs.push(...logs.flatMap((log) => containerLogIn(log) ?? []));
    this.coverage.addCaptured(Array.isArray(observations) ? observations.filter(isObservation) : []);
    if (
      typeof takenAt === 'string' &&
      !Number.isNaN(Date.parse(takenAt)) &&
      (this.takenAt === undefined || Date.parse(takenAt) > Date.parse(this.takenAt))
    )
      this.takenAt = takenAt;
    if (typeof serverVersion === 'string') this.#version ??= serverVersion;
  }

  /** Of two versions of an object the one with the larger resourceVersion is kept, or else the later one. */
  #put(object: RawObject): void {
    const { kind, metadata } = object;
    if (metadata.name.length > longestName || (metadata.namespace?.length ?? 0) > longestName) {
      this.addLost(
        { kind: kind as Kind, folders: [] },
        `a ${kind}`,
        `has a name of more than ${longestName} characters`,
      );
      return;
    }
    const namespaces = valueIn(this.#places, kind, () => new Map<string, Map<string, number>>());
    const names = valueIn(namespaces, metadata.namespace ?? '', () => new Map<string, number>());
    const at = names.get(metadata.name);
    if (isTooDeep(object)) throw tooDeep();
    if (at === undefined) {
      names.set(metadata.name, this.#objects.push(object) - 1);
      this.#origins.push(this.clusters.path);
      return;
    }
    const known = this.#objects[at] as RawObject;
    this.clusters.compare(known, object, this.#origins[at] ?? '');
    const order = compareVersions(metadata['resourceVersion'], known.metadata['resourceVersion']);
    if (order !== 0 || (order === 0 && !isSame(object, known)))
      this.#notes.addDuplicate(kind, metadata.namespace, metadata.name);
    if (order < 0) return;
    this.#objects[at] = object;
    this.#origins[at] = this.clusters.path;
  }
}

function isListItem(item: unknown): item is Fields {
  const kind = kindOf(item);
  return kind !== undefined && isList(kind) && typeof item === 'object' && item !== null && 'items' in item;
}

/** A page of a list that goes on: kubectl joins pages, and a raw request with a limit does not. */
function isCut({ metadata }: Fields): boolean {
  const { continue: next, remainingItemCount: left } = (metadata ?? {}) as Fields;
  return (typeof next === 'string' && next !== '') || (typeof left === 'number' && left > 0);
}

/** Longhorn has a Node too, which is not one of ours. */
function isOfOtherGroup(item: unknown): boolean {
  const { metadata } = (typeof item === 'object' && item !== null ? item : {}) as Fields;
  const { name } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Fields;
  return typeof name === 'string' && name !== '';
}

/** `PodList` holds pods; a bare list holds the kind that its place in the dump names; a `List` may hold anything. */
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

/** Bundles also hold lists that are not of Kubernetes: an object has at least one of these fields. */
function mayBeObject(item: unknown): boolean {
  return typeof item === 'object' && item !== null && ['kind', 'apiVersion', 'metadata'].some((field) => field in item);
}
