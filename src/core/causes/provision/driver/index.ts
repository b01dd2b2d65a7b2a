import type { Rule } from '../../lib/rule.ts';
import type { StorageClass } from '../../../kube/kinds.ts';
import { provisionFstypeDuplicate } from '../provision-fstype-duplicate.ts';
import {
  provisionSecretMissing,
  provisionSecretParamsIncomplete,
  provisionSecretTemplateInvalid,
} from '../provision-secrets.ts';
import { provisionUnknownCsiParameter } from '../provision-unknown-csi-parameter.ts';
import { provisionerCrashloop } from '../provisioner-crashloop.ts';
import { provisionerDriverNotReady } from '../provisioner-driver-not-ready.ts';
import { provisionerInTreeRemoved } from '../provisioner-in-tree-removed.ts';
import { provisionerLeaderStale } from '../provisioner-leader-stale.ts';
import { provisionerMigratedDriverMissing } from '../provisioner-migrated-driver-missing.ts';
import { provisionerNotRunning } from '../provisioner-not-running.ts';
import { provisionerUnknown } from '../provisioner-unknown.ts';
import { attacherNotRunningOfDriver } from './attacher-of-driver.ts';
import { localPvImmediateClassOfClass } from '../local-pv-immediate-class.ts';
import { ofClass, ofDriver } from './of-class.ts';
import { sidecarLostConnection, sidecarLostConnectionOfClass } from './sidecar-lost-connection.ts';

/** A secret whose name depends on the claim is no matter of the class. */
function namesSecretsItself({ parameters = {} }: StorageClass): boolean {
  return !Object.entries(parameters).some(([key, value]) => /secret/i.test(key) && value.includes('$'));
}

const alive = [provisionerCrashloop, provisionerNotRunning, provisionerDriverNotReady, provisionerLeaderStale];

/** Asked about a class: all that any claim of it would meet, in the same order. */
const classRules: readonly Rule[] = [
  localPvImmediateClassOfClass,
  ...[provisionerInTreeRemoved, provisionerMigratedDriverMissing, provisionerUnknown].map((rule) => ofClass(rule)),
  ...alive.map((rule) => ofClass(rule)),
  sidecarLostConnectionOfClass,
  ...[provisionFstypeDuplicate, provisionSecretParamsIncomplete].map((rule) => ofClass(rule)),
  ...[provisionSecretTemplateInvalid, provisionSecretMissing].map((rule) => ofClass(rule, namesSecretsItself)),
  ofClass(provisionUnknownCsiParameter),
];

/** Asked about a driver: whether its controllers are alive. */
export const driverRules: readonly Rule[] = [
  ...classRules,
  sidecarLostConnection,
  ...alive.map(ofDriver),
  attacherNotRunningOfDriver,
];
