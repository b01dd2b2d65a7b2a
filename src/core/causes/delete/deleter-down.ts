import type { Explanation } from '../lib/rule.ts';
import { field } from '../../facts/evidence.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { troubleOf, whyNotDeleted } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { dataFirst } from './data-first.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { deleterOf, deletingController, isHeldBy, isToBeDeleted, lastHeard, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';

const startSeconds = 20;

/**
 * The provisioner deletes volumes as well as it creates them (provisioner library syncVolume): without it a released
 * volume stays permanently, and so does one with its finalizer, with any policy.
 */
export function explainDeleterDown(v: VolumeSubject, kind: SidecarTrouble['kind']): Explanation | undefined {
  const deleter = deleterOf(v.object);
  const isHeld = isHeldBy(v, provisionerFinalizer) && v.object.status?.phase !== 'Bound';
  if (deleter === undefined || (!isToBeDeleted(v) && !isHeld) || waitedSeconds(v) < startSeconds) return undefined;
  const controller = deletingController(v, deleter);
  if (isNodeDeployed(controller)) return undefined;
  const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
  if (trouble?.kind !== kind) return undefined;
  return {
    confidence: trouble.confidence,
    about: deleter,
    summary: `${releasedWords(v)} and is not deleted${whyNotDeleted(deleter, trouble)}.`,
    evidence: [
      field(v.object, 'status.phase'),
      field(v.object, 'spec.persistentVolumeReclaimPolicy'),
      ...trouble.evidence,
    ],
    fix: dataFirst(v.object, trouble.fix),
  };
}

/** With --node-deployment a provisioner runs on each node, and there is no lease. */
export function isNodeDeployed(controller: DriverController): boolean {
  const specs = [...controller.pods.items.map((pod) => pod.spec), controller.workload?.object?.spec?.template?.spec];
  return specs.some((spec) => (flagOf(sidecarOf(spec, 'provisioner'), 'node-deployment') ?? 'false') !== 'false');
}
