import { mergeObjects } from '../../core/kube/merge-objects.ts';
import { bytesOf } from '../../core/kube/quantity.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { runningSidecar } from './sidecars.ts';
import { isBound, isLeaving, volumeOf } from './storage-objects.ts';

/** The snapshot controller and the snapshotters: a content for each snapshot of a bound claim, ready at once. */
export function takeSnapshots({ cluster }: Workplace): void {
  if (runningSidecar(cluster, 'snapshot-controller') === undefined) return;
  for (const snapshot of cluster.list('VolumeSnapshot')) {
    if (isLeaving(snapshot) || valueAt(snapshot, 'status', 'readyToUse') === true) continue;
    const claim = cluster.get(
      'PersistentVolumeClaim',
      snapshot.metadata.namespace,
      textAt(snapshot, 'spec', 'source', 'persistentVolumeClaimName'),
    );
    const volume = claim && isBound(claim) ? volumeOf(claim, cluster) : undefined;
    const driver = textAt(volume, 'spec', 'csi', 'driver');
    const snapshotClass = classFor(snapshot, driver, cluster);
    if (volume === undefined || snapshotClass === undefined) continue;
    if (runningSidecar(cluster, 'csi-snapshotter', driver) !== undefined)
      take(snapshot, volume, snapshotClass, cluster);
  }
}

function classFor(snapshot: RawObject, driver: string, cluster: Cluster): RawObject | undefined {
  const named = textAt(snapshot, 'spec', 'volumeSnapshotClassName');
  const isDefault = (candidate: RawObject): boolean =>
    textAt(candidate, 'metadata', 'annotations', 'snapshot.storage.kubernetes.io/is-default-class') === 'true';
  return cluster
    .list('VolumeSnapshotClass')
    .find(
      (candidate) =>
        textAt(candidate, 'driver') === driver &&
        (named === '' ? isDefault(candidate) : candidate.metadata.name === named),
    );
}

function take(snapshot: RawObject, volume: RawObject, snapshotClass: RawObject, cluster: Cluster): void {
  const { apiVersion, kind, metadata } = snapshot;
  const { name, namespace, uid = '' } = metadata;
  const restoreSize = textAt(volume, 'spec', 'capacity', 'storage');
  const contentName = `snapcontent-${uid}`;
  cluster.put({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: contentName,
      finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
    },
    spec: {
      deletionPolicy: textAt(snapshotClass, 'deletionPolicy') || 'Delete',
      driver: textAt(snapshotClass, 'driver'),
      source: { volumeHandle: textAt(volume, 'spec', 'csi', 'volumeHandle') },
      volumeSnapshotClassName: snapshotClass.metadata.name,
      volumeSnapshotRef: { apiVersion, kind, name, namespace, uid },
    },
    status: {
      readyToUse: true,
      creationTime: cluster.now * 1e6,
      restoreSize: Number(bytesOf(restoreSize)),
      snapshotHandle: `snap-${uid.slice(0, 8)}`,
    },
  });
  cluster.put(
    mergeObjects(snapshot, {
      status: {
        boundVolumeSnapshotContentName: contentName,
        creationTime: cluster.timestamp,
        readyToUse: true,
        restoreSize,
      },
    }) as RawObject,
  );
}
