import { eventSaid, field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { restartUnseen, startUnseen } from '../../facts/driver/controller-health.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { accountOfController } from '../../facts/rights.ts';
import { addRights, missingEvidence, missingRights, missingWords } from '../lib/missing-right.ts';
import type { MissingRights } from '../lib/missing-right.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { dataFirst, isAtRisk, retainFix } from './data-first.ts';
import { removeFinalizerFix } from './finalizer-fixes.ts';
import { deletionEvidence, provisionerFinalizer } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isHeldBy,
  lastHeard,
  secondsTerminating,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

/** How long the deletion in the backend may take. */
const deleteSeconds = 120;

/** A volume that the provisioner has not released. */
interface HeldVolume {
  readonly deleter: string | undefined;
  readonly trouble: SidecarTrouble | undefined;
  readonly phase: string;
  /** shouldDelete acts only on Released volumes with policy Delete, and this one is in another phase. */
  readonly isNeverTaken: boolean;
  /** The provisioner runs, and its account may not remove the finalizer. */
  readonly missing: MissingRights | undefined;
}

/**
 * provisioner library handleProtectionFinalizer: it comes off when the volume is deleted in the backend, or when the
 * policy becomes Retain.
 */
export const pvTerminatingProvisionerFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-provisioner-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const held = findHeldVolume(v);
    if (!held) return undefined;
    const { deleter, trouble } = held;
    return {
      confidence: confidenceOf(held),
      ...(trouble && deleter && { about: deleter }),
      summary: `${deletedVolumeWords(v)} and still has finalizer ${provisionerFinalizer}: ${reasonWords(v, held)}.`,
      evidence: evidenceOf(v, held),
      fix: fixesFor(v, held),
    };
  },
});

function confidenceOf({ missing, trouble, isNeverTaken }: HeldVolume): Confidence {
  if (missing) return 'likely';
  return isNeverTaken || !trouble ? 'certain' : trouble.confidence;
}

function findHeldVolume(v: VolumeSubject): HeldVolume | undefined {
  const { status } = v.object;
  if (!isHeldBy(v, provisionerFinalizer) || status?.phase === 'Bound') return undefined;
  const deleter = deleterOf(v.object);
  const trouble =
    deleter === undefined ? undefined : troubleOf(deletingController(v, deleter), v.now, lastHeard(v, deleter));
  const phase = status?.phase ?? 'unknown';
  const isNeverTaken = policyOf(v.object) === 'Delete' && phase !== 'Released';
  // Nothing changes the phase of a volume that no claim uses: waiting would not help.
  if (!isNeverTaken && secondsTerminating(v) < deleteSeconds) return undefined;
  const missing =
    deleter === undefined || trouble || isNeverTaken
      ? undefined
      : rightsOfProvisioner(v, deletingController(v, deleter));
  return { deleter, trouble, phase, isNeverTaken, missing };
}

/** The provisioner library patches or updates the volume, by its version, to remove its finalizer. */
function rightsOfProvisioner(v: VolumeSubject, controller: DriverController): MissingRights | undefined {
  const account = accountOfController(controller, controller.leader);
  const verbs = ['patch', 'update'];
  return account && missingRights(v.ask, account, [{ verbs, group: '', resource: 'persistentvolumes' }]);
}

function reasonWords(v: VolumeSubject, { deleter, trouble, phase, isNeverTaken, missing }: HeldVolume): string {
  const who = `the provisioner of ${deleter ?? 'its driver'}`;
  if (isNeverTaken) return `${who} deletes only volumes that are Released, and this one is ${phase}`;
  if (trouble) return `${who} ${trouble.words}`;
  if (missing) return `${who} is running and has to remove it, but ${missingWords(missing)}`;
  if (policyOf(v.object) === 'Delete') return `${who} has not deleted it in the backend and reports no error`;
  return `${who} has not removed it, although the policy is ${policyOf(v.object)}`;
}

function evidenceOf(v: VolumeSubject, { trouble, phase, missing }: HeldVolume): Explanation['evidence'] {
  const said = deleteFailure(v, /[^]*/);
  return [
    ...deletionEvidence(v.object),
    field(v.object, 'status.phase', phase),
    field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
    ...(trouble?.evidence ?? []),
    ...(missing ? missingEvidence(missing) : []),
    ...(said ? [eventSaid(v.object, said.event)] : []),
  ];
}

/** By hand the finalizer is removed only where no provisioner exists that could do it. */
function fixesFor(v: VolumeSubject, held: HeldVolume): Fix[] {
  const handle = v.object.spec?.csi?.volumeHandle ?? '';
  if (held.isNeverTaken)
    return [
      retainFix(
        v.name,
        'Set the policy to Retain: the provisioner then removes its finalizer and the object goes. ' +
          `Volume "${handle}" stays in the backend; delete it there by hand when it is no longer needed.`,
      ),
    ];
  const repair = dataFirst(v.object, repairFixes(v, held));
  if (held.trouble?.kind !== 'unseen') return repair;
  const atRisk = isAtRisk(v.object) ? v.object : undefined;
  const when = `the driver was uninstalled for good; volume "${handle}" is then deleted by hand in the backend`;
  return [...repair, removeFinalizerFix(v.object, provisionerFinalizer, atRisk, when)];
}

function repairFixes(v: VolumeSubject, { deleter, trouble, missing }: HeldVolume): readonly Fix[] {
  if (trouble) return trouble.fix;
  if (missing)
    return [
      addRights(
        missing,
        "the driver's release",
        'The provisioner then removes the finalizer of this volume and of later ones, at its next try.',
      ),
    ];
  const controller = deleter === undefined ? undefined : deletingController(v, deleter);
  const pod = controller?.leader ?? controller?.pods.items[0];
  if (!controller || !pod) {
    const who = `the provisioner of ${deleter ?? 'its driver'}`;
    return controller?.lease.state === 'fresh'
      ? [restartUnseen(who, 'A fresh process tries the deletion again at once.')]
      : [startUnseen(who)];
  }
  return [
    restartFix(pod, controller.workload, 'A fresh process tries the deletion again at once.'),
    logsFix(controller),
  ];
}
