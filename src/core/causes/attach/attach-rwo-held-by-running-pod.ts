import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { pendingUses } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import { detachesBefore, isLeaving, isNodeReady, nodeOf, stayingHolders } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { isAttachmentUnseen, otherUsersOf, refusalOf } from './rwo-refusal.ts';

/**
 * The attach-detach controller never attaches a ReadWriteOnce volume to a second node, and the pod on the first one
 * stays.
 */
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
  const volume = volumeObjectOf(detach);
  const evidence = someEvidence([
    ...(volume ? [field(volume, 'spec.accessModes')] : []),
    field(detach.attachment, 'spec.nodeName'),
    field(holder, 'status.phase', phaseText(holder)),
    ...refusalEvidence(p, use),
  ]);
  if (!evidence) return undefined;
  const others = more.length > 0 ? `, and so do ${more.length} more there` : '';
  return {
    summary: `${heldWords(p, use, holder, detach.node)}${others}${downWords(detach)}`,
    evidence,
    fix: fixesFor(p, use, holder),
  };
}

/** Without access to attachments the other pod can still be seen. */
function explainHeldUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const claim = use.claim?.claim;
  if (!claim || !use.isExclusive || !isAttachmentUnseen(use)) return undefined;
  const holder = findHolderUnseen(p, use);
  if (!holder) return undefined;
  return {
    confidence: 'likely',
    summary: heldWords(p, use, holder, holder.spec?.nodeName ?? ''),
    evidence: [
      field(claim, 'spec.accessModes'),
      field(holder, 'spec.nodeName'),
      field(holder, 'status.phase', phaseText(holder)),
      ...refusalEvidence(p, use),
    ],
    fix: fixesFor(p, use, holder),
  };
}

/** A pod on another node that the controller names, else any that runs there. */
function findHolderUnseen(p: PodCase, use: VolumeUse): Pod | undefined {
  const refusal = refusalOf(use);
  const named = refusal?.users?.split(/,\s*/) ?? [];
  const others = (use.claim ? otherUsersOf(p, use.claim) : []).filter(
    ({ metadata, spec }) => spec?.nodeName !== use.node && metadata.deletionTimestamp === undefined,
  );
  const holder = others.find(({ metadata }) => named.includes(metadata.name)) ?? others[0];
  return refusal || holder?.status?.phase === 'Running' ? holder : undefined;
}

function refusalEvidence(p: PodCase, use: VolumeUse): Evidence[] {
  const refusal = refusalOf(use);
  return refusal ? [eventSaid(p.pod, refusal.event)] : [];
}

function phaseText(pod: Pod): string {
  return pod.status?.phase ?? 'in an unknown phase';
}

function heldWords(p: PodCase, use: VolumeUse, holder: Pod, node: string): string {
  return `pod/${p.pod.metadata.name} is on ${use.node}, but pvc/${use.claim?.name ?? ''} may be attached to one node at a time, and pod/${holder.metadata.name} (${phaseText(holder)}) uses it on ${node}`;
}

function downWords(detach: DetachCase): string {
  const node = nodeOf(detach);
  const isDown = node.state === 'found' && !isNodeReady(node.object);
  return isDown ? `; ${detach.node} is not ready, and its pods are given up only minutes later` : '';
}

function fixesFor(p: PodCase, use: VolumeUse, holder: Pod): Fix[] {
  const { namespace } = p.pod.metadata;
  const owner = ownerOf(holder);
  const own = ownerOf(p.pod);
  const together = fix(
    `let both pods run on the same node (pod affinity), or use a claim with ReadWriteMany if the storage can`,
    `kubectl ${inNamespace(namespace)}get pvc ${shellWord(use.claim?.name ?? '')} -o jsonpath='{.spec.accessModes}{"\\n"}'`,
  );
  const isRollout = owner?.kind === 'Deployment' && own?.kind === 'Deployment' && owner.name === own.name;
  if (!isRollout) return [together, stopFix(holder, namespace)];
  return [
    fix(
      `let deployment/${owner.name} stop the old pod before it starts the new one (strategy Recreate), and run one replica only`,
      `kubectl ${inNamespace(namespace)}patch deployment ${shellWord(owner.name)} --type merge -p '{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}'`,
      'disruptive',
    ),
    { ...together, text: `or ${together.text}` },
  ];
}

function stopFix(holder: Pod, namespace: string | undefined): Fix {
  const owner = ownerOf(holder);
  if (owner?.kind === 'Deployment' || owner?.kind === 'StatefulSet')
    return fix(
      `or stop ${owner.kind.toLowerCase()}/${owner.name} if this pod shall take over`,
      `kubectl ${inNamespace(namespace)}scale ${owner.kind.toLowerCase()} ${shellWord(owner.name)} --replicas=0`,
      'disruptive',
    );
  return fix(
    `or delete pod/${holder.metadata.name} if it is not needed any more: the volume is then detached and moves`,
    `kubectl ${inNamespace(namespace)}delete pod ${shellWord(holder.metadata.name)}`,
    'disruptive',
  );
}
