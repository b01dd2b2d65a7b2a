import { shellWord } from '../../kube/shell-word.ts';
import { ageText } from '../../kube/time.ts';
import type { Lease, Pod } from '../../kube/kinds.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { field, note } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { steps } from '../lib/steps.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachmentEvidence, firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { isAttachedAndUnlisted } from './attach-not-in-node-status.ts';
import { detachesBefore, detachEvidence, isLeaving, stayingHolders } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { deadManagerText, startManagerFixes } from './manager-fixes.ts';
import { confidenceThatUnmade } from './unmade-attachment.ts';

const cause = 'attach-ad-controller-down';
const patienceSeconds = 120;

/**
 * The lease proves that the kube-controller-manager is dead, so nothing that it has to do happens, however long one
 * waits.
 */
export const deadController = podRule({
  cause,
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return (
      firstOf(troublesOf(p), (trouble) => explainWithLease(p, trouble)) ??
      firstOf(detachesBefore(p), (detach) => explainUndetached(detach))
    );
  },
});

/** It has to create the attachment, or to list an attached volume in the status of the node. */
function explainWithLease({ pod }: PodCase, trouble: AttachTrouble): Explanation | undefined {
  const { ask, lead, attachment, use } = trouble;
  const isUnlisted = use !== undefined && attachment.state === 'found' && isAttachedAndUnlisted(use, attachment.object);
  if (!isUnlisted && !confidenceThatUnmade(trouble)) return undefined;
  const lease = staleManagerLease(ask);
  if (!lease) return undefined;
  const task = isUnlisted
    ? `lists attached volumes in the status of ${trouble.node}, for which the kubelet waits`
    : 'creates the attachments';
  return explainDead(
    trouble.ask,
    lease,
    `${lead}: ${deadManagerText(lease, ask.now)}, and its attach-detach controller ${task}.`,
    isUnlisted ? attachmentEvidence(trouble) : unmadeEvidence(trouble, pod),
  );
}

/** It has to detach the volume from the other node, where no pod uses it any more. */
function explainUndetached(detach: DetachCase): Explanation | undefined {
  const { seenFrom, ask, lead } = detach;
  if (seenFrom !== 'other node' || isLeaving(detach) || stayingHolders(detach).length > 0) return undefined;
  const lease = staleManagerLease(ask);
  return (
    lease &&
    explainDead(
      ask,
      lease,
      `${lead}: ${deadManagerText(lease, ask.now)}, and its attach-detach controller detaches volumes.`,
      detachEvidence(detach),
    )
  );
}

function explainDead(
  ask: AttachTrouble['ask'],
  lease: Lease,
  summary: string,
  evidence: readonly Explanation['evidence'][number][],
): Explanation {
  return {
    confidence: 'likely',
    about: 'kube-controller-manager',
    summary,
    evidence: [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity'), ...evidence],
    fix: startManagerFixes(ask, lease, 'What waits for it then continues automatically within about 2 minutes.'),
  };
}

/**
 * Everything is ready for an attachment, and the attach-detach controller does not create it, although its lease is
 * alive or unread.
 */
export const silentController = podRule({
  cause,
  stage: 'attach',
  severity: 'blocking',
  explain: (p) => firstOf(troublesOf(p), (trouble) => explainUnmade(trouble, p.pod)),
});

function explainUnmade(trouble: AttachTrouble, pod: Pod): Explanation | undefined {
  const { ask, lead, waitedSeconds } = trouble;
  if (confidenceThatUnmade(trouble) !== 'certain' || waitedSeconds < patienceSeconds) return undefined;
  if (staleManagerLease(ask)) return undefined;
  return {
    confidence: 'possible',
    about: 'kube-controller-manager',
    summary:
      `${lead}: no VolumeAttachment has been created in ${ageText(ask.now - waitedSeconds * 1000, ask.now)}. ` +
      'The attach-detach controller in the kube-controller-manager may be switched off or stuck.',
    evidence: unmadeEvidence(trouble, pod),
    fix: [
      steps(
        'Start the kube-controller-manager again, with persistentvolume-attach-detach-controller among its ' +
          '--controllers: as a static pod, move its manifest out of /etc/kubernetes/manifests for 20 seconds; ' +
          'on a managed control plane, ask the provider. The attachment is then created within about 2 minutes.',
        [],
        'disruptive',
      ),
      steps('Read in its log what the attach-detach controller says about the volume.', [
        `kubectl -n kube-system logs -l component=kube-controller-manager --tail=500 | grep -e ${shellWord(trouble.volumeName)}`,
      ]),
    ],
  };
}

function unmadeEvidence(trouble: AttachTrouble, pod: Pod): Explanation['evidence'] {
  return [
    note(pod, `has node ${trouble.node} and no VolumeAttachment for pv/${trouble.volumeName}`),
    ...attachmentEvidence(trouble),
  ];
}
