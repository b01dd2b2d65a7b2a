import type { Rule } from '../lib/rule.ts';
import { classBetaAnnotationOverrides } from './class-beta-annotation-overrides.ts';
import { classDefaultAnnotationMalformed } from './class-default-annotation-malformed.ts';
import { classDefaultMultiple, classDefaultMultipleRefused } from './class-default-multiple.ts';
import { classNilNoDefault } from './class-nil-no-default.ts';
import { ephemeralPvcConflict, ephemeralPvcConflictOfClaim } from './ephemeral-pvc-conflict.ts';
import { ephemeralPvcCreateFailed, ephemeralPvcPending } from './ephemeral-pvc-create.ts';
import { podBoundPvMissing, podBoundPvSaidMissing } from './pod-bound-pv-missing.ts';
import { podPvcMissing } from './pod-pvc-missing.ts';
import { podPvcTerminating } from './pod-pvc-terminating.ts';
import { pvcCreateDeniedLimitrange } from './pvc-create-denied-limitrange.ts';
import { pvcCreateDeniedQuota } from './pvc-create-denied-quota.ts';
import { pvcCreateDeniedValidation } from './pvc-create-denied-validation.ts';
import { pvcCreateDeniedWebhook } from './pvc-create-denied-webhook.ts';
import { pvcDatasourceDropped } from './pvc-datasource-dropped.ts';
import { retroactiveDefaultBlocked, retroactiveDefaultUnsupported } from './retroactive-default.ts';
import { scMissing } from './sc-missing.ts';

/** Advice comes first: what is proven ends the search. */
const advice: readonly Rule[] = [
  classBetaAnnotationOverrides,
  pvcDatasourceDropped,
  classDefaultMultiple,
  classDefaultAnnotationMalformed,
];

/** In the order in which admission checks them; who named a claim that nobody makes comes last. */
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

/** A claim that is there, and that this pod cannot have. They speak of later stages too, and come first in those. */
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
