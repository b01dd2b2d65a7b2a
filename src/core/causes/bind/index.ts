import type { Rule } from '../lib/rule.ts';
import { localPvImmediateClass } from '../provision/local-pv-immediate-class.ts';
import { bindIncomplete } from './bind-incomplete.ts';
import { classEmptyString } from './class-empty-string.ts';
import { pvAccessModesMismatch } from './pv-accessmodes-mismatch.ts';
import { pvCapacityTooSmall } from './pv-capacity-too-small.ts';
import { pvClaimedByOther } from './pv-claimed-by-other.ts';
import { pvClassMismatch } from './pv-class-mismatch.ts';
import {
  pvControllerDown,
  pvControllerDownBeforeProvisioning,
  pvControllerDownForVolume,
} from './pv-controller-down.ts';
import { pvNoCapacity, reservedNoCapacity } from './pv-no-capacity.ts';
import { pvPhaseNotAvailable } from './pv-phase-not-available.ts';
import { pvPreboundStolen } from './pv-prebound-stolen.ts';
import { pvPreboundUnmatched } from './pv-prebound-unmatched.ts';
import { pvReleasedStaleClaimRef } from './pv-released-stale-claimref.ts';
import { pvReservedForAbsentClaim, volumeReservedForAbsentClaim } from './pv-reserved-for-absent-claim.ts';
import { pvSelectorMismatch } from './pv-selector-mismatch.ts';
import { pvTerminatingCandidate } from './pv-terminating-candidate.ts';
import { madeVacMismatch, pvVacMismatch } from './pv-vac-mismatch.ts';
import { madeVolumeModeMismatch, pvVolumeModeMismatch } from './pv-volumemode-mismatch.ts';
import { pvcLostMisbound } from './pvc-lost-misbound.ts';
import { pvcLostPvDeleted } from './pvc-lost-pv-deleted.ts';
import { pvcLostVolumeNameCleared } from './pvc-lost-volumename-cleared.ts';
import { pvcVolumeNameClaimedByOther } from './pvc-volumename-claimed-by-other.ts';
import { pvcVolumeNameMismatch } from './pvc-volumename-mismatch.ts';
import { pvcVolumeNameNotFound } from './pvc-volumename-not-found.ts';
import { staticNoCandidatePv } from './static-no-candidate-pv.ts';

/**
 * A volume and the claim are bound. In the order of judgement: what was lost, then what either side names, then the
 * search; of the causes in the search at most one blocks, that of the closest volume.
 */
export const bindStageRules: readonly Rule[] = [
  // Advice comes first: a proven cause ends the search through its stage.
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
  pvControllerDownForVolume,
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
