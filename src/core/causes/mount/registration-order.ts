import type { Rule } from '../lib/rule.ts';
import {
  csidriverObjectMissing,
  csidriverObjectMissingAtAttach,
  csinodeLimitSuspicious,
  csinodeMigratedAnnotation,
  csinodeMigratedAnnotationAtAttach,
  csinodeStaleOwner,
  csinodeStaleOwnerAtAttach,
} from './csinode-advice.ts';
import { csinodeMissing } from './csinode-missing.ts';
import { csinodeTopologyLabelMissing } from './csinode-topology-label-missing.ts';
import { driverDaemonsetPodUnhealthy } from './driver-daemonset-pod-unhealthy.ts';
import { driverLivenessRestart } from './driver-liveness-restart.ts';
import { driverNameMismatch } from './driver-name-mismatch.ts';
import { driverNotOnNode } from './driver-not-on-node.ts';
import { nodeNotReady } from './node-not-ready.ts';
import {
  driverNodegetinfoFailed,
  driverNodeidEmpty,
  driverNodeUpdateDenied,
  driverRegistrationFailed,
  driverTopologyCollision,
  driverVersionConflict,
} from './registration-refused.ts';
import { driverRegistrationPathWrong, driverRegistrationSilent } from './registration-unseen.ts';

/** In the order of judgement: the node, its CSINode, the pod of the driver, the registration. */
const byStage = [
  csinodeMissing,
  nodeNotReady,
  driverNameMismatch,
  driverDaemonsetPodUnhealthy,
  driverNodeidEmpty,
  driverTopologyCollision,
  driverVersionConflict,
  driverNodeUpdateDenied,
  driverNodegetinfoFailed,
  driverRegistrationFailed,
  driverRegistrationPathWrong,
  driverRegistrationSilent,
  driverNotOnNode,
];

/** The driver is at work on the node: before anything else that could keep a volume from being mounted. Advice speaks first. */
export const registrationRules: readonly Rule[] = [
  ...csinodeStaleOwner,
  csinodeLimitSuspicious,
  ...csidriverObjectMissing,
  csinodeMigratedAnnotation,
  ...driverLivenessRestart.atMount,
  ...byStage.flatMap(({ atMount }) => atMount),
  ...csinodeTopologyLabelMissing,
];

/** The same for what waits to be attached, which does not need the driver's pod yet, only its registration. */
export const registrationRulesAtAttach: readonly Rule[] = [
  ...csinodeStaleOwnerAtAttach,
  ...csidriverObjectMissingAtAttach,
  csinodeMigratedAnnotationAtAttach,
  ...byStage.flatMap(({ atAttach }) => atAttach),
];
