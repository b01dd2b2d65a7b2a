import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { field } from '../../facts/evidence.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { deleterOf, deletingController, isToBeDeleted, lastHeard, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const startSeconds = 20;

/**
 * The provisioner deletes as well as makes (lib syncVolume): without it a released volume waits for ever, and so does
 * one that carries its finalizer, whatever its policy.
 */
function explainTrouble(v: VolumeSubject, kinds: readonly SidecarTrouble['kind'][]): Explanation | undefined {
  const isHeld = v.isTerminating && v.finalizers.includes(provisionerFinalizer) && v.object.status?.phase !== 'Bound';
  const deleter = deleterOf(v.object);
  if (deleter === undefined || (!isToBeDeleted(v) && !isHeld) || waitedSeconds(v) < startSeconds) return undefined;
  const controller = deletingController(v, deleter);
  if (isNodeDeployed(controller)) return undefined;
  const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
  if (!trouble || !kinds.includes(trouble.kind)) return undefined;
  return {
    confidence: trouble.confidence,
    about: deleter,
    summary: `the provisioner of ${deleter} ${trouble.words}, so nobody deletes released volumes`,
    evidence: [field(v.object, 'status.phase'), ...trouble.evidence],
    fix: trouble.fix,
  };
}

/** With --node-deployment there is one on each node, and no lease. */
export function isNodeDeployed(controller: DriverController): boolean {
  const specs = [...controller.pods.items.map((pod) => pod.spec), controller.workload?.object?.spec?.template?.spec];
  return specs.some((spec) => (flagOf(sidecarOf(spec, 'provisioner'), 'node-deployment') ?? 'false') !== 'false');
}

export const deleterCrashloop = objectRule('PersistentVolume', {
  cause: 'provisioner-crashloop',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainTrouble(v, ['crashing']),
});
export const deleterNotRunning = objectRule('PersistentVolume', {
  cause: 'provisioner-not-running',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainTrouble(v, ['down']),
});
export const deleterLeaderStale = objectRule('PersistentVolume', {
  cause: 'provisioner-leader-stale',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainTrouble(v, ['idle']),
});
