import type { Resource } from './resource.ts';

const storage = { group: 'storage.k8s.io', versions: ['v1'] } as const;

/** The kinds of storage.k8s.io. */
export const storageResources: readonly Resource[] = [
  {
    kind: 'StorageClass',
    name: 'storageclasses',
    ...storage,
    namespaced: false,
    aliases: ['storageclass', 'sc', 'class'],
    tells: 'whether the class exists and how it binds',
  },
  {
    kind: 'CSIDriver',
    name: 'csidrivers',
    ...storage,
    namespaced: false,
    aliases: ['csidriver', 'driver'],
    tells: 'whether the driver is installed',
  },
  {
    kind: 'CSINode',
    name: 'csinodes',
    ...storage,
    namespaced: false,
    aliases: ['csinode'],
    isMany: true,
    tells: 'on which nodes the driver is registered',
  },
  {
    kind: 'CSIStorageCapacity',
    name: 'csistoragecapacities',
    ...storage,
    versions: ['v1', 'v1beta1'],
    namespaced: true,
    aliases: ['csistoragecapacity', 'capacity'],
    isOptional: true,
    isMany: true,
    tells: 'how much space the driver has where',
  },
  {
    kind: 'VolumeAttachment',
    name: 'volumeattachments',
    ...storage,
    namespaced: false,
    aliases: ['volumeattachment', 'va', 'attachment'],
    isMany: true,
    tells: 'which volumes are attached to which nodes',
  },
  {
    kind: 'VolumeAttributesClass',
    name: 'volumeattributesclasses',
    ...storage,
    versions: ['v1', 'v1beta1'],
    namespaced: false,
    aliases: ['volumeattributesclass', 'vac'],
    isOptional: true,
    tells: 'whether the volume attributes class exists',
  },
];
