import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { pendingUses } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { changePodFix, stopPodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, patchCommand, steps } from '../lib/steps.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { firstOf, someEvidence, volumeObjectOf } from './attach-trouble.ts';
import { detachesBefore, isLeaving, isNodeReady, nodeOf, stayingHolders } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { downNodeFixes } from './lost-node-fixes.ts';
import { isAttachmentUnseen, otherUsersOf, refusalOf } from './rwo-refusal.ts';

/** The pod that holds the volume, as far as the node it runs on is known. */
interface Holder {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly node: Node | undefined;
}

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
  const [pod, ...more] = stayingHolders(detach);
  if (detach.seenFrom !== 'other node' || isLeaving(detach) || !pod) return undefined;
  const use = pendingUses(p).find(({ volumeName }) => volumeName === detach.volumeName);
  if (!use) return undefined;
  const volume = volumeObjectOf(detach);
  const evidence = someEvidence([
    ...(volume ? [field(volume, 'spec.accessModes')] : []),
    field(detach.attachment, 'spec.nodeName'),
    field(pod, 'status.phase', phaseText(pod)),
    ...refusalEvidence(p, use),
  ]);
  if (!evidence) return undefined;
  const node = nodeOf(detach);
  const holder = { pod, nodeName: detach.node, node: node.state === 'found' ? node.object : undefined };
  return {
    summary: heldText(p, use, holder, more.length),
    evidence,
    fix: fixesFor(p, use, holder),
  };
}

/** Without access to attachments the other pod can still be seen. */
function explainHeldUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const claim = use.claim?.claim;
  if (!claim || !use.isExclusive || !isAttachmentUnseen(use)) return undefined;
  const pod = findHolderUnseen(p, use);
  if (!pod) return undefined;
  const nodeName = pod.spec?.nodeName ?? '';
  const holder = { pod, nodeName, node: p.ask.graph.find('Node', undefined, nodeName) };
  return {
    confidence: 'likely',
    summary: heldText(p, use, holder, 0),
    evidence: [
      field(claim, 'spec.accessModes'),
      field(pod, 'spec.nodeName'),
      field(pod, 'status.phase', phaseText(pod)),
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

function heldText(p: PodCase, use: VolumeUse, { pod, nodeName, node }: Holder, more: number): string {
  const modes = use.volumeObject?.spec?.accessModes ?? use.claim?.claim?.spec?.accessModes ?? [];
  const others = more > 0 ? ` and ${more} more there` : '';
  const down =
    node && !isNodeReady(node)
      ? ` ${nodeName} is not ready; its pods are evicted about 5 minutes after that, and the volume is detached only when they are gone.`
      : '';
  const rollout = rolloutOf(p.pod, pod);
  const deadlock =
    rollout === undefined
      ? ''
      : ` Both belong to deployment/${rollout}: its rolling update stops the old pod only when the new one is ready, and that one waits for the volume.`;
  return (
    `pvc/${use.claim?.name ?? ''} is ${modes.join(', ')} and in use on ${nodeName} by ` +
    `pod/${pod.metadata.name} (${phaseText(pod)})${others}. ` +
    `pod/${p.pod.metadata.name} is on ${use.node}, where it cannot be attached at the same time.${deadlock}${down}`
  );
}

function fixesFor(p: PodCase, use: VolumeUse, holder: Holder): Fix[] {
  const { pod, node } = holder;
  if (node && !isNodeReady(node))
    return downNodeFixes(
      p.ask,
      node,
      [],
      `pod/${pod.metadata.name} then continues there, if it was not evicted before.`,
    );
  const rollout = rolloutOf(p.pod, pod);
  if (rollout !== undefined) return [recreateStrategyFix(p, rollout)];
  const owner = ownerOf(pod);
  const own = ownerOf(p.pod);
  const [share, take] = [sameNodeFixes(p, holder), takeOverFix(p, use, pod)];
  // A pod without an owner that holds the volume of a workload is most often one that was left behind.
  return owner === undefined && own !== undefined ? [take, ...share] : [...share, take];
}

/** The Deployment that both pods belong to. */
function rolloutOf(one: Pod, other: Pod): string | undefined {
  const [a, b] = [ownerOf(one), ownerOf(other)];
  const isShared =
    one.metadata.namespace === other.metadata.namespace && a?.kind === 'Deployment' && a.name === b?.name;
  return isShared && b?.kind === 'Deployment' ? a.name : undefined;
}

/** A rolling update starts the new pod before it stops the old one, which a volume on one node does not allow. */
function recreateStrategyFix({ ask, pod }: PodCase, name: string): Fix {
  const { namespace } = pod.metadata;
  const deployment = { kind: 'Deployment' as const, metadata: { name, ...(namespace !== undefined && { namespace }) } };
  const { replicas = 1 } = ask.graph.find('Deployment', namespace, name)?.spec ?? {};
  const one = replicas > 1 ? ` It has ${replicas} replicas, and only one can run unless all are on one node.` : '';
  return steps(
    `Set the strategy of deployment/${name} to Recreate: the old pod is then stopped before the new one ` +
      `starts.${one} The volume moves within about 2 minutes, during which the application is down.`,
    [
      patchCommand(deployment, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
      ...(replicas > 1 ? [kubectl('scale', deployment, '--replicas=1')] : []),
    ],
    'disruptive',
  );
}

/** ReadWriteOnce means one node, not one pod. */
function sameNodeFixes(p: PodCase, { nodeName, node }: Holder): Fix[] {
  if (node?.spec?.unschedulable === true) return [];
  const labels = node?.metadata.labels ?? {};
  const unfit = Object.entries(p.pod.spec?.nodeSelector ?? {}).filter(
    ([key, value]) => node !== undefined && labels[key] !== value,
  );
  const hostname = labels['kubernetes.io/hostname'] ?? nodeName;
  const nodeSelector = {
    ...Object.fromEntries(unfit.map(([key]) => [key, null])),
    'kubernetes.io/hostname': hostname,
  };
  const selected = unfit.length > 0 ? ` Its nodeSelector keeps it away from there now.` : '';
  return [
    changePodFix(
      p.pod,
      { nodeSelector },
      (where) =>
        `If both pods need the data, run pod/${p.pod.metadata.name} on ${nodeName}, too: ` +
        `select that node ${where}.${selected} Pods on one node share the volume.`,
    ),
  ];
}

function takeOverFix(p: PodCase, use: VolumeUse, pod: Pod): Fix {
  return stopPodFix(
    pod,
    (what) =>
      `If pod/${pod.metadata.name} has done its work or pod/${p.pod.metadata.name} replaces it, ${what}. ` +
      `The volume is then detached and attached to ${use.node} within about 2 minutes.`,
  );
}
