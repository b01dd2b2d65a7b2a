import { compareQuantities } from '../model/quantity.ts';
import { conditionOf } from './pod-state.ts';
import { open } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ClaimCase } from './claim-case.ts';

/** A bound claim that asks for more than it has. */
export function isExpanding(c: ClaimCase): boolean {
  const { claim } = c;
  if (!claim || !c.isBound || claim.metadata.deletionTimestamp !== undefined) return false;
  return compareQuantities(c.request, claim.status?.capacity?.['storage']) > 0 || Object.keys(claim.status?.allocatedResourceStatuses ?? {}).length > 0;
}

export function assessExpand(c: ClaimCase): Assessment {
  const { claim } = c;
  const conditions = claim?.status?.conditions;
  const since = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'].map((type) => conditionOf(conditions, type)?.lastTransitionTime).find((time) => time !== undefined);
  return open(`grows from ${claim?.status?.capacity?.['storage'] ?? 'an unknown size'} to ${c.request ?? 'an unknown size'}`, since, 60);
}

/** A bound claim that asks for another attributes class than it has. */
export function isModifying(c: ClaimCase): boolean {
  const { claim } = c;
  if (!claim || !c.isBound || claim.metadata.deletionTimestamp !== undefined) return false;
  const wanted = claim.spec?.volumeAttributesClassName ?? '';
  return claim.status?.modifyVolumeStatus !== undefined || (wanted !== '' && wanted !== (claim.status?.currentVolumeAttributesClassName ?? ''));
}

export function assessModify(c: ClaimCase): Assessment {
  const { claim } = c;
  const since = ['ModifyingVolume', 'ModifyVolumeError'].map((type) => conditionOf(claim?.status?.conditions, type)?.lastTransitionTime).find((time) => time !== undefined);
  return open(`changes to attributes class ${claim?.spec?.volumeAttributesClassName ?? 'none'}`, since, 120);
}
