import { mergeObjects } from '../../core/kube/merge-objects.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt } from '../fields.ts';
import { bindTo } from './bind-claims.ts';
import type { Workplace } from './loop.ts';
import { podsOn, refusalOf, volumeAt } from './node-fit.ts';
import { withCondition } from './pod-status.ts';
import {
  bindsLate,
  claimNamesOf,
  classOf,
  hasEnded,
  isBound,
  isLeaving,
  selectedNode,
  usersOf,
  volumeOf,
} from './storage-objects.ts';

const from = 'default-scheduler';
const noHelp = (count: number, why: string): string =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} ${why}.`;

/** The scheduler: a node for each pod that has none; claims that bind late get theirs first. */
export function schedulePods({ cluster }: Workplace): void {
  for (const pod of cluster.list('Pod')) {
    const waits = textAt(pod, 'spec', 'nodeName') === '' && !isLeaving(pod) && !hasEnded(pod);
    const scheduler = textAt(pod, 'spec', 'schedulerName') || from;
    if (!waits || scheduler !== from || listAt(pod, 'spec', 'schedulingGates').length > 0) continue;
    const refusal = refusalBefore(pod, cluster) ?? place(pod, cluster);
    if (refusal !== undefined) reportRefusal(pod, refusal, cluster);
  }
}

/** What rules out every node at once (the scheduler's PreFilter). */
function refusalBefore(pod: RawObject, cluster: Cluster): string | undefined {
  const count = cluster.list('Node').length;
  for (const name of claimNamesOf(pod)) {
    const claim = cluster.get('PersistentVolumeClaim', pod.metadata.namespace, name);
    if (claim === undefined) return `persistentvolumeclaim "${name}" not found. not found`;
    if (textAt(claim, 'status', 'phase') === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${textAt(claim, 'spec', 'volumeName')}". not found`;
    if (isLeaving(claim)) return `persistentvolumeclaim "${name}" is being deleted. not found`;
    if (!isBound(claim) && !bindsLate(classOf(claim, cluster)))
      return 'pod has unbound immediate PersistentVolumeClaims. not found';
    const isExclusive = listAt(claim, 'spec', 'accessModes').includes('ReadWriteOncePod');
    const isTaken = usersOf(claim, cluster).some(
      (user) => user.metadata.uid !== pod.metadata.uid && textAt(user, 'spec', 'nodeName') !== '',
    );
    if (isExclusive && isTaken)
      return (
        `${count} node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already ` +
        `in-use by another pod. ${noHelp(count, 'No preemption victims found for incoming pod')}`
      );
  }
  return undefined;
}

/** The words of the refusal; undefined if the pod has a node, or will have one when its claims are bound. */
function place(pod: RawObject, cluster: Cluster): string | undefined {
  const nodes = cluster.list('Node');
  const refusals = nodes.map((node) => ({ node, why: refusalOf(pod, node, cluster) }));
  const delayed = claimNamesOf(pod)
    .flatMap((name) => cluster.get('PersistentVolumeClaim', pod.metadata.namespace, name) ?? [])
    .filter((claim) => !isBound(claim));
  const chosen = delayed
    .map((claim) => textAt(claim, 'metadata', 'annotations', selectedNode))
    .find((name) => name !== '');
  const fitting = refusals
    .filter(({ node, why }) => why === undefined && (chosen === undefined || node.metadata.name === chosen))
    .map(({ node }) => node)
    .toSorted((left, right) => podsOn(left, cluster).length - podsOn(right, cluster).length);
  const [node] = fitting;
  if (node === undefined)
    return summary(
      refusals.flatMap(({ why }) => why ?? []),
      nodes.length,
    );
  if (delayed.length === 0) bindPod(pod, node, cluster);
  else for (const claim of delayed) prepare(claim, node, cluster);
  return undefined;
}

/** The claim gets an existing volume, or its provisioner learns on which node the volume is needed. */
function prepare(claim: RawObject, node: RawObject, cluster: Cluster): void {
  const volume = volumeOf(claim, cluster) ?? volumeAt(claim, node, cluster);
  if (volume !== undefined) return bindTo(claim, volume, cluster);
  cluster.put(mergeObjects(claim, { metadata: { annotations: { [selectedNode]: node.metadata.name } } }) as RawObject);
}

function bindPod(pod: RawObject, node: RawObject, cluster: Cluster): void {
  const { namespace = '', name } = pod.metadata;
  const placed = mergeObjects(pod, { spec: { nodeName: node.metadata.name } }) as RawObject;
  cluster.put(withCondition(placed, { type: 'PodScheduled', status: 'True' }, cluster.timestamp));
  cluster.report(placed, {
    reason: 'Scheduled',
    message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    from,
  });
}

function summary(reasons: readonly string[], count: number): string {
  if (count === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].map(([reason, times]) => `${times} ${reason}`).sort();
  return `${words.join(', ')}. ${noHelp(count, 'Preemption is not helpful for scheduling')}`;
}

function reportRefusal(pod: RawObject, refusal: string, cluster: Cluster): void {
  const message = `0/${cluster.list('Node').length} nodes are available: ${refusal}`;
  cluster.put(
    withCondition(pod, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }, cluster.timestamp),
  );
  cluster.report(pod, { type: 'Warning', reason: 'FailedScheduling', message, from });
}
