import type { Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';

const oncePod = 'ReadWriteOncePod';

/**
 * VolumeRestrictions: one pod in the whole cluster may use the claim, and a terminating pod counts until it is removed.
 */
export const schedRwopConflict = podRule({
  cause: 'sched-rwop-conflict',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const isBlamed = blames(p, storageTexts.oncePod);
    if (p.isScheduled || isBlamed === false) return undefined;
    const claims = p.claims.filter(isPresent).filter(isOncePod);
    for (const claim of claims) {
      const holder = findHolder(p, claim);
      if (holder) return explainHolder(p, claim, holder);
    }
    return isBlamed ? explainUnreadHolder(p, claims[0] ?? p.claims[0]) : undefined;
  },
});

function isOncePod({ claim }: PresentClaim): boolean {
  return claim.spec?.accessModes?.includes(oncePod) === true;
}

function findHolder(p: PodCase, claim: PresentClaim): Pod | undefined {
  const { uid, name } = p.pod.metadata;
  return p.ask
    .podsUsing(claim)
    .items.find(
      (pod) =>
        pod.metadata.uid !== uid &&
        pod.metadata.name !== name &&
        pod.spec?.nodeName &&
        pod.status?.phase !== 'Succeeded' &&
        pod.status?.phase !== 'Failed',
    );
}

function explainHolder(p: PodCase, claim: PresentClaim, holder: Pod): Explanation {
  const others = otherReasonsText(p);
  return {
    summary:
      `pvc/${claim.name} allows one pod at a time (${oncePod}), and pod/${holder.metadata.name} on ` +
      `${holder.spec?.nodeName ?? ''} is using it.${deletionText(p, holder)} pod/${p.pod.metadata.name} waits ` +
      `until pod/${holder.metadata.name} is ` +
      `gone.${sharedOwnerText(p, holder)}${others ? ` The scheduler gives other reasons, too ("${others}").` : ''}`,
    evidence: holderEvidence(p, claim, holder),
    fix: adviceFor(p, claim, holder),
  };
}

/** The Deployment of both pods, and whether they are of one release of it: then it simply wants too many pods. */
function sharedDeployment({ pod }: PodCase, holder: Pod): { name: string; isOneRelease: boolean } | undefined {
  const owner = ownerOf(pod);
  const other = ownerOf(holder);
  if (owner?.kind !== 'Deployment' || other?.kind !== 'Deployment' || owner.name !== other.name) return undefined;
  const replicaSet = ({ metadata }: Pod): string | undefined =>
    metadata.ownerReferences?.find(({ kind }) => kind === 'ReplicaSet')?.name;
  return { name: owner.name, isOneRelease: replicaSet(pod) === replicaSet(holder) };
}

function sharedOwnerText(p: PodCase, holder: Pod): string {
  const shared = sharedDeployment(p, holder);
  if (!shared || holder.metadata.deletionTimestamp !== undefined) return '';
  return shared.isOneRelease
    ? ` Both belong to deployment/${shared.name}, which has more than one replica.`
    : ` Both belong to deployment/${shared.name}, whose rolling update keeps the old pod until the new ` +
        'one is ready, so neither can go on.';
}

function deletionText(p: PodCase, { metadata: { deletionTimestamp } }: Pod): string {
  if (deletionTimestamp === undefined) return '';
  const since = parseTime(deletionTimestamp);
  // The timestamp is the end of the grace period.
  return since === undefined || since > p.now
    ? ' That pod is being deleted.'
    : ` That pod is being deleted, and its grace period ended ${ageText(since, p.now)} ago.`;
}

function holderEvidence(p: PodCase, { claim }: PresentClaim, holder: Pod): EvidenceList {
  return [
    field(claim, 'spec.accessModes'),
    field(holder, 'spec.nodeName'),
    ...(holder.metadata.deletionTimestamp === undefined ? [] : [field(holder, 'metadata.deletionTimestamp')]),
    ...deploymentEvidence(p, holder),
    ...schedulerSaid(p),
  ];
}

function deploymentEvidence(p: PodCase, holder: Pod): Evidence[] {
  const shared = sharedDeployment(p, holder);
  const deployment = shared && p.ask.graph.find('Deployment', p.pod.metadata.namespace, shared.name);
  if (!deployment) return [];
  return [shared.isOneRelease ? field(deployment, 'spec.replicas') : field(deployment, 'spec.strategy')];
}

