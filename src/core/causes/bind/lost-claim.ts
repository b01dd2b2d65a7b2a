import type { PresentClaim } from '../../facts/claim/claim-case.ts';

/**
 * The claim was bound once and is no longer; the controller notices at its next sync (pv_controller syncBoundClaim).
 */
export function hasLostVolume(c: PresentClaim): boolean {
  return c.isLost || (!c.isBound && c.wasBound);
}
