import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { pendingUses, waitsSince } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf } from './attach-trouble.ts';
import { detachesBefore, isLeaving, isNodeReady, leavingHolders, nodeOf, stayingHolders } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';

/** From 1.36.4 and 1.37 on "Waiting for detach", before "Multi-Attach error"; said once only (adc reconciler reportMultiAttachError). */
const refusedText = /(?:Multi-Attach error|Waiting for detach) for volume "[^"]*" (.*)/s;
const usedByText = /already used by pod\(s\) (.+?)(?: and \d+ pod\(s\) in different namespaces)?\s*$/s;

/** After this time the controller detaches a volume from a node that is not healthy (maxWaitForUnmountDuration). */
const forceSeconds = 360;

function refusalOf(use: VolumeUse): { readonly event: KubeEvent; readonly words: string } | undefined {
  const event = use.attachEvents.findLast((candidate) => refusedText.test(messageOf(candidate)));
  return event && { event, words: refusedText.exec(messageOf(event))?.[1] ?? '' };
}

const phaseText = (pod: Pod): string => pod.status?.phase ?? 'in an unknown phase';

/** The attach-detach controller never gives a ReadWriteOnce volume to a second node, and the first node's pod does not leave. */
export const attachRwoHeldByRunningPod = podRule({
  cause: 'attach-rwo-held-by-running-pod',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return (
      firstOf(detachesBefore(p), (detach) => explainHeld(p, detach)) ??
      firstOf(pendingUses(p), (use) => explainHeldUnseen(p, use))
    );
  },
});

function explainHeld(p: PodCase, detach: DetachCase): Explanation | undefined {
  const [holder, ...more] = stayingHolders(detach);
  if (detach.seenFrom !== 'other node' || isLeaving(detach) || !holder) return undefined;
  const use = pendingUses(p).find(({ volumeName }) => volumeName === detach.volumeName);
  if (!use) return undefined;
  const refusal = refusalOf(use);
  const { volume } = detach;
  const node = nodeOf(detach);
  const isDown = node.state === 'found' && !isNodeReady(node.object);
  return {
    summary: `${tellHeld(p, use, holder, detach.node)}${more.length > 0 ? `, and so do ${more.length} more there` : ''}${isDown ? `; ${detach.node} is not ready, and its pods are given up only minutes later` : ''}`,
    evidence: [
      ...(volume?.state === 'found' ? [field(volume.object, 'spec.accessModes')] : []),
      field(detach.attachment, 'spec.nodeName'),
      field(holder, 'status.phase', phaseText(holder)),
      ...(refusal ? [eventSaid(p.pod, refusal.event)] : []),
    ] as unknown as Explanation['evidence'],
    fix: fixes(p, use, holder),
  };
}

/** Who may not read attachments sees the other pod all the same. */
function explainHeldUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const { claim } = use;
  if (
    !claim?.claim ||
    !use.isExclusive ||
    use.attachment?.state === 'found' ||
    (use.attachment?.state === 'missing' && use.otherAttachments.complete)
  )
    return undefined;
  const refusal = refusalOf(use);
  const named = usedByText.exec(refusal?.words ?? '')?.[1]?.split(/,\s*/) ?? [];
  const others = p.ask
    .podsUsing(claim)
    .items.filter(
      (pod) =>
        pod.metadata.uid !== p.pod.metadata.uid &&
        pod.spec?.nodeName &&
        pod.spec.nodeName !== use.node &&
        pod.metadata.deletionTimestamp === undefined &&
        !isTerminated(pod),
    );
  const holder = others.find(({ metadata }) => named.includes(metadata.name)) ?? others[0];
  if (!holder || (!refusal && holder.status?.phase !== 'Running')) return undefined;
  return {
    confidence: 'likely',
    summary: tellHeld(p, use, holder, holder.spec?.nodeName ?? ''),
    evidence: [
      field(claim.claim, 'spec.accessModes'),
      field(holder, 'spec.nodeName'),
      field(holder, 'status.phase', phaseText(holder)),
      ...(refusal ? [eventSaid(p.pod, refusal.event)] : []),
    ],
    fix: fixes(p, use, holder),
  };
}

function tellHeld(p: PodCase, use: VolumeUse, holder: Pod, node: string): string {
  return `pod/${p.pod.metadata.name} is on ${use.node}, but pvc/${use.claim?.name ?? ''} may be attached to one node at a time, and pod/${holder.metadata.name} (${phaseText(holder)}) uses it on ${node}`;
}

