import type { Node, Pod } from '../../../kube/kinds.ts';
import { fix, field, shellWord } from '../../../facts/evidence.ts';
import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { recordOf } from '../templates.ts';
import { plainRef } from './future.ts';
import type { Future, Leaving } from './future.ts';
import { controllerOf, ownershipOf } from './pod-owner.ts';

const unreachable = [
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
];

/** kubectl drain --ignore-daemonsets --delete-emptydir-data: the node is cordoned, and pods are evicted one by one. */
export function drainNodes(f: Future, nodes: readonly Node[]): void {
  for (const node of nodes) {
    const raw = f.world.get('Node', undefined, node.metadata.name);
    if (raw) f.world.put({ ...raw, spec: { ...recordOf(raw['spec']), unschedulable: true } });
  }
  const bare = nodes.flatMap((node) => empty(f, node, 'drained')).filter((pod) => ownershipOf(pod) === 'bare');
  if (bare.length > 0)
    f.add({
      effect: 'refused',
      severity: 'breaks',
      summary:
        bare.length === 1
          ? `kubectl drain refuses to start, because pod/${bare[0]?.metadata.name ?? ''} on ` +
            `${bare[0]?.spec?.nodeName ?? ''} has no controller. ` +
            'With --force it is deleted, and nothing recreates it.'
          : `kubectl drain refuses to start, because ${bare.length} pods on ${namesOf(nodes)} have no controller. ` +
            'With --force they are deleted, and nothing recreates them.',
      objects: bare.map(plainRef),
      evidence: bare.slice(0, 4).map((pod) => field(pod, 'metadata.ownerReferences', 'no controller')),
      prevention: [
        fix(
          'Save each of these pods, or let a Deployment or StatefulSet run it, before you drain with --force.',
          bare[0] &&
            `kubectl -n ${shellWord(bare[0].metadata.namespace ?? 'default')} get pod ${shellWord(bare[0].metadata.name)} -o yaml`,
        ),
      ],
    });
}

/** The machine is gone without a shutdown: its Node object stays, and no kubelet confirms that a pod has ended. */
export function loseNodes(f: Future, nodes: readonly Node[]): void {
  for (const node of nodes) {
    const raw = f.world.get('Node', undefined, node.metadata.name);
    if (!raw) continue;
    const conditions = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
    f.world.put({
      ...raw,
      spec: { ...recordOf(raw['spec']), taints: [...(node.spec?.taints ?? []), ...unreachable] },
      status: {
        ...recordOf(raw['status']),
        conditions: [
          ...conditions,
          { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: f.world.madeAt },
        ],
      },
    });
  }
  stopBarePods(
    f,
    nodes.flatMap((node) => empty(f, node, 'lost')),
    'are lost with',
  );
}

/** The pod garbage collector removes the pods of a node that does not exist. */
export function deleteNodes(f: Future, nodes: readonly Node[]): void {
  const gone = nodes.flatMap((node) => empty(f, node, 'node deleted'));
  for (const { metadata } of nodes) {
    f.world.remove('Node', undefined, metadata.name);
    f.world.remove('CSINode', undefined, metadata.name);
  }
  stopBarePods(f, gone, 'are deleted with');
  f.unforeseen.add('Whether the machine keeps running: its kubelet registers the Node again when it restarts.');
}

function stopBarePods(f: Future, pods: readonly Pod[], words: string): void {
  const bare = pods.filter((pod) => ownershipOf(pod) === 'bare');
  if (bare.length > 0)
    f.add({
      effect: 'stops',
      severity: 'breaks',
      summary:
        `${count(bare.length, 'pod')} without a controller ` +
        `${bare.length === 1 ? words.replace('are', 'is') : words} the node, and nothing recreates ` +
        `${bare.length === 1 ? 'it' : 'them'}.`,
      objects: bare.map(plainRef),
      evidence: bare.slice(0, 4).map((pod) => field(pod, 'metadata.ownerReferences', 'no controller')),
    });
}

/** Takes the pods off a node, and returns those that have to leave. */
function empty(f: Future, node: Node, why: Leaving): Pod[] {
  const { name } = node.metadata;
  const pods = f.before
    .podsOnNode(name)
    .items.filter((pod) => f.world.get('Pod', pod.metadata.namespace, pod.metadata.name) !== undefined);
  const leaving: Pod[] = [];
  for (const pod of pods) {
    const ownership = ownershipOf(pod);
    const stays = why === 'drained' && (ownership === 'daemon' || ownership === 'static');
    if (stays || ownership === 'over') continue;
    const { namespace } = pod.metadata;
    const raw = f.world.get('Pod', namespace, pod.metadata.name);
    if (!raw) continue;
    f.world.remove('Pod', namespace, pod.metadata.name);
    if (ownership === 'daemon' || ownership === 'static') continue;
    const isEnding = pod.metadata.deletionTimestamp !== undefined && isTerminated(pod);
    if (isEnding) continue;
    leaving.push(pod);
    f.departures.push({ pod, raw, node: name, why, returns: ownership === 'recreated' });
  }
  noteForeignOwners(f, leaving);
  return leaving;
}

const knownOwners: ReadonlySet<string> = new Set([
  'ReplicaSet',
  'StatefulSet',
  'Job',
  'ReplicationController',
  'DaemonSet',
]);

function noteForeignOwners(f: Future, pods: readonly Pod[]): void {
  const kinds = new Set(pods.flatMap((pod) => controllerOf(pod)?.kind ?? []).filter((kind) => !knownOwners.has(kind)));
  for (const kind of kinds) f.unforeseen.add(`Whether and how the controller of ${kind} objects recreates its pods.`);
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function namesOf(objects: readonly { readonly metadata: { readonly name: string } }[], most = 3): string {
  const names = objects.slice(0, most).map(({ metadata }) => metadata.name);
  const more = objects.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
