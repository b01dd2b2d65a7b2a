import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { patchStrategic } from '../../core/kube/strategic-patch.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, numberAt, textAt, valueAt } from '../fields.ts';
import type { ServedKind } from '../served-kinds.ts';
import { alreadyExists, conflict, invalid, outdated } from '../status.ts';
import { admitNew } from './admission.ts';
import { dropNulls, withDefaults } from './defaults.ts';
import { forbiddenChanges } from './immutable.ts';
import { appliedBy, fieldSetOf, withAuthor, withoutForgotten } from './managed-fields.ts';
import type { Author } from './managed-fields.ts';

export interface WriteOptions {
  readonly author: Author;
  readonly isDryRun?: boolean;
}

export interface DeleteOptions {
  readonly graceSeconds?: number | undefined;
  readonly policy?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly isDryRun?: boolean;
}

/** Kinds whose status is written through the status subresource only. */
const withoutStatusPath: ReadonlySet<string> = new Set(['Event', 'Lease', 'ConfigMap', 'Secret', 'Scale']);

/** How objects are created, changed and deleted: by clients through the API, and by controllers. */
export class Writes {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  create(object: RawObject, { author, isDryRun = false }: WriteOptions): RawObject {
    const served = this.#cluster.kinds.of(object);
    const { name, namespace } = object.metadata;
    if (this.#cluster.get(object.kind, namespace, name) !== undefined) throw alreadyExists(served, name);
    if (textAt(object, 'metadata', 'resourceVersion') !== '')
      throw invalid(served, name, [
        {
          field: 'metadata.resourceVersion',
          type: 'Forbidden',
          message: 'resourceVersion should not be set on objects to be created',
        },
      ]);
    const filled = withDefaults(object, this.#cluster);
    admitNew(filled, served, this.#cluster);
    const { deletionTimestamp: _deletion, managedFields: _fields, ...metadata } = filled.metadata;
    const born = {
      ...filled,
      metadata: { ...metadata, uid: randomUUID(), creationTimestamp: this.#cluster.timestamp, generation: 1 },
    } as RawObject;
    const whole = withAuthor(
      born,
      author.operation === 'Apply' ? fieldSetOf(appliedPart(object)) : sections(object),
      author,
    );
    if (isDryRun) return whole;
    const stored = this.#cluster.put(whole);
    if (stored.kind === 'CustomResourceDefinition') this.#cluster.kinds.define(stored);
    return stored;
  }

  /** Stores `next` for `current`, after the checks of an update. */
  update(current: RawObject, next: RawObject, { author, isDryRun = false }: WriteOptions): RawObject {
    const served = this.#cluster.kinds.of(current);
    const { name } = current.metadata;
    const version = textAt(next, 'metadata', 'resourceVersion');
    if (version !== '' && version !== textAt(current, 'metadata', 'resourceVersion')) throw outdated(served, name);
    const uid = textAt(next, 'metadata', 'uid');
    if (uid !== '' && uid !== current.metadata.uid)
      throw conflict(
        served,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`,
      );
    const kept = this.#kept(current, dropNulls(next) as RawObject, author);
    const faults = forbiddenChanges(current, kept, this.#cluster);
    if (faults.length > 0) throw invalid(served, name, faults);
    if (isDeepStrictEqual(kept, current) || isDryRun) return kept;
    const isNewSpec = !isDeepStrictEqual(withoutFrame(kept), withoutFrame(current));
    const generation = numberAt(current, 'metadata', 'generation') + (isNewSpec ? 1 : 0);
    const fields = author.operation === 'Apply' ? appliedBy(kept, author) : changedSections(current, kept);
    const stored = this.#cluster.put(
      withAuthor(
        { ...kept, metadata: { ...kept.metadata, ...(generation === 0 ? {} : { generation }) } },
        fields,
        author,
      ),
    );
    if (stored.kind === 'CustomResourceDefinition') this.#cluster.kinds.define(stored);
    this.finish(stored);
    return stored;
  }

  /** Server-side apply: merges the object into what is there; the last one to apply a field wins. */
  apply(current: RawObject, applied: RawObject, options: WriteOptions): RawObject {
    const part = appliedPart(applied);
    const fields = fieldSetOf(part);
    const trimmed = withoutForgotten(current, appliedBy(current, options.author), fields);
    const merged = patchStrategic(trimmed, part) as RawObject;
    const version = textAt(applied, 'metadata', 'resourceVersion');
    const next = withAuthor(
      { ...merged, metadata: { ...merged.metadata, ...(version === '' ? {} : { resourceVersion: version }) } },
      fields,
      options.author,
    );
    const isSame = isDeepStrictEqual(withoutAuthors(next), withoutAuthors(current));
    return isSame ? current : this.update(current, next, options);
  }

  /** The object as it was last. It goes when its finalizers are gone, and a pod when its kubelet has stopped it. */
  delete(object: RawObject, options: DeleteOptions = {}): RawObject {
    const served = this.#cluster.kinds.of(object);
    checkPreconditions(object, served, options);
    if (options.isDryRun === true) return object;
    const grace = object.kind === 'Pod' ? graceOf(object, options) : 0;
    if (options.policy === 'Orphan') this.#orphan(object);
    if (options.policy === 'Foreground') for (const dependent of this.#dependents(object)) this.delete(dependent);
    const isFirst = textAt(object, 'metadata', 'deletionTimestamp') === '';
    const metadata = {
      ...object.metadata,
      ...(isFirst
        ? {
            deletionTimestamp: new Date(this.#cluster.now + grace * 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
            generation: numberAt(object, 'metadata', 'generation') + 1,
          }
        : {}),
      deletionGracePeriodSeconds: grace,
    };
    const phase = object.kind === 'Namespace' ? { status: { phase: 'Terminating' } } : {};
    const leaving = { ...object, metadata, ...phase };
    if (isHeld(leaving, grace)) return this.#cluster.put(leaving);
    this.#cluster.remove(object);
    return object;
  }

  /** Removes an object that is being deleted and that nothing holds any more. */
  finish(object: RawObject): void {
    const isLeaving = textAt(object, 'metadata', 'deletionTimestamp') !== '';
    if (isLeaving && !isHeld(object, numberAt(object, 'metadata', 'deletionGracePeriodSeconds')))
      this.#cluster.remove(object);
  }

  /** What an update cannot change: identity, times, and status or spec, whichever it is not about. */
  #kept(current: RawObject, next: RawObject, { subresource }: Author): RawObject {
    const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion, uid } =
      current.metadata;
    const fixed = Object.fromEntries(
      Object.entries({
        creationTimestamp,
        deletionTimestamp,
        deletionGracePeriodSeconds,
        generation,
        resourceVersion,
        uid,
      }).filter(([, value]) => value !== undefined),
    );
    if (subresource === 'status')
      return { ...current, status: next['status'], metadata: { ...current.metadata, ...fixed } } as RawObject;
    const { status: _status, ...rest } = next;
    const hasStatus = !withoutStatusPath.has(current.kind) && current['status'] !== undefined;
    return {
      ...(hasStatus ? { ...rest, status: current['status'] } : next),
      metadata: { ...next.metadata, ...fixed },
    } as RawObject;
  }

  #dependents(owner: RawObject): RawObject[] {
    return this.#cluster.kinds.all
      .flatMap(({ kind }) => this.#cluster.list(kind))
      .filter((object) =>
        listAt(object, 'metadata', 'ownerReferences').some(
          (reference) => textAt(reference, 'uid') === owner.metadata.uid,
        ),
      );
  }

  #orphan(owner: RawObject): void {
    for (const dependent of this.#dependents(owner)) {
      const references = listAt(dependent, 'metadata', 'ownerReferences').filter(
        (reference) => textAt(reference, 'uid') !== owner.metadata.uid,
      );
      const { ownerReferences: _references, ...metadata } = dependent.metadata;
      this.#cluster.put({
        ...dependent,
        metadata: { ...metadata, ...(references.length === 0 ? {} : { ownerReferences: references }) },
      } as RawObject);
    }
  }
}

/** A pod that runs is stopped first; a namespace is emptied first (its finalizer is in the spec). */
function isHeld(object: RawObject, grace: number): boolean {
  if (listAt(object, 'metadata', 'finalizers').length > 0) return true;
  if (object.kind === 'Namespace') return listAt(object, 'spec', 'finalizers').length > 0;
  return object.kind === 'Pod' && grace > 0;
}

/** A pod that never came to a node, or has ended, is deleted at once. */
function graceOf(pod: RawObject, { graceSeconds }: DeleteOptions): number {
  const hasNode = textAt(pod, 'spec', 'nodeName') !== '';
  const hasEnded = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
  if (!hasNode || hasEnded) return 0;
  return graceSeconds ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds');
}

function checkPreconditions(object: RawObject, served: ServedKind, { uid, resourceVersion }: DeleteOptions): void {
  const { name } = object.metadata;
  if (uid !== undefined && uid !== object.metadata.uid)
    throw conflict(
      served,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid ?? ''}`,
    );
  if (resourceVersion !== undefined && resourceVersion !== textAt(object, 'metadata', 'resourceVersion'))
    throw outdated(served, name);
}

/** What a manager can own of the object that it applies: not its identity, and not its status. */
function appliedPart({ apiVersion: _apiVersion, kind: _kind, status: _status, metadata, ...rest }: RawObject): object {
  const { labels, annotations, finalizers } = metadata;
  const owned = Object.fromEntries(
    Object.entries({ labels, annotations, finalizers }).filter(([, value]) => value !== undefined),
  );
  return dropNulls({ ...rest, ...(Object.keys(owned).length === 0 ? {} : { metadata: owned }) }) as object;
}

const frame: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

function withoutFrame(object: RawObject): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !frame.has(name)));
}

function withoutAuthors({ metadata, ...rest }: RawObject): object {
  const { managedFields: _fields, ...others } = metadata;
  return { ...rest, metadata: others };
}

const fieldNames = (names: readonly string[]): Record<string, Record<string, never>> =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

function sections(object: RawObject): Record<string, Record<string, never>> {
  return fieldNames(Object.keys(object).filter((name) => name !== 'apiVersion' && name !== 'kind'));
}

function changedSections(before: RawObject, after: RawObject): Record<string, Record<string, never>> {
  return fieldNames(
    Object.keys(after).filter((name) => !isDeepStrictEqual(valueAt(before, name), valueAt(after, name))),
  );
}
