import type { Rule } from '../lib/rule.ts';
import { classEmptyString } from '../claim/class-empty-string.ts';
import { localPvImmediateClass } from '../provision/driver/local-pv-immediate-class.ts';
import { pvcLostMisbound, pvcLostPvDeleted, pvcLostVolumeNameCleared } from './claim-lost.ts';
import { pvcVolumeNameMismatch, pvcVolumeNameNotFound } from './named-volume.ts';
import { pvControllerDown, pvControllerDownBeforeProvisioning } from './pv-controller-down.ts';
import {
  bindIncomplete,
  madeVacMismatch,
  madeVolumeModeMismatch,
  pvPreboundStolen,
  pvPreboundUnmatched,
  reservedNoCapacity,
} from './reserved-volume.ts';
import { staticNoCandidatePv } from './static-no-candidate-pv.ts';
import {
  pvAccessModesMismatch,
  pvCapacityTooSmall,
  pvClassMismatch,
  pvNoCapacity,
  pvPhaseNotAvailable,
  pvSelectorMismatch,
  pvTerminatingCandidate,
  pvVacMismatch,
  pvVolumeModeMismatch,
} from './volume-mismatch.ts';
import {
  pvcVolumeNameClaimedByOther,
  pvClaimedByOther,
  pvReleasedStaleClaimRef,
  pvReservedForAbsentClaim,
  volumeReservedForAbsentClaim,
} from './volume-taken.ts';

/**
 * A volume and the claim find each other: in the order of judgement. What was lost, then what either side names, then
 * the search; of the causes in the search at most one blocks, that of the closest volume.
 */
export const bindStageRules: readonly Rule[] = [
  // Advice: it has to speak before anything proves the stage blocked.
  localPvImmediateClass,
  pvcLostVolumeNameCleared,
  pvcLostPvDeleted,
  pvcLostMisbound,
  pvcVolumeNameNotFound,
  reservedNoCapacity,
  pvcVolumeNameMismatch,
  pvReleasedStaleClaimRef,
  pvcVolumeNameClaimedByOther,
  madeVolumeModeMismatch,
  madeVacMismatch,
  pvPreboundUnmatched,
  pvControllerDownBeforeProvisioning,
  pvControllerDown,
  bindIncomplete,
  pvReservedForAbsentClaim,
  volumeReservedForAbsentClaim,
  pvClassMismatch,
  classEmptyString,
  pvSelectorMismatch,
  pvAccessModesMismatch,
  pvNoCapacity,
  pvCapacityTooSmall,
  pvVacMismatch,
  pvVolumeModeMismatch,
  pvPhaseNotAvailable,
  pvTerminatingCandidate,
  pvClaimedByOther,
  staticNoCandidatePv,
  pvPreboundStolen,
];
