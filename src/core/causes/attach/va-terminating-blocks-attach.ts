import { findController, knownLogs } from '../../facts/driver/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import type { Attachment, KubeEvent } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { beingDeletedText } from '../lib/driver-error/senses/kubernetes.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { firstOf } from './attach-trouble.ts';
import { restartAttacher } from './attacher-fixes.ts';
import { isTouched } from './attacher-health.ts';
import { detachesBefore, detachEvidence } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

const patienceSeconds = 120;

/**
 * csi_attacher.go verifyAttachmentStatus: an attachment that is being deleted is never used again; a new one can be
 * created only after it.
 */
export const vaTerminatingBlocksAttach = podRule({
  cause: 'va-terminating-blocks-attach',
  stage: 'attach',
  severity: 'blocking',
  explain: (p) => firstOf(detachesBefore(p), (detach) => explainTerminating(p, detach)),
});

function explainTerminating(p: PodCase, detach: DetachCase): Explanation | undefined {
  if (detach.seenFrom !== 'same node') return undefined;
  const { attachment, lead, waitedSeconds, ask } = detach;
  const said = findRefusal(p);
  if (waitedSeconds < patienceSeconds && !said) return undefined;
  return {
    summary:
      `${lead}. The VolumeAttachment was deleted ${ageText(ask.now - waitedSeconds * 1000, ask.now)} ago and ` +
      'is still there, and a new one can be created only after it is gone.',
    evidence: [
      ...detachEvidence(detach),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ') || 'none'),
      ...(said ? [eventSaid(p.pod, said)] : []),
    ],
    fix: fixesFor(detach),
  };
}

/** The controller's latest word that it cannot attach because of the deletion. */
function findRefusal(p: PodCase): KubeEvent | undefined {
  return p.events.items.findLast(
    (event) => event.reason === 'FailedAttachVolume' && beingDeletedText.test(messageOf(event)),
  );
}

/**
 * The attacher runs and has reported no error, so it hangs, unless the finalizer of another controller holds the
 * attachment.
 */
function fixesFor({ ask, driver, attachment }: DetachCase): Fix[] {
  const foreign = foreignFinalizers(attachment);
  if (foreign.length > 0 && !isTouched(attachment.metadata))
    return [
      steps(
        `Start or repair the controller that set finalizer ${foreign.join(', ')} on the attachment: ` +
          'only that is left, and the attach continues when it is gone.',
        [],
      ),
    ];
  if (driver === undefined) return [];
  const controller = findController(ask, driver, 'attacher');
  return [restartAttacher(controller), ...knownLogs(controller, 'sidecar')];
}

function foreignFinalizers({ metadata }: Attachment): string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => !finalizer.startsWith('external-attacher/'));
}
