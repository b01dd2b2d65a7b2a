import type { VolumeUse } from '../../facts/volume/volume-use.ts';

const sources = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'fc',
  'flexVolume',
  'gcePersistentDisk',
  'glusterfs',
  'hostPath',
  'iscsi',
  'local',
  'nfs',
  'portworxVolume',
  'rbd',
  'vsphereVolume',
  'gitRepo',
] as const;

/** The field that says what kind of volume it is; undefined for a CSI volume and for a kind not listed here. */
export function sourceOf(use: VolumeUse | undefined): string | undefined {
  const holder = use?.volumeObject?.spec ?? use?.podVolume ?? {};
  const fields = new Set(Object.entries(holder).flatMap(([key, value]) => (value === undefined ? [] : [key])));
  return sources.find((source) => fields.has(source));
}
