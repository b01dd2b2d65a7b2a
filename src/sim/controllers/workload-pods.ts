import { isDeepStrictEqual } from 'node:util';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';
import { ApiFailure } from '../status.ts';
import type { Workplace } from './loop.ts';
import { hasEnded, isLeaving } from './storage-objects.ts';

/** What the controllers of workloads share: owned objects, pods from templates, and what became of them. */

export function ownedBy(owner: RawObject, kind: string, cluster: Cluster): RawObject[] {
  return cluster
    .list(kind, owner.metadata.namespace)
    .filter((object) =>
      listAt(object, 'metadata', 'ownerReferences').some(
        (reference) => textAt(reference, 'uid') === owner.metadata.uid && valueAt(reference, 'controller') === true,
      ),
    );
}

export const livePods = (owner: RawObject, cluster: Cluster): RawObject[] =>
  ownedBy(owner, 'Pod', cluster).filter((pod) => !isLeaving(pod) && !hasEnded(pod));

export const isReady = (pod: RawObject): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );

export function ownerReference({ apiVersion, kind, metadata }: RawObject): Record<string, unknown> {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** A pod from the template of a workload. */
export function podOf(owner: RawObject, name: string, more: Readonly<Record<string, unknown>> = {}): RawObject {
  const template = valueAt(owner, 'spec', 'template');
  const { namespace } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(valueAt(template, 'metadata') as object | undefined),
      name,
      ...(namespace && { namespace }),
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...(valueAt(template, 'spec') as object | undefined), ...more },
  };
}

/**
 * Whether a pod was created from another template: an annotation is new, as after a restart, or an image or argument
 * differs.
 */
export function isOutdated(pod: RawObject, owner: RawObject): boolean {
  const template = valueAt(owner, 'spec', 'template');
  const isAnnotated = entriesAt(template, 'metadata', 'annotations').every(
    ([key, value]) => textAt(pod, 'metadata', 'annotations', key) === value,
  );
  const images = (spec: unknown): unknown[] =>
    listAt(spec, 'containers').map((container) => [textAt(container, 'name'), textAt(container, 'image')]);
  return !isAnnotated || !isDeepStrictEqual(images(valueAt(pod, 'spec')), images(valueAt(template, 'spec')));
}

/**
 * Creates the objects that a controller needs; a refusal is an event of the workload, and the controller tries again
 * later.
 */
export function createFor(
  owner: RawObject,
  object: RawObject,
  { cluster, writes }: Workplace,
  words: (why: string) => string,
): boolean {
  const from = `${owner.kind.toLowerCase()}-controller`;
  try {
    writes.create(object, {
      author: { manager: 'kube-controller-manager', operation: 'Update', time: cluster.timestamp },
    });
    return true;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    cluster.report(owner, { type: 'Warning', reason: 'FailedCreate', message: words(error.message), from });
    return false;
  }
}

/** Statuses keep fields that are not counted here, such as conditions. */
export function withCounts(owner: RawObject, counts: Readonly<Record<string, number | undefined>>): RawObject {
  const status: Record<string, unknown> = { ...(owner['status'] as object | undefined), ...counts };
  for (const [field, count] of Object.entries(counts)) if (count === undefined) delete status[field];
  return { ...owner, status };
}
