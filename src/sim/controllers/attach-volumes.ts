import { attachmentName, sanitiseLeaseName } from '../../core/kube/names.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { runningSidecar } from './sidecars.ts';
import { claimsOf, hasEnded, isBound, isLeaving, needsAttachment, volumeOf } from './storage-objects.ts';

interface Use {
  readonly pod: RawObject;
  readonly volume: RawObject;
  readonly node: string;
}

/**
 * The attach-detach controller and the external attachers: an attachment for each volume that a pod on a node needs.
 */
export function attachVolumes({ cluster, writes }: Workplace): void {
  const uses = usesOf(cluster);
  for (const use of uses) request(use, cluster);
  for (const attachment of cluster.list('VolumeAttachment')) {
    const volume = textAt(attachment, 'spec', 'source', 'persistentVolumeName');
    const node = textAt(attachment, 'spec', 'nodeName');
    const isUsed = uses.some((use) => use.volume.metadata.name === volume && use.node === node);
    if (isLeaving(attachment)) detach(attachment, cluster, writes);
    else if (!isUsed && cluster.get('Node', undefined, node) !== undefined) writes.delete(attachment);
    else attach(attachment, cluster);
  }
  for (const node of cluster.list('Node')) cluster.put(withAttached(node, cluster));
}

function usesOf(cluster: Cluster): Use[] {
  return cluster.list('Pod').flatMap((pod) => {
    const node = textAt(pod, 'spec', 'nodeName');
    if (node === '' || hasEnded(pod)) return [];
    return claimsOf(pod, cluster)
      .filter(isBound)
      .flatMap((claim) => volumeOf(claim, cluster) ?? [])
      .filter((volume) => needsAttachment(volume, cluster))
      .map((volume) => ({ pod, volume, node }));
  });
}

/** Creates the attachment, unless the volume is for one node and another node has it. */
function request({ pod, volume, node }: Use, cluster: Cluster): void {
  const { driver, handle } = sourceOf(volume);
  const name = attachmentName(handle, driver, node);
  if (cluster.get('VolumeAttachment', undefined, name) !== undefined || isLeaving(pod)) return;
  const isShared = listAt(volume, 'spec', 'accessModes').some(
    (mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany',
  );
  const isElsewhere = cluster
    .list('VolumeAttachment')
    .some((other) => textAt(other, 'spec', 'source', 'persistentVolumeName') === volume.metadata.name);
  if (isElsewhere && !isShared)
    return cluster.report(pod, {
      type: 'Warning',
      reason: 'FailedAttachVolume',
      message:
        `Multi-Attach error for volume "${volume.metadata.name}" Volume is already exclusively attached to one ` +
        `node and can't be attached to another`,
      from: 'attachdetach-controller',
    });
  cluster.put({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name, annotations: { 'csi.alpha.kubernetes.io/node-id': node } },
    spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume.metadata.name } },
    status: { attached: false },
  });
}

function attach(attachment: RawObject, cluster: Cluster): void {
  const driver = textAt(attachment, 'spec', 'attacher');
  const isDone = valueAt(attachment, 'status', 'attached') === true;
  if (isDone || runningSidecar(cluster, 'csi-attacher', driver) === undefined) return;
  const volume = cluster.get(
    'PersistentVolume',
    undefined,
    textAt(attachment, 'spec', 'source', 'persistentVolumeName'),
  );
  const finalizer = finalizerOf(driver);
  const withFinalizer = (object: RawObject): RawObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      finalizers: [...new Set([...listAt(object, 'metadata', 'finalizers'), finalizer])],
    },
  });
  if (volume !== undefined) cluster.put(withFinalizer(volume));
  cluster.put({ ...withFinalizer(attachment), status: { attached: true } });
}

/** The attacher detaches the volume and lets go of the attachment, and of the volume after its last one. */
function detach(attachment: RawObject, cluster: Cluster, writes: Workplace['writes']): void {
  const driver = textAt(attachment, 'spec', 'attacher');
  if (runningSidecar(cluster, 'csi-attacher', driver) === undefined) return;
  const finalizer = finalizerOf(driver);
  const release = (object: RawObject): RawObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      finalizers: listAt(object, 'metadata', 'finalizers').filter((name) => name !== finalizer),
    },
  });
  const volumeName = textAt(attachment, 'spec', 'source', 'persistentVolumeName');
  writes.finish(cluster.put(release(attachment)));
  const volume = cluster.get('PersistentVolume', undefined, volumeName);
  const isStillAttached = cluster
    .list('VolumeAttachment')
    .some((other) => textAt(other, 'spec', 'source', 'persistentVolumeName') === volumeName);
  if (volume !== undefined && !isStillAttached) writes.finish(cluster.put(release(volume)));
}

const finalizerOf = (driver: string): string => `external-attacher/${sanitiseLeaseName(driver)}`;

function sourceOf(volume: RawObject | undefined): { readonly driver: string; readonly handle: string } {
  return {
    driver: textAt(volume, 'spec', 'csi', 'driver'),
    handle: textAt(volume, 'spec', 'csi', 'volumeHandle'),
  };
}

/** The status of a node lists what is attached to it. */
function withAttached(node: RawObject, cluster: Cluster): RawObject {
  const names = cluster
    .list('VolumeAttachment')
    .filter(
      (attachment) =>
        textAt(attachment, 'spec', 'nodeName') === node.metadata.name &&
        valueAt(attachment, 'status', 'attached') === true,
    )
    .map((attachment) => {
      const volume = cluster.get(
        'PersistentVolume',
        undefined,
        textAt(attachment, 'spec', 'source', 'persistentVolumeName'),
      );
      const { driver, handle } = sourceOf(volume);
      return `kubernetes.io/csi/${driver || textAt(attachment, 'spec', 'attacher')}^${handle}`;
    })
    .sort();
  return {
    ...node,
    status: {
      ...(node['status'] as object),
      volumesAttached: names.map((name) => ({ devicePath: '', name })),
      volumesInUse: names,
    },
  };
}
