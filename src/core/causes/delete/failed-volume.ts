import type { Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { policyOf } from './reclaim-policy.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** Phase, policy and message: what every finding about a volume that could not be reclaimed shows. */
export function stateEvidence(v: VolumeSubject): [Evidence, ...Evidence[]] {
  const { status } = v.object;
  return [
    field(v.object, 'status.phase', status?.phase, status?.lastPhaseTransitionTime),
    field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
    ...(status?.message ? [field(v.object, 'status.message')] : []),
  ];
}

const sources = [
  'nfs',
  'local',
  'hostPath',
  'iscsi',
  'fc',
  'rbd',
  'cephfs',
  'glusterfs',
  'flexVolume',
  'awsElasticBlockStore',
  'gcePersistentDisk',
  'azureDisk',
  'azureFile',
  'cinder',
  'vsphereVolume',
  'portworxVolume',
] as const;

/** The kind of an in-tree volume; completes "… volumes". */
export function sourceOf({ spec }: Volume): string {
  return sources.find((source) => spec?.[source] !== undefined) ?? 'such';
}