function fixes(p: PodCase, use: VolumeUse, holder: Pod): Fix[] {
  const { namespace } = p.pod.metadata;
  const owner = ownerOf(holder);
  const own = ownerOf(p.pod);
  const isRollout = owner?.kind === 'Deployment' && own?.kind === 'Deployment' && owner.name === own.name;
  const together = fix(
    `let both pods run on the same node (pod affinity), or use a claim with ReadWriteMany if the storage can`,
    `kubectl ${inNamespace(namespace)}get pvc ${shellWord(use.claim?.name ?? '')} -o jsonpath='{.spec.accessModes}{"\\n"}'`,
  );
  if (isRollout) {
    return [
      fix(
        `let deployment/${owner.name} stop the old pod before it starts the new one (strategy Recreate), and run one replica only`,
        `kubectl ${inNamespace(namespace)}patch deployment ${shellWord(owner.name)} --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`,
        'disruptive',
      ),
      { ...together, text: `or ${together.text}` },
    ];
  }
  const stop =
    owner?.kind === 'Deployment' || owner?.kind === 'StatefulSet'
      ? fix(
          `or stop ${owner.kind.toLowerCase()}/${owner.name} if this pod shall take over`,
          `kubectl ${inNamespace(namespace)}scale ${owner.kind.toLowerCase()} ${shellWord(owner.name)} --replicas=0`,
          'disruptive',
        )
      : fix(
          `or delete pod/${holder.metadata.name} if it is not needed any more: the volume is then detached and moves`,
          `kubectl ${inNamespace(namespace)}delete pod ${shellWord(holder.metadata.name)}`,
          'disruptive',
        );
  return [together, stop];
}

/** The other pod is gone or going, and the volume has still to come off its node. */
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
  const { attachment, node, waitedSeconds, lead, ask } = detach;
  const isLate = waitedSeconds > forceSeconds || attachment.status?.detachError !== undefined;
  const [leaving] = leavingHolders(detach);
  const use = pendingUses(p).find(({ volumeName }) => volumeName === detach.volumeName);
  const refusal = use && refusalOf(use);
  const why = leaving
    ? `pod/${leaving.metadata.name} there is being deleted`
    : isLeaving(detach)
      ? 'it is being detached'
      : 'no pod there uses it any more';
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: detach.holders?.complete || isLeaving(detach) ? 'certain' : 'likely',
    summary: isLate
      ? `${lead}, though ${why}: it should have come off long ago (waited ${ageText(ask.now - waitedSeconds * 1000, ask.now)})`
      : `${lead}; ${why}, and this usually takes seconds, six minutes at the most`,
    evidence: [
      isLeaving(detach) ? field(attachment, 'metadata.deletionTimestamp') : field(attachment, 'spec.nodeName'),
      field(attachment, 'status.attached', attachment.status?.attached ?? false),
      ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
      ...(refusal ? [eventSaid(p.pod, refusal.event)] : []),
    ],
    fix: isLate
      ? [
          fix(
            `see what node ${node} still does with the volume`,
            `kubectl get node ${shellWord(node)} -o jsonpath='{.status.volumesInUse}{"\\n"}{.status.volumesAttached}{"\\n"}'`,
          ),
          fix(
            `data-loss: delete the attachment once it is certain that ${node} has the volume no longer mounted; two writers destroy a file system`,
            `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
            'data-loss',
          ),
        ]
      : [],
  };
}

/** Only the controller's word is there: it said it once, and has not taken it back by attaching. */
function explainWaitUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const refusal = refusalOf(use);
  if (
    !refusal ||
    !use.claim?.claim ||
    use.attachment?.state === 'found' ||
    (use.attachment?.state === 'missing' && use.otherAttachments.complete)
  )
    return undefined;
  const since = parseTime(waitsSince(p)) ?? lastSeen(refusal.event);
  const isLate = (p.now - since) / 1000 > forceSeconds;
  const named = usedByText.exec(refusal.words)?.[1];
  const others = p.ask
    .podsUsing(use.claim)
    .items.filter((pod) => pod.metadata.uid !== p.pod.metadata.uid && pod.spec?.nodeName && !isTerminated(pod));
  const leaving = others.find((pod) => pod.metadata.deletionTimestamp !== undefined);
  if (others.some((pod) => pod.metadata.deletionTimestamp === undefined && pod.spec?.nodeName !== use.node))
    return undefined;
  const evidence: [Evidence, ...Evidence[]] = [
    eventSaid(p.pod, refusal.event),
    ...(leaving ? [note(leaving, 'is being deleted')] : []),
  ];
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: 'likely',
    summary: `pod/${p.pod.metadata.name} on ${use.node} waits for pv/${use.volumeName}, which ${leaving ? `pod/${leaving.metadata.name} on ${leaving.spec?.nodeName ?? 'another node'} gives up only now` : `is still attached to another node${named ? ` (was used by ${named})` : ''}`}${isLate ? ', for longer than the six minutes that a detach may take' : ''}`,
    evidence,
    fix: isLate
      ? [
          fix(
            'find the node that still holds it, and see whether that node is alive',
            `kubectl get volumeattachments | grep -e ${shellWord(use.volumeName)}`,
          ),
        ]
      : [],
  };
}
