import type { Rule } from '../lib/rule.ts';
import { classAndDriverRules } from './class-and-driver-rules.ts';
import { dataSourceRules } from './data-source-rules.ts';
import { provisionAccessmodeCombination } from './provision-accessmode-combination.ts';
import { provisionAccessmodeUnsupported } from './provision-accessmode-unsupported.ts';
import { provisionAlreadyExists } from './provision-already-exists.ts';
import { provisionBlockUnsupported } from './provision-block-unsupported.ts';
import { provisionCapabilityMissing } from './provision-capability-missing.ts';
import { provisionClaimSaveFailed } from './provision-claim-save-failed.ts';
import { provisionContentSourceMissing } from './provision-content-source-missing.ts';
import { provisionCredentials } from './provision-credentials.ts';
import { provisionCsinodeNotFound } from './provision-csinode-not-found.ts';
import { provisionFstypeDuplicate } from './provision-fstype-duplicate.ts';
import { provisionInBackground } from './provision-in-background.ts';
import { provisionInTreeFailed } from './provision-in-tree-failed.ts';
import { provisionInfeasible } from './provision-infeasible.ts';
import { provisionInternal } from './provision-internal.ts';
import { provisionInvalidArgument } from './provision-invalid-argument.ts';
import { provisionNoTopology } from './provision-no-topology.ts';
import { provisionNodeDeploymentUnowned } from './provision-node-deployment-unowned.ts';
import { provisionOutOfRange } from './provision-out-of-range.ts';
import { provisionPvNameTaken } from './provision-pv-name-taken.ts';
import { provisionPvSaveFailed } from './provision-pv-save-failed.ts';
import { provisionResourceExhausted } from './provision-resource-exhausted.ts';
import { provisionSecretMissing } from './provision-secret-missing.ts';
import { provisionSecretParamsIncomplete } from './provision-secret-params-incomplete.ts';
import { provisionSecretTemplateInvalid } from './provision-secret-template-invalid.ts';
import { provisionSelectorUnsupported } from './provision-selector-unsupported.ts';
import { provisionSizeShort } from './provision-size-short.ts';
import { provisionSourceNotFound } from './provision-source-not-found.ts';
import { provisionTopologyKeyMissing } from './provision-topology-key-missing.ts';
import { provisionTopologyLabelMissing } from './provision-topology-label-missing.ts';
import { provisionTopologyNotAllowed } from './provision-topology-not-allowed.ts';
import { provisionUnimplemented } from './provision-unimplemented.ts';
import { provisionUnknownCsiParameter } from './provision-unknown-csi-parameter.ts';
import { provisionVacInvalid } from './provision-vac-invalid.ts';
import { provisionerAnnotationMismatch } from './provisioner-annotation-mismatch.ts';
import { provisionerCrashloop } from './provisioner-crashloop.ts';
import { provisionerDriverNotReady } from './provisioner-driver-not-ready.ts';
import { provisionerInTreeRemoved } from './provisioner-in-tree-removed.ts';
import { provisionerLeaderStale } from './provisioner-leader-stale.ts';
import { provisionerMigratedDriverMissing } from './provisioner-migrated-driver-missing.ts';
import { provisionerNotRunning } from './provisioner-not-running.ts';
import { provisionerRbac } from './provisioner-rbac.ts';
import { provisionerSilent } from './provisioner-silent.ts';
import { provisionerUnknown } from './provisioner-unknown.ts';
import { provisioningDisabled } from './provisioning-disabled.ts';

/** Whether the class names a provisioner that could work in this cluster. */
const usableRules: readonly Rule[] = [
  provisionClaimSaveFailed,
  provisionerInTreeRemoved,
  provisioningDisabled,
  provisionerAnnotationMismatch,
  provisionerMigratedDriverMissing,
  provisionerUnknown,
  provisionPvNameTaken,
];

/** Whether that provisioner runs, and leads. */
const aliveRules: readonly Rule[] = [
  provisionNodeDeploymentUnowned,
  provisionerCrashloop,
  provisionerNotRunning,
  provisionerDriverNotReady,
  provisionerLeaderStale,
  provisionerRbac,
];

/** Whether the claim or its class asks for something that is refused before the driver is called. */
const requestRules: readonly Rule[] = [
  provisionCapabilityMissing,
  provisionSelectorUnsupported,
  provisionFstypeDuplicate,
  provisionSecretParamsIncomplete,
  provisionSecretTemplateInvalid,
  provisionSecretMissing,
  provisionUnknownCsiParameter,
  provisionVacInvalid,
  provisionBlockUnsupported,
  provisionAccessmodeCombination,
];

/** Whether there is a place where the volume may be. */
const topologyRules: readonly Rule[] = [
  provisionCsinodeNotFound,
  provisionTopologyKeyMissing,
  provisionTopologyLabelMissing,
  provisionTopologyNotAllowed,
  provisionNoTopology,
];

/** What the driver answered to CreateVolume. One error has one kind, so at most one of these fires. */
const answerRules: readonly Rule[] = [
  provisionAccessmodeUnsupported,
  provisionInfeasible,
  provisionInvalidArgument,
  provisionOutOfRange,
  provisionUnimplemented,
  provisionCredentials,
  provisionResourceExhausted,
  provisionSourceNotFound,
  provisionAlreadyExists,
  provisionSizeShort,
  provisionContentSourceMissing,
  provisionPvSaveFailed,
  provisionInternal,
  provisionInBackground,
];

/** The driver creates a volume. In the order of judgement: a provisioner that reports nothing is blamed last. */
export const provisionStageRules: readonly Rule[] = [
  ...usableRules,
  ...dataSourceRules,
  ...aliveRules,
  ...requestRules,
  ...topologyRules,
  ...answerRules,
  provisionInTreeFailed,
  provisionerSilent,
  ...classAndDriverRules,
];
