import type { Rule } from '../lib/rule.ts';
import { provisionAccessmodeCombination } from './provision-accessmode-combination.ts';
import { provisionBlockUnsupported } from './provision-block-unsupported.ts';
import { provisionCapabilityMissing } from './provision-capability-missing.ts';
import { provisionFstypeDuplicate } from './provision-fstype-duplicate.ts';
import { provisionInTreeFailed } from './provision-in-tree-failed.ts';
import { provisionNodeDeploymentUnowned } from './provision-node-deployment-unowned.ts';
import { provisionPvNameTaken } from './provision-pv-name-taken.ts';
import {
  provisionSecretMissing,
  provisionSecretParamsIncomplete,
  provisionSecretTemplateInvalid,
} from './provision-secrets.ts';
import { provisionSelectorUnsupported } from './provision-selector-unsupported.ts';
import {
  provisionCsinodeNotFound,
  provisionNoTopology,
  provisionTopologyKeyMissing,
  provisionTopologyLabelMissing,
  provisionTopologyNotAllowed,
} from './provision-topology.ts';
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
import { driverRules } from './driver/index.ts';
import { rpcRules } from './rpc/index.ts';
import { dataSourceRules } from './data-source-rules.ts';

/** The class names somebody who could provision here. */
const usableRules: readonly Rule[] = [
  provisionerInTreeRemoved,
  provisioningDisabled,
  provisionerAnnotationMismatch,
  provisionerMigratedDriverMissing,
  provisionerUnknown,
  provisionPvNameTaken,
];

/** That one lives, and leads. */
const aliveRules: readonly Rule[] = [
  provisionNodeDeploymentUnowned,
  provisionerCrashloop,
  provisionerNotRunning,
  provisionerDriverNotReady,
  provisionerLeaderStale,
  provisionerRbac,
];

/** The claim and its class ask for nothing that is refused before the driver is called. */
const classRules: readonly Rule[] = [
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

/** There is a place where the volume may be. */
const topologyRules: readonly Rule[] = [
  provisionCsinodeNotFound,
  provisionTopologyKeyMissing,
  provisionTopologyLabelMissing,
  provisionTopologyNotAllowed,
  provisionNoTopology,
];

/** The driver makes a volume: in the order of judgement; who is silent is blamed last. */
export const provisionStageRules: readonly Rule[] = [
  ...usableRules,
  ...dataSourceRules,
  ...aliveRules,
  ...classRules,
  ...topologyRules,
  ...rpcRules,
  provisionInTreeFailed,
  provisionerSilent,
  ...driverRules,
];
