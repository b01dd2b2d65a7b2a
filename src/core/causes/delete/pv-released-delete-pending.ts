import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { messageOf } from '../../graph/events.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { restartUnseen, startUnseen } from '../../facts/driver/controller-health.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { giveBack } from '../bind/volume-taken.ts';
import { troubleOf, whyNotDeleted } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { dataFirst } from './data-first.ts';
import { hasLost, namesakeOf } from './released-volume.ts';
import {
  attachmentsOf,
  deleteFailure,
  deleterOf,
  deletingController,
  isToBeDeleted,
  lastHeard,
  waitedSeconds,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';
import { stillAttachedText } from '../lib/driver-error/sentences/provisioner.ts';

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
  // It could not be deleted before its detach, so the time since then is not known.
  if (v.object.spec?.csi && attachmentsOf(v).items.length > 0) return undefined;
  const controller = deletingController(v, deleter);
  const trouble = troubleOf(controller, v.now, lastHeard(v, deleter));
  // An answer of the driver is a cause of its own; an event from when the volume was attached no longer counts.
  const said = deleteFailure(v, /[^]*/);
  if (said && !stillAttachedText.test(messageOf(said.event))) return undefined;
  const namesake = namesakeOf(v);
  return { deleter, controller, trouble, lost: namesake && hasLost(namesake, v) ? namesake : undefined };
}

function summaryOf(v: VolumeSubject, { deleter, trouble, lost }: PendingDeletion): string {
  const why = trouble
    ? `is not deleted${whyNotDeleted(deleter, trouble)}.`
    : `should have been deleted by ${deleter}, which has reported neither success nor an error.`;
  const warning = lost ? ` A new pvc/${lost.name} was bound to it and would lose its data.` : '';
  return `${releasedWords(v)} and ${why}${warning}`;
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

function fixesFor(v: VolumeSubject, { deleter, controller, trouble, lost }: PendingDeletion): Fix[] {
  if (lost) return giveBack(v.object, lost.claim);
  return dataFirst(v.object, trouble?.fix ?? restartFixes(deleter, controller));
}

/** It seems to run and says nothing: a fresh process goes through all released volumes again. */
function restartFixes(deleter: string, controller: DriverController): Fix[] {
  const pod = controller.leader ?? controller.pods.items[0];
  if (!pod)
    return controller.lease.state === 'fresh'
      ? [restartUnseen(`the provisioner of ${deleter}`, 'A fresh process tries every released volume again at once.')]
      : [startUnseen(`the provisioner of ${deleter}`)];
  return [
    restartFix(pod, controller.workload, 'A fresh process tries every released volume again at once.'),
    logsFix(controller),
  ];
}
