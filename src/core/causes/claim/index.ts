import type { Rule } from '../lib/rule.ts';
import { classBetaAnnotationOverrides } from './class-beta-annotation-overrides.ts';
import { classDefaultAnnotationMalformed } from './class-default-annotation-malformed.ts';
import { classDefaultMultiple, classDefaultMultipleRefused } from './class-default-multiple.ts';
import { classNilNoDefault } from './class-nil-no-default.ts';
import { ephemeralPvcConflict, ephemeralPvcConflictOfClaim } from './ephemeral-pvc-conflict.ts';
import { ephemeralPvcCreateFailed } from './ephemeral-pvc-create-failed.ts';
import { ephemeralPvcPending } from './ephemeral-pvc-pending.ts';
import { podBoundPvMissing, podBoundPvSaidMissing } from './pod-bound-pv-missing.ts';
import { podPvcMissing } from './pod-pvc-missing.ts';
import { podPvcTerminating } from './pod-pvc-terminating.ts';
import { pvcCreateDeniedLimitrange } from './pvc-create-denied-limitrange.ts';
import { pvcCreateDeniedQuota } from './pvc-create-denied-quota.ts';
import { pvcCreateDeniedValidation } from './pvc-create-denied-validation.ts';
import { pvcCreateDeniedWebhook } from './pvc-create-denied-webhook.ts';
import { pvcDatasourceDropped } from './pvc-datasource-dropped.ts';
import { retroactiveDefaultBlocked } from './retroactive-default-blocked.ts';
import { retroactiveDefaultUnsupported } from './retroactive-default-unsupported.ts';
import { scMissing } from './sc-missing.ts';

/** Advice comes first: a proven cause ends the search through its stage. */
const advice: readonly Rule[] = [
  classBetaAnnotationOverrides,
  pvcDatasourceDropped,
  classDefaultMultiple,
  classDefaultAnnotationMalformed,
];

/**
 * Claims that were never created, in the order in which admission checks them; a pod that names a claim no controller
 * creates comes last.
 */
const neverMade: readonly Rule[] = [
  pvcCreateDeniedValidation,
  classDefaultMultipleRefused,
  pvcCreateDeniedLimitrange,
  pvcCreateDeniedQuota,
  pvcCreateDeniedWebhook,
  ephemeralPvcCreateFailed,
  ephemeralPvcPending,
  podPvcMissing,
];

/** The claim exists, and this pod cannot have it. Some of these explain later stages, and come first there. */
const notForThisPod: readonly Rule[] = [
  ephemeralPvcConflict,
  podPvcTerminating,
  ephemeralPvcConflictOfClaim,
  podBoundPvMissing,
  podBoundPvSaidMissing,
];

/** The claim exists and its class is settled: in the order of judgement. */
export const claimStageRules: readonly Rule[] = [
  ...advice,
  ...neverMade,
  ...notForThisPod,
  scMissing,
  classNilNoDefault,
  retroactiveDefaultUnsupported,
  retroactiveDefaultBlocked,
];
