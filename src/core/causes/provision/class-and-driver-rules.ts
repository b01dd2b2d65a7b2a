import type { StorageClass } from '../../kube/kinds.ts';
import type { Rule } from '../lib/rule.ts';
import { attacherNotRunningOfDriver } from './attach-attacher-not-running.ts';
import { ofClass, ofDriver } from './imagined-claim.ts';
import { localPvImmediateClassOfClass } from './local-pv-immediate-class.ts';
import { provisionFstypeDuplicate } from './provision-fstype-duplicate.ts';
import { provisionSecretMissing } from './provision-secret-missing.ts';
import { provisionSecretParamsIncomplete } from './provision-secret-params-incomplete.ts';
import { provisionSecretTemplateInvalid } from './provision-secret-template-invalid.ts';
import { provisionUnknownCsiParameter } from './provision-unknown-csi-parameter.ts';
import { provisionerCrashloop } from './provisioner-crashloop.ts';
import { provisionerDriverNotReady } from './provisioner-driver-not-ready.ts';
import { provisionerInTreeRemoved } from './provisioner-in-tree-removed.ts';
import { provisionerLeaderStale } from './provisioner-leader-stale.ts';
import { provisionerMigratedDriverMissing } from './provisioner-migrated-driver-missing.ts';
import { provisionerNotRunning } from './provisioner-not-running.ts';
import { provisionerUnknown } from './provisioner-unknown.ts';
import { sidecarLostConnection, sidecarLostConnectionOfClass } from './sidecar-lost-connection.ts';

/** A secret whose name depends on the claim cannot be judged for the class alone. */
function hasFixedSecrets({ parameters = {} }: StorageClass): boolean {
  return !Object.entries(parameters).some(([key, value]) => /secret/i.test(key) && value.includes('$'));
}

const aliveRules = [provisionerCrashloop, provisionerNotRunning, provisionerDriverNotReady, provisionerLeaderStale];

/** For a StorageClass: everything that any claim of it would meet, in the same order. */
const classRules: readonly Rule[] = [
  localPvImmediateClassOfClass,
  ...[provisionerInTreeRemoved, provisionerMigratedDriverMissing, provisionerUnknown].map((rule) => ofClass(rule)),
  ...aliveRules.map((rule) => ofClass(rule)),
  sidecarLostConnectionOfClass,
  ...[provisionFstypeDuplicate, provisionSecretParamsIncomplete].map((rule) => ofClass(rule)),
  ...[provisionSecretTemplateInvalid, provisionSecretMissing].map((rule) => ofClass(rule, hasFixedSecrets)),
  ofClass(provisionUnknownCsiParameter),
];

/** For a CSIDriver: whether its controllers run. */
const driverRules: readonly Rule[] = [sidecarLostConnection, ...aliveRules.map(ofDriver), attacherNotRunningOfDriver];

export const classAndDriverRules: readonly Rule[] = [...classRules, ...driverRules];
