import { field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import { deletionEvidence, provisionerFinalizer, removeFinalizerFix } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isHeldBy,
  lastHeard,
  policyOf,
  retainFix,
  secondsTerminating,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** How long an update of the volume may take, and how long the deletion in the backend. */
const updateSeconds = 30;
const deleteSeconds = 120;

/** A volume that the provisioner has not released. */
interface HeldVolume {
  readonly deleter: string | undefined;
  readonly trouble: SidecarTrouble | undefined;
  readonly phase: string;
  /** shouldDelete acts only on Released volumes with policy Delete, and this one is in another phase. */
  readonly isNeverTaken: boolean;
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
    const { deleter, trouble, isNeverTaken } = held;
    return {
      confidence: isNeverTaken || !trouble ? 'certain' : trouble.confidence,
      ...(trouble && deleter && { about: deleter }),
      summary: `pv/${v.name} is being deleted and still has ${provisionerFinalizer}: ${reasonWords(v, held)}`,
      evidence: evidenceOf(v, held),
      fix: fixesFor(v, held),
    };
  },
});

function findHeldVolume(v: VolumeSubject): HeldVolume | undefined {
  const { status } = v.object;
  if (!isHeldBy(v, provisionerFinalizer) || status?.phase === 'Bound') return undefined;
  const deleter = deleterOf(v.object);
  const trouble =
    deleter === undefined ? undefined : troubleOf(deletingController(v, deleter), v.now, lastHeard(v, deleter));
  const phase = status?.phase ?? 'unknown';
  const isNeverTaken = policyOf(v.object) === 'Delete' && phase !== 'Released';
  if (secondsTerminating(v) < (isNeverTaken ? updateSeconds : deleteSeconds)) return undefined;
  return { deleter, trouble, phase, isNeverTaken };
}

function reasonWords(v: VolumeSubject, { deleter, trouble, phase, isNeverTaken }: HeldVolume): string {
  const who = `the provisioner of ${deleter ?? 'its driver'}`;
  if (isNeverTaken) return `${who} deletes released volumes only, and this one is ${phase}`;
  if (trouble) return `${who} ${trouble.words}`;
  if (policyOf(v.object) === 'Delete') return `${who} has not deleted it in the backend`;
  return `${who} has not let go of it, though its policy is ${policyOf(v.object)}`;
}

function evidenceOf(v: VolumeSubject, { trouble, phase }: HeldVolume): Explanation['evidence'] {
  const said = deleteFailure(v, /[^]*/);
  return [
    ...deletionEvidence(v.object),
    field(v.object, 'status.phase', phase),
    field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
    ...(trouble?.evidence ?? []),
    ...(said ? [field(v.object, 'event VolumeFailedDelete', messageOf(said.event))] : []),
  ];
}

function fixesFor(v: VolumeSubject, held: HeldVolume): Fix[] {
  const handle = v.object.spec?.csi?.volumeHandle ?? 'see the volume';
  const either = held.isNeverTaken ? '' : 'or ';
  return [
    ...(held.isNeverTaken ? [] : repairFixes(v, held)),
    ...(policyOf(v.object) === 'Delete'
      ? [
          retainFix(
            v.name,
            `${either}keep what is in the backend (${handle}): with policy Retain the provisioner takes its finalizer off; clean the backend by hand afterwards`,
          ),
        ]
      : []),
    removeFinalizerFix(
      v.object,
      provisionerFinalizer,
      'only if the driver is gone for good, take the finalizer off by hand: nobody deletes the volume in the backend then',
    ),
  ];
}

function repairFixes(v: VolumeSubject, { deleter, trouble }: HeldVolume): readonly Fix[] {
  if (trouble) return trouble.fix;
  return deleter === undefined ? [] : [logsFix(deletingController(v, deleter))];
}
