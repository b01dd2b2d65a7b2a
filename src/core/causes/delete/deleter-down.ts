import type { Fix } from '../../report/report.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { field } from '../../facts/evidence.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { deleterOf, deletingController, isHeldBy, isToBeDeleted, lastHeard, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const startSeconds = 20;

/**
 * The provisioner deletes volumes as well as it creates them (provisioner library syncVolume): without it a released
 * volume stays for ever, and so does one with its finalizer, whatever the policy.
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
    summary: `pv/${v.object.metadata.name} is released and not deleted: the provisioner of ${deleter} ${trouble.words}.`,
    evidence: [field(v.object, 'status.phase'), ...trouble.evidence],
    fix: adviseDeletion(v, trouble.fix),
  };
}

/** Whatever starts the provisioner lets it finish the deletion: the data is kept only by a change of the policy before. */
function adviseDeletion(v: VolumeSubject, fixes: readonly Fix[]): Fix[] {
  if (v.object.spec?.persistentVolumeReclaimPolicy !== 'Delete') return [...fixes];
  const isLooking = ({ command = '', commands = [command] }: Fix): boolean =>
    commands.every((each) => / (?:logs|describe|get|csi) /.test(each));
  const deleting = fixes.map((fix): Fix => {
    if (isLooking(fix)) return fix;
    return {
      ...fix,
      text: `${fix.text} The volume and its data are then deleted, as the deleted claim asks.`,
      risk: 'data-loss',
    };
  });
  const [first, ...others] = deleting;
  return [
    ...(first ? [first] : []),
    steps(`Before that, if the data is needed: keep it by setting the policy to Retain.`, [
      patchCommand(v.object, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
    ]),
    ...others,
  ];
}

/** With --node-deployment a provisioner runs on each node, and there is no lease. */
export function isNodeDeployed(controller: DriverController): boolean {
  const specs = [...controller.pods.items.map((pod) => pod.spec), controller.workload?.object?.spec?.template?.spec];
  return specs.some((spec) => (flagOf(sidecarOf(spec, 'provisioner'), 'node-deployment') ?? 'false') !== 'false');
}
