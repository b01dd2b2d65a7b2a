import { bytesOf } from '../core/kube/quantity.ts';
import type { RawObject } from '../core/kube/snapshot.ts';
import type { VolumeUsage } from '../core/kube/volume-usage.ts';
import type { Cluster } from './cluster.ts';
import { listAt, textAt } from './fields.ts';

/** Unless it was measured, a third of every volume is in use, so that space is no problem of the demo. */
const usedShare = 3;

/** What the kubelet of a node answers to /stats/summary: the node itself, and the volumes of its running pods. */
export function statsSummary(
  node: RawObject,
  cluster: Cluster,
  measured: readonly VolumeUsage[] = [],
): Record<string, unknown> {
  const pods = cluster
    .list('Pod')
    .filter(
      (pod) => textAt(pod, 'spec', 'nodeName') === node.metadata.name && textAt(pod, 'status', 'phase') === 'Running',
    );
  return {
    node: {
      nodeName: node.metadata.name,
      startTime: node.metadata['creationTimestamp'],
      fs: spaceOf(textAt(node, 'status', 'capacity', 'ephemeral-storage'), cluster.timestamp),
    },
    pods: pods.map((pod) => ({
      podRef: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: pod.metadata.uid },
      startTime: textAt(pod, 'status', 'startTime'),
      volume: volumesOf(pod, cluster, measured),
    })),
  };
}

function volumesOf(pod: RawObject, cluster: Cluster, measured: readonly VolumeUsage[]): Record<string, unknown>[] {
  const { namespace } = pod.metadata;
  return listAt(pod, 'spec', 'volumes').flatMap((volume) => {
    const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
    const capacity = textAt(cluster.get('PersistentVolumeClaim', namespace, name), 'status', 'capacity', 'storage');
    if (name === '' || capacity === '') return [];
    const usage = measured.find((known) => known.namespace === namespace && known.claim === name);
    const space = { ...spaceOf(capacity, cluster.timestamp), ...(usage && measuredSpace(usage)) };
    return [{ ...space, name: textAt(volume, 'name'), pvcRef: { name, namespace } }];
  });
}

function measuredSpace({ bytes, inodes, at }: VolumeUsage): Record<string, unknown> {
  return {
    ...(at !== undefined && { time: at }),
    ...(bytes && { capacityBytes: bytes.total, usedBytes: bytes.used, availableBytes: bytes.free }),
    ...(inodes && { inodes: inodes.total, inodesUsed: inodes.used, inodesFree: inodes.free }),
  };
}

function spaceOf(capacity: string, time: string): Record<string, unknown> {
  const capacityBytes = Number(bytesOf(capacity));
  const usedBytes = Math.floor(capacityBytes / usedShare);
  const inodes = Math.floor(capacityBytes / 16_384);
  return {
    time,
    capacityBytes,
    usedBytes,
    availableBytes: capacityBytes - usedBytes,
    inodes,
    inodesUsed: Math.floor(inodes / usedShare),
    inodesFree: inodes - Math.floor(inodes / usedShare),
  };
}
