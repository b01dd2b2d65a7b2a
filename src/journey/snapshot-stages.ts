import { open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from './object-case.ts';

/** A snapshot is taken and ready, or on its way out. */
export function assessSnapshot(s: ObjectCase<'VolumeSnapshot'>): Assessment {
  const { metadata, status } = s.object;
  if (s.isTerminating) return open(`held by ${s.finalizers.join(', ') || 'no finalizer'}`, metadata.deletionTimestamp, 60);
  return status?.readyToUse === true ? passed('ready to use') : open('not ready to use', metadata.creationTimestamp, 60);
}

export function assessContent(c: ObjectCase<'VolumeSnapshotContent'>): Assessment {
  const { metadata, status } = c.object;
  if (c.isTerminating) return open(`held by ${c.finalizers.join(', ') || 'no finalizer'}`, metadata.deletionTimestamp, 60);
  return status?.readyToUse === true ? passed('ready to use') : open('not ready to use', metadata.creationTimestamp, 60);
}
