import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { messageOf } from '../../graph/events.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { giveBack } from '../bind/volume-taken.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { hasLost, namesakeOf } from './released-volume.ts';
import {
  deleteFailure,
  deleterOf,
  deletingController,
  isToBeDeleted,
  lastHeard,
  retainFix,
  stillAttached,
  waitedSeconds,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** How long the deletion in the backend may take. */
const deleteSeconds = 120;

/** A released volume that its driver should have deleted by now. */
interface PendingDeletion {
  readonly deleter: string;
  readonly controller: DriverController;
  readonly trouble: SidecarTrouble | undefined;
  /** A new claim that was bound to the volume, and would lose its data. */
  readonly lost: PresentClaim | undefined;
}

/**
 * Nothing proves what is wrong, but the volume should be gone by now (provisioner library shouldDelete acts at once).
 */
export const pvReleasedDeletePending = objectRule('PersistentVolume', {
  cause: 'pv-released-delete-pending',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const pending = findPendingDeletion(v);
    if (!pending) return undefined;
    return {
      confidence: pending.trouble?.confidence === 'certain' ? 'certain' : 'likely',
      about: pending.deleter,
      summary: summaryOf(v, pending),
      evidence: evidenceOf(v, pending),
      fix: fixesFor(v, pending),
    };
  },
});

function findPendingDeletion(v: VolumeSubject): PendingDeletion | undefined {
  const deleter = deleterOf(v.object);
  if (
    deleter === undefined ||
    v.object.status?.phase !== 'Released' ||
    !isToBeDeleted(v) ||
    waitedSeconds(v) < deleteSeconds
  )
    return undefined;
  const controller = deletingController(v, deleter);
  const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
  // An answer of the driver is a cause of its own; an event from when the volume was attached no longer counts.
  const said = deleteFailure(v, /[^]*/);
  if (said && !stillAttached.test(messageOf(said.event))) return undefined;
  const namesake = namesakeOf(v);
  return { deleter, controller, trouble, lost: namesake && hasLost(namesake, v) ? namesake : undefined };
}

function summaryOf(v: VolumeSubject, { deleter, trouble, lost }: PendingDeletion): string {
  const waited = waitedSeconds(v);
  const since = Number.isFinite(waited) ? ` ${ageText(v.now - waited * 1000, v.now)} ago` : '';
  const why = trouble ? `the provisioner of ${deleter} ${trouble.words}` : 'that has not happened';
  const warning = lost ? `; a new pvc/${lost.name} says that it was bound to it, and would lose its data` : '';
  return `pv/${v.name} was released${since} and is to be deleted by ${deleter}, but ${why}${warning}`;
}

function evidenceOf(v: VolumeSubject, { deleter, trouble, lost }: PendingDeletion): Explanation['evidence'] {
  const { status } = v.object;
  return [
    field(v.object, 'status.phase', status?.phase, status?.lastPhaseTransitionTime),
    field(v.object, 'spec.persistentVolumeReclaimPolicy'),
    note(v.object, `to be deleted by ${deleter}`),
    ...(lost ? [field(lost.claim, 'spec.volumeName'), field(lost.claim, 'metadata.uid')] : []),
    ...(trouble?.evidence ?? []),
  ];
}

function fixesFor(v: VolumeSubject, { controller, trouble, lost }: PendingDeletion): Fix[] {
  const repair = trouble?.fix ?? [logsFix(controller)];
  return lost
    ? [...giveBack(v.object, lost.claim), ...repair]
    : [...repair, retainFix(v.name, 'if the volume is to be kept after all: set its policy to Retain')];
}
