import type { Manifest } from '../../../src/core/report/preflight.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Scenario } from '../../kit/scenario.ts';

const controllerAnnotations =
  /^(?:volume\.kubernetes\.io\/(?:storage-provisioner|selected-node|provisioner-deletion-secret)|volume\.(?:alpha|beta)\.kubernetes\.io\/(?:storage-provisioner|selected-node)|pv\.kubernetes\.io\/|kubectl\.kubernetes\.io\/)/;

export interface Split {
  /** The cluster before anyone applied anything: without events, without what the manifests make. */
  readonly cluster: Snapshot;
  readonly manifests: Manifest[];
}

/** What a user would have written of a scenario: its claims that are not bound, its pods without a node, its StatefulSets. */
export function splitScenario({ snapshot, target }: Pick<Scenario, 'snapshot' | 'target'>): Split {
  const namespace = target.namespace ?? 'shop';
  const isOurs = (object: RawObject): boolean =>
    object.metadata.namespace === namespace && object.metadata['deletionTimestamp'] === undefined;
  const sets = snapshot.objects.filter((object) => object.kind === 'StatefulSet' && isOurs(object));
  const isOfSet = (object: RawObject): boolean =>
    sets.some((set) => new RegExp(`(?:^|-)${set.metadata.name}-\\d+$`).test(object.metadata.name));
  const isWritten = (object: RawObject): boolean => {
    if (object.kind === 'StorageClass' && object.kind === target.kind && object.metadata.name === target.name)
      return true;
    if (!isOurs(object)) return false;
    if (object.kind === 'StatefulSet') return true;
    if (object.kind === 'PersistentVolumeClaim')
      return phaseOf(object) !== 'Bound' && !isOthers(object, snapshot.objects);
    return object.kind === 'Pod' && phaseOf(object) === 'Pending' && !isPlaced(object);
  };
  const written = snapshot.objects.filter((object) => isWritten(object));
  // A claim of a set, or of an ephemeral volume, is made by its controller; so is a pod of a set.
  const made = new Set(
    written.filter((object) => object.kind !== 'StatefulSet' && (isOfSet(object) || isOwned(object))),
  );
  const manifests = written
    .filter((object) => !made.has(object))
    .map((object, index): Manifest => ({
      object: asWritten(object),
      place: { file: 'scenario.yaml', line: 1 + index * 10, document: index + 1 },
      lines: {},
    }));
  const gone = new Set(written);
  return {
    cluster: {
      ...snapshot,
      objects: snapshot.objects.filter((object) => !gone.has(object) && object.kind !== 'Event'),
    },
    manifests,
  };
}

function phaseOf(object: RawObject): unknown {
  return (object['status'] as { readonly phase?: unknown } | undefined)?.phase;
}

/** A node that the user named in the pod is in the manifest; a node that the scheduler chose is told by a condition. */
function isPlaced(object: RawObject): boolean {
  const spec = object['spec'] as { readonly nodeName?: string };
  const conditions =
    (
      object['status'] as
        { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] } | undefined
    )?.conditions ?? [];
  return (
    spec.nodeName !== undefined && conditions.some(({ type, status }) => type === 'PodScheduled' && status === 'True')
  );
}

function isOwned(object: RawObject): boolean {
  return object.kind === 'PersistentVolumeClaim' && Array.isArray(object.metadata['ownerReferences']);
}

/** A claim that belongs to a pod which is gone, or to nobody while a pod wants its name for an ephemeral volume, was there before. */
function isOthers(object: RawObject, objects: readonly RawObject[]): boolean {
  const owners = (object.metadata['ownerReferences'] ?? []) as readonly {
    readonly controller?: boolean;
    readonly uid?: string;
  }[];
  const isWanted = objects.some(
    (pod) =>
      pod.kind === 'Pod' &&
      (
        (pod['spec'] as { readonly volumes?: readonly { readonly name?: string; readonly ephemeral?: unknown }[] })
          .volumes ?? []
      ).some(
        ({ name, ephemeral }) =>
          ephemeral !== undefined && `${pod.metadata.name}-${name ?? ''}` === object.metadata.name,
      ),
  );
  if (owners.length === 0) return isWanted;
  return owners.every(
    ({ uid, controller }) => controller !== true || !objects.some((other) => other.metadata.uid === uid),
  );
}

export function asWritten(object: RawObject): RawObject {
  const { status: _status, metadata, ...rest } = object;
  const annotations = Object.entries((metadata['annotations'] ?? {}) as Record<string, string>).filter(
    ([name]) => !controllerAnnotations.test(name),
  );
  const { namespace, name, labels } = metadata as RawObject['metadata'] & { labels?: unknown };
  return {
    ...rest,
    kind: object.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
  };
}
