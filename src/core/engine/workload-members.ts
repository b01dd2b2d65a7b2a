import { workloadKinds } from '../kube/selection.ts';
import type { TargetRef, WorkloadKind } from '../kube/selection.ts';
import type { Kind, ObjectOf, Pod } from '../kube/kinds.ts';
import { shortNameOf } from '../kube/resources.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { messageOf } from '../graph/events.ts';
import { refOf } from '../graph/inquiry.ts';
import { claimsExpectedBy } from '../facts/claim/expectation.ts';
import { isTerminated } from '../facts/pod/pod-state.ts';
import type { ObjectRef, ReportItem } from '../report/report.ts';

/** What a workload consists of, as far as storage goes. */
export interface Members {
  /** Its pods, their claims, and the claims that a StatefulSet has yet to create. */
  readonly targets: readonly TargetRef[];
  readonly isMissing: boolean;
  /** Set if it has no pods: the text instead of a verdict on their volumes. */
  readonly withoutPods?: ReportItem;
}

export function isWorkload(kind: Kind): kind is WorkloadKind {
  return (workloadKinds as readonly Kind[]).includes(kind);
}

export function membersOf(ask: Inquiry, kind: WorkloadKind, { namespace = '', name }: TargetRef): Members {
  const lookup = ask.get(kind, namespace, name, `whether ${shortNameOf(kind)}/${name} exists`);
  const all = ask.list('Pod', namespace, `which pods belong to ${shortNameOf(kind)}/${name}`);
  const pods = all.items.filter((pod) => !isTerminated(pod) && isMember(pod, kind, name));
  const set = kind === 'StatefulSet' ? ask.graph.find('StatefulSet', namespace, name) : undefined;
  const claims = new Set([
    ...(set ? claimsExpectedBy(set).map((expected) => expected.name) : []),
    ...pods.flatMap(claimNamesOf),
  ]);
  const targets: TargetRef[] = [
    ...[...claims].map((claim): TargetRef => ({ kind: 'PersistentVolumeClaim', namespace, name: claim })),
    ...pods.map((pod): TargetRef => ({ kind: 'Pod', namespace, name: pod.metadata.name })),
  ];
  if (targets.length > 0) return { targets, isMissing: false };
  if (lookup.state === 'missing') return { targets, isMissing: all.complete };
  const item =
    lookup.state === 'found'
      ? podlessItem(ask, kind, lookup.object, all.complete)
      : unreadItem({ kind, namespace, name }, `Whether ${shortNameOf(kind)}/${name} has pods could not be read.`);
  return { targets, isMissing: false, withoutPods: item };
}

/**
 * By the pod's owner. A ReplicaSet and a Job carry the name of what created them (DeploymentController,
 * CronJobController).
 */
function isMember(pod: Pod, kind: WorkloadKind, name: string): boolean {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller) ?? pod.metadata.ownerReferences?.[0];
  if (owner?.name === undefined) return false;
  if (kind === 'Deployment') {
    const hash = pod.metadata.labels?.['pod-template-hash'];
    return owner.kind === 'ReplicaSet' && hash !== undefined && owner.name === `${name}-${hash}`;
  }
  if (kind === 'CronJob')
    return owner.kind === 'Job' && owner.name.startsWith(`${name}-`) && /^\d+$/.test(owner.name.slice(name.length + 1));
  return owner.kind === kind && owner.name === name;
}

/** A workload that should have pods and has none is not healthy, though the reason may not be storage. */
function podlessItem(
  ask: Inquiry,
  kind: WorkloadKind,
  workload: ObjectOf<WorkloadKind>,
  isListed: boolean,
): ReportItem {
  const wanted = wantedPods(kind, workload);
  const target = refOf(workload);
  const name = `${shortNameOf(kind)}/${workload.metadata.name}`;
  if (wanted === 0 && isListed)
    return {
      ...unreadItem(target, `${name} has no pods and should have none, so no volume is in use.`),
      status: 'healthy',
    };
  if (!isListed) return unreadItem(target, `The pods of ${name} could not be read.`);
  const event = ask.eventsOf(workload).items.findLast(({ reason }) => reason === 'FailedCreate');
  const report = event ? ` Its controller reports: "${messageOf(event)}"` : '';
  return unreadItem(target, `${name} has no pod, so there is no volume to look at.${report}`);
}

function unreadItem(target: ObjectRef, summary: string): ReportItem {
  return { target, status: 'unknown', summary, stages: [], findings: [], unread: [] };
}

/** How many pods there should be, at least one where that is not known; a CronJob has none between its runs. */
function wantedPods(kind: WorkloadKind, workload: ObjectOf<WorkloadKind>): number {
  if (kind === 'CronJob' || kind === 'Job') return 0;
  const { spec, status } = workload as ObjectOf<'Deployment'>;
  return kind === 'DaemonSet' ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1);
}
