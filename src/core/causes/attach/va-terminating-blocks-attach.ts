import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { firstOf } from './attach-trouble.ts';
import { detachesBefore, detachEvidence } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { beingDeletedText } from '../lib/driver-error/senses/kubernetes.ts';

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
  const { attachment, lead, waitedSeconds, ask, driver } = detach;
  const said = findRefusal(p);
  if (waitedSeconds < patienceSeconds && !said) return undefined;
  return {
    summary: `${lead}: the attachment has been going away for ${ageText(ask.now - waitedSeconds * 1000, ask.now)}, and until it is gone no new one can be made`,
    evidence: [
      ...detachEvidence(detach),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ') || 'none'),
      ...(said ? [note(p.pod, messageOf(said))] : []),
    ],
    fix: [
      fix(
        'find out what holds the detach',
        `kubectl get volumeattachment ${shellWord(attachment.metadata.name)} -o yaml`,
      ),
      ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'))]),
    ],
  };
}

/** The controller's latest word that it cannot attach because of the deletion. */
function findRefusal(p: PodCase): KubeEvent | undefined {
  return p.events.items.findLast(
    (event) => event.reason === 'FailedAttachVolume' && beingDeletedText.test(messageOf(event)),
  );
}
