import type { Rule } from '../lib/rule.ts';
import { csidriverObjectMissing } from './csidriver-object-missing.ts';
import { csinodeLimitSuspicious } from './csinode-limit-suspicious.ts';
import { csinodeMigratedAnnotation } from './csinode-migrated-annotation.ts';
import { csinodeMissing } from './csinode-missing.ts';
import { csinodeStaleOwner } from './csinode-stale-owner.ts';
import { csinodeTopologyLabelMissing } from './csinode-topology-label-missing.ts';
import { driverDaemonsetPodUnhealthy } from './driver-daemonset-pod-unhealthy.ts';
import { driverLivenessRestart } from './driver-liveness-restart.ts';
import { driverNameMismatch } from './driver-name-mismatch.ts';
import { driverNotOnNode } from './driver-not-on-node.ts';
import { nodeNotReady } from './node-not-ready.ts';
import { driverNodegetinfoFailed } from './driver-nodegetinfo-failed.ts';
import { driverNodeidEmpty } from './driver-nodeid-empty.ts';
import { driverNodeUpdateDenied } from './driver-node-update-denied.ts';
import { driverRegistrationFailed } from './driver-registration-failed.ts';
import { driverRegistrationPathWrong } from './driver-registration-path-wrong.ts';
import { driverRegistrationSilent } from './driver-registration-silent.ts';
import { driverTopologyCollision } from './driver-topology-collision.ts';
import { driverVersionConflict } from './driver-version-conflict.ts';

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
  driverRegistrationPathWrong,
  driverNodegetinfoFailed,
  driverRegistrationFailed,
  driverRegistrationSilent,
  driverNotOnNode,
];

/**
 * The driver works on the node: judged before anything else that could keep a volume from being mounted. Advice comes
 * first.
 */
export const registrationRules: readonly Rule[] = [
  ...csinodeStaleOwner.atMount,
  csinodeLimitSuspicious,
  ...csidriverObjectMissing.atMount,
  ...csinodeMigratedAnnotation.atMount,
  ...driverLivenessRestart.atMount,
  ...byStage.flatMap(({ atMount }) => atMount),
  ...csinodeTopologyLabelMissing,
];

/** The same for a volume that waits to be attached, which needs the driver's registration, but not its pod yet. */
export const registrationRulesAtAttach: readonly Rule[] = [
  ...csinodeStaleOwner.atAttach,
  ...csidriverObjectMissing.atAttach,
  ...csinodeMigratedAnnotation.atAttach,
  ...byStage.flatMap(({ atAttach }) => atAttach),
];
