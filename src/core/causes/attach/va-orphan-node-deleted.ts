import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { detachEvidence, detachRules, isLeaving, nodeOf } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

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

function summaryOf({ node, attachment, lead, seenFrom }: DetachCase): string {
  if (seenFrom !== 'attachment') return `${lead}, which does not exist any more, and nobody has detached it`;
  const effect = attachment.status?.attached === true ? 'nobody detaches the volume' : 'it can never be attached there';
  return `the attachment is for node ${node}, which does not exist any more: ${effect}`;
}

function errorOrAge({ ask, attachment }: DetachCase): Evidence {
  const error = attachment.status?.attachError;
  if (error?.message) return field(attachment, 'status.attachError.message', error.message, error.time);
  const created = parseTime(attachment.metadata.creationTimestamp);
  return note(attachment, `made ${created === undefined ? 'long ago' : `${ageText(created, ask.now)} ago`}`);
}

function fixesFor({ node, attachment }: DetachCase): Fix[] {
  const name = shellWord(attachment.metadata.name);
  return [
    fix(
      'see that the volume object exists and that the kube-controller-manager runs: it should remove such attachments by itself',
      `kubectl get volumeattachment ${name} -o yaml`,
    ),
    attachment.status?.attached === true
      ? fix(
          `data-loss: delete the attachment once the machine of ${node} is certainly off; two writers destroy a file system`,
          `kubectl delete volumeattachment ${name}`,
          'data-loss',
        )
      : fix(
          'delete the attachment: nothing was ever attached through it',
          `kubectl delete volumeattachment ${name}`,
          'disruptive',
        ),
  ];
}
