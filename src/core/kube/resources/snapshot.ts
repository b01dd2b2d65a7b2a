import type { Resource } from './resource.ts';

const snapshot = { group: 'snapshot.storage.k8s.io', versions: ['v1'], isOptional: true } as const;
const groupSnapshot = {
  group: 'groupsnapshot.storage.k8s.io',
  versions: ['v1', 'v1beta2', 'v1beta1'],
  isOptional: true,
} as const;

/** Snapshots of volumes and of groups of volumes. */
export const snapshotResources: readonly Resource[] = [
  {
    kind: 'VolumeSnapshot',
    name: 'volumesnapshots',
    ...snapshot,
    namespaced: true,
    aliases: ['volumesnapshot', 'vs', 'snapshot'],
    tells: 'whether the snapshot exists and is ready',
  },
  {
    kind: 'VolumeSnapshotContent',
    name: 'volumesnapshotcontents',
    ...snapshot,
    namespaced: false,
    aliases: ['volumesnapshotcontent', 'vsc'],
    tells: 'whether the content of the snapshot exists',
  },
  {
    kind: 'VolumeSnapshotClass',
    name: 'volumesnapshotclasses',
    ...snapshot,
    namespaced: false,
    aliases: ['volumesnapshotclass', 'vsclass'],
    tells: 'whether the snapshot class exists',
  },
  {
    kind: 'VolumeGroupSnapshot',
    name: 'volumegroupsnapshots',
    ...groupSnapshot,
    namespaced: true,
    aliases: ['volumegroupsnapshot', 'vgs'],
    tells: 'whether the group of snapshots exists and is ready',
  },
  {
    kind: 'VolumeGroupSnapshotContent',
    name: 'volumegroupsnapshotcontents',
    ...groupSnapshot,
    namespaced: false,
    aliases: ['volumegroupsnapshotcontent', 'vgsc'],
    tells: 'whether the content of the group of snapshots exists',
  },
];