function adviceFor(p: PodCase, claim: PresentClaim, holder: Pod): Fix[] {
  if (holder.metadata.deletionTimestamp !== undefined) return [finishDeletion(p, holder)];
  const { name } = p.pod.metadata;
  const shared = sharedDeployment(p, holder);
  if (shared)
    return [
      shared.isOneRelease ? oneReplica(p, shared.name) : recreateStrategy(p, shared.name, holder),
      shareFix(claim, holder),
    ];
  return [
    stopPodFix(
      holder,
      (what) =>
        `If pod/${name} replaces pod/${holder.metadata.name}, ${what}. pod/${name} is then scheduled automatically.`,
    ),
    removeDuplicate(p.pod, holder),
    shareFix(claim, holder),
  ];
}

function removeDuplicate(pod: Pod, { metadata: { name } }: Pod): Fix {
  const text = `If pod/${pod.metadata.name} is the duplicate`;
  return ownerOf(pod)
    ? stopPodFix(pod, (what) => `${text}, ${what}. pod/${name} keeps running.`)
    : steps(`${text}, delete it. pod/${name} keeps running.`, [saveCommand(pod), kubectl('delete', pod)]);
}

/** A rolling update starts the new pod first, and the new pod waits for the old one. */
function recreateStrategy({ pod }: PodCase, name: string, holder: Pod): Fix {
  const { namespace } = pod.metadata;
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return steps(
    `Set strategy Recreate for deployment/${name}, and delete its old pod: it then stops the old pod before it ` +
      'starts the new one, with a short interruption. ' +
      `pod/${pod.metadata.name} is then scheduled automatically.`,
    [
      patchCommand({ kind: 'Deployment', metadata }, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }),
      kubectl('delete', holder),
    ],
    'disruptive',
  );
}

/** Which of the replicas goes, the Deployment decides: a pod that is not ready first. */
function oneReplica({ pod }: PodCase, name: string): Fix {
  const { namespace } = pod.metadata;
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return steps(
    `Scale deployment/${name} to one replica: the claim allows no second pod. The pods that wait are ` +
      'removed, and the running one stays.',
    [kubectl('scale', { kind: 'Deployment', metadata }, '--replicas=1')],
  );
}

/** A pod is gone when its kubelet has stopped it and its finalizers are removed. */
function finishDeletion({ ask }: PodCase, holder: Pod): Fix {
  const { namespace = '', name, finalizers = [] } = holder.metadata;
  const node = holder.spec?.nodeName ?? '';
  const then = 'The waiting pod is then scheduled automatically.';
  if (finalizers.length > 0)
    return steps(
      `Start the controller that removes finalizer ${finalizers.join(', ')} of pod/${name}: it keeps the pod. ${then}`,
      [],
    );
  const object = ask.graph.find('Node', undefined, node);
  const ready = conditionOf(object?.status?.conditions, 'Ready');
  if (ready && ready.status !== 'True')
    return steps(
      `Start ${node}, which is not ready, so that its kubelet can stop pod/${name}. ` +
        'If the machine is off and stays off, mark it out of service: ' +
        `its pods are then deleted and their volumes detached. ${then}`,
      [`kubectl taint node ${shellWord(node)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`],
      'disruptive',
    );
  return steps(
    `Find what keeps the kubelet of ${node} from stopping pod/${name}: this explains the step that ` +
      `hangs, and its own fix. ${then}`,
    [`kubectl csi why pod/${shellWord(name)} -n ${shellWord(namespace)}`],
  );
}

function shareFix({ name }: PresentClaim, holder: Pod): Fix {
  return steps(
    'If both pods need the data at the same time, move it to a claim with ReadWriteOnce (both on ' +
      `${holder.spec?.nodeName ?? 'one node'}) or ReadWriteMany: ` +
      `the access mode of pvc/${name} cannot be changed.`,
    [],
    'disruptive',
  );
}

/** The scheduler reports the conflict, and the other pod could not be read. */
function explainUnreadHolder(p: PodCase, claim: ClaimCase | undefined): Explanation | undefined {
  const [said] = schedulerSaid(p);
  if (!said || !claim) return undefined;
  return {
    confidence: 'likely',
    summary:
      `pvc/${claim.name} allows one pod at a time (${oncePod}), and the scheduler reports that another pod ` +
      'uses it. That pod could not be read.',
    evidence: [said],
    fix: [
      steps(
        `Stop the other pod (PLACEHOLDER_POD, under "Used By" in the first line's output), if this one replaces ` +
          `it. pod/${p.pod.metadata.name} is then scheduled automatically.`,
        [
          `kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`,
          `kubectl ${inNamespace(claim.namespace)}delete pod PLACEHOLDER_POD`,
        ],
        'disruptive',
      ),
    ],
  };
}
