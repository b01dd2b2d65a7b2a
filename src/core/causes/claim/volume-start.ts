import type { Inquiry } from '../../graph/inquiry.ts';

/** A volume that was created a moment ago has no phase yet, and may serve a claim as soon as it is Available. */
export function isVolumeStarting(ask: Inquiry): boolean {
  return ask.seen('PersistentVolume').some(({ status }) => (status?.phase ?? 'Pending') === 'Pending');
}
