import { notApplicable, open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from '../facts/object-case.ts';
import { conditionOf } from '../facts/pod/pod-state.ts';

/** A volume is available, bound, or being deleted. */
export function assessVolume(v: ObjectCase<'PersistentVolume'>): Assessment {
  const { metadata, spec, status } = v.object;
  if (v.isTerminating)
    return open(`held by ${v.finalizers.join(', ') || 'no finalizer'}`, metadata.deletionTimestamp, 60);
  const since = status?.lastPhaseTransitionTime ?? metadata.creationTimestamp;
  if (status?.phase === 'Released')
    return open(`released by its claim, policy ${spec?.persistentVolumeReclaimPolicy ?? 'Retain'}`, since, 120);
  if (status?.phase === 'Failed') return open(`could not be reclaimed: ${status.message ?? 'no message'}`, since, 0);
  if (status?.phase === 'Pending')
    return open('not processed by the volume controller yet', metadata.creationTimestamp, 60);
  return passed(
    spec?.claimRef?.name && status?.phase === 'Bound'
      ? `bound to pvc/${spec.claimRef.name} in ${spec.claimRef.namespace ?? ''}`
      : (status?.phase ?? 'no phase'),
  );
}

export function assessAttributesClass(c: ObjectCase<'VolumeAttributesClass'>): Assessment {
  return c.isTerminating
    ? open(`held by ${c.finalizers.join(', ') || 'no finalizer'}`, c.object.metadata.deletionTimestamp, 30)
    : passed(`for ${c.object.driverName ?? 'no driver'}`);
}

export function assessNamespace(n: ObjectCase<'Namespace'>): Assessment {
  if (!n.isTerminating && n.object.status?.phase !== 'Terminating') return notApplicable('not being deleted');
  const left = leftovers
    .map((type) => conditionOf(n.object.status?.conditions, type))
    .find((condition) => condition?.status === 'True' && condition.message);
  return open(`being deleted${left ? `: ${left.message ?? ''}` : ''}`, n.object.metadata.deletionTimestamp, 60);
}

/** Conditions that report what the namespace controller still finds, the most informative first. */
const leftovers = [
  'NamespaceFinalizersRemaining',
  'NamespaceContentRemaining',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
];
