import { lastSeen } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { eventSaid, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { pendingUses, waitsSince } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf } from './attach-trouble.ts';
import { detachesBefore, isLeaving, leavingHolders, stayingHolders } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { isAttachmentUnseen, otherUsersOf, refusalOf } from './rwo-refusal.ts';
import type { Refusal } from './rwo-refusal.ts';

/** After this time the controller detaches a volume from a node that is not healthy (maxWaitForUnmountDuration). */
const forceSeconds = 360;

/** The pod on the other node is gone or ending, and the volume has still to be detached there. */
export const attachRwoWaitingDetach = podRule({
  cause: 'attach-rwo-waiting-detach',
  stage: 'attach',
  severity: 'info',
  explain(p) {
    return (
      firstOf(detachesBefore(p), (detach) => explainWait(p, detach)) ??
      firstOf(pendingUses(p), (use) => explainWaitUnseen(p, use))
    );
  },
});

function explainWait(p: PodCase, detach: DetachCase): Explanation | undefined {
  if (detach.seenFrom !== 'other node' || stayingHolders(detach).length > 0) return undefined;
  const { attachment, waitedSeconds, lead, ask } = detach;
  const isLate = waitedSeconds > forceSeconds || attachment.status?.detachError !== undefined;
  const why = waitWords(detach);
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: detach.holders?.complete || isLeaving(detach) ? 'certain' : 'likely',
    summary: isLate
      ? `${lead}, though ${why}: it should have come off long ago (waited ${ageText(ask.now - waitedSeconds * 1000, ask.now)})`
      : `${lead}; ${why}, and this usually takes seconds, six minutes at the most`,
    evidence: evidenceOf(p, detach),
    fix: isLate ? lateFixes(detach) : [],
  };
}

function waitWords(detach: DetachCase): string {
  const [leaving] = leavingHolders(detach);
  if (leaving) return `pod/${leaving.metadata.name} there is being deleted`;
  return isLeaving(detach) ? 'it is being detached' : 'no pod there uses it any more';
}

function evidenceOf(p: PodCase, detach: DetachCase): Explanation['evidence'] {
  const { attachment, volumeName } = detach;
  const [leaving] = leavingHolders(detach);
  const use = pendingUses(p).find((candidate) => candidate.volumeName === volumeName);
  const refusal = use && refusalOf(use);
  return [
    field(attachment, isLeaving(detach) ? 'metadata.deletionTimestamp' : 'spec.nodeName'),
    field(attachment, 'status.attached', attachment.status?.attached ?? false),
    ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
    ...(refusal ? [eventSaid(p.pod, refusal.event)] : []),
  ];
}

function lateFixes({ node, attachment }: DetachCase): Fix[] {
  return [
    fix(
      `see what node ${node} still does with the volume`,
      `kubectl get node ${shellWord(node)} -o jsonpath='{.status.volumesInUse}{"\\n"}{.status.volumesAttached}{"\\n"}'`,
    ),
    fix(
      `data-loss: delete the attachment once it is certain that ${node} has the volume no longer mounted; two writers destroy a file system`,
      `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
      'data-loss',
    ),
  ];
}

/** Only the controller's event tells: it is written once, and holds as long as the volume is not attached. */
function explainWaitUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const refusal = refusalOf(use);
  if (!refusal || !use.claim?.claim || !isAttachmentUnseen(use)) return undefined;
  const since = parseTime(waitsSince(p)) ?? lastSeen(refusal.event);
  const isLate = (p.now - since) / 1000 > forceSeconds;
  const others = otherUsersOf(p, use.claim);
  const leaving = others.find((pod) => pod.metadata.deletionTimestamp !== undefined);
  if (others.some((pod) => pod.metadata.deletionTimestamp === undefined && pod.spec?.nodeName !== use.node))
    return undefined;
  const late = isLate ? ', for longer than the six minutes that a detach may take' : '';
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: 'likely',
    summary: `pod/${p.pod.metadata.name} on ${use.node} waits for pv/${use.volumeName}, which ${holderWords(refusal, leaving)}${late}`,
    evidence: [eventSaid(p.pod, refusal.event), ...(leaving ? [note(leaving, 'is being deleted')] : [])],
    fix: isLate ? [findHolderFix(use)] : [],
  };
}

function holderWords({ users }: Refusal, leaving: Pod | undefined): string {
  if (leaving) return `pod/${leaving.metadata.name} on ${leaving.spec?.nodeName ?? 'another node'} gives up only now`;
  return `is still attached to another node${users ? ` (was used by ${users})` : ''}`;
}

function findHolderFix({ volumeName }: VolumeUse): Fix {
  return fix(
    'find the node that still holds it, and see whether that node is alive',
    `kubectl get volumeattachments | grep -e ${shellWord(volumeName)}`,
  );
}
