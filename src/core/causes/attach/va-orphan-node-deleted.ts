import type { Evidence, Fix } from '../../report/report.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import { attachmentName } from '../../kube/names.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, note } from '../../facts/evidence.ts';
import { steps } from '../lib/steps.ts';
import { onAttachment, saveAttachment } from './attachment-commands.ts';
import { isTouched } from './attacher-health.ts';
import { volumeObjectOf } from './attach-trouble.ts';
import { detachEvidence, detachRules, isLeaving, nodeOf } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { deadManagerText, startManagerFixes } from './manager-fixes.ts';

/** A forced detach starts after six minutes (maxWaitForUnmountDuration); the rest is time for the detach itself. */
const orphanSeconds = 600;

/**
 * attach-detach controller processVolumeAttachments: the attachment outlived its node for longer than a forced detach
 * takes.
 */
export const vaOrphanNodeDeleted = detachRules('va-orphan-node-deleted', 'warning', (detach) => {
  if (!isOrphan(detach)) return undefined;
  const { node } = detach;
  return {
    severity: 'blocking',
    about: `node ${node}`,
    summary: summaryOf(detach),
    evidence: [absent('Node', node), ...detachEvidence(detach), errorOrAge(detach)],
    fix: fixesFor(detach),
  };
});

function isOrphan(detach: DetachCase): boolean {
  const { ask, attachment, waitedSeconds, seenFrom } = detach;
  if (
    isLeaving(detach) ||
    seenFrom === 'same node' ||
    waitedSeconds <= orphanSeconds ||
    nodeOf(detach).state !== 'missing'
  )
    return false;
  const created = parseTime(attachment.metadata.creationTimestamp);
  return created === undefined || (ask.now - created) / 1000 > orphanSeconds;
}

function summaryOf(detach: DetachCase): string {
  const { node, attachment, lead, seenFrom } = detach;
  const state = attachment.status?.attached === true ? 'attached' : 'not attached';
  const intro =
    seenFrom === 'attachment'
      ? `VolumeAttachment ${attachment.metadata.name} is for ${node}, which does not exist any more. It is ${state}.`
      : `${lead}. ${node} does not exist any more.`;
  return `${intro} ${ownerText(detach)}`;
}

/** Why no controller removes it. */
function ownerText(detach: DetachCase): string {
  const lease = staleManagerLease(detach.ask);
  if (lease) return `The attach-detach controller should detach it, but ${deadManagerText(lease, detach.ask.now)}.`;
  return isForeign(detach)
    ? 'The attach-detach controller did not create it (it names them csi- plus a hash) and does not remove it.'
    : 'The attach-detach controller has not detached it, although the time for that is over.';
}

/** Its name is not the one that the controller would have given it. */
function isForeign(detach: DetachCase): boolean {
  const { attachment, driver, node } = detach;
  const volume = volumeObjectOf(detach);
  const handle = volume && handleOf(volume);
  if (handle === undefined || driver === undefined) return !/^csi-[0-9a-f]{64}$/.test(attachment.metadata.name);
  return attachment.metadata.name !== attachmentName(handle, driver, node);
}

function errorOrAge({ ask, attachment }: DetachCase): Evidence {
  const error = attachment.status?.attachError;
  if (error?.message) return field(attachment, 'status.attachError.message', error.message, error.time);
  const created = parseTime(attachment.metadata.creationTimestamp);
  return note(attachment, `created ${created === undefined ? 'long ago' : `${ageText(created, ask.now)} ago`}`);
}

function fixesFor(detach: DetachCase): Fix[] {
  const { node, attachment, ask } = detach;
  const remove = [saveAttachment(attachment), onAttachment('delete', attachment)];
  const lease = staleManagerLease(ask);
  const start = lease
    ? startManagerFixes(ask, lease, 'It then detaches the volume automatically within about 10 minutes.')
    : [];
  if (attachment.status?.attached !== true && !isTouched(attachment.metadata))
    return [
      ...start,
      steps(
        'Save and delete the attachment: it is not attached and has no finalizer, so no volume is affected.',
        remove,
      ),
    ];
  return [
    ...start,
    steps(
      `Make sure that the machine of ${node} is off or deleted. ` +
        'Then save and delete the attachment: the attacher detaches the volume. ' +
        'If the machine still runs, two writers destroy the file system.',
      remove,
      'data-loss',
    ),
  ];
}
