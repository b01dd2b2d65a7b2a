import { isTerminated } from '../../facts/pod/pod-state.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';

/** Pods that have a volume of the driver mounted now, one for each node. */
function mountedByNode(ask: Inquiry, driver: string): ReadonlyMap<string, Pod> {
  return ask.once(`mounted volumes of ${driver}`, (shared) => {
    const volumes = new Map(
      shared
        .seen('PersistentVolume')
        .filter(({ spec }) => spec?.csi?.driver === driver)
        .map(({ spec, metadata }) => [
          `${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}`,
          metadata.name,
        ]),
    );
    const byNode = new Map<string, Pod>();
    if (volumes.size === 0) return byNode;
    const pods = [...shared.seen('Pod')].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
    for (const pod of pods) {
      const node = pod.spec?.nodeName;
      const isUser = pod.spec?.volumes?.some(({ persistentVolumeClaim: claim }) =>
        volumes.has(`${pod.metadata.namespace ?? ''}/${claim?.claimName ?? ''}`),
      );
      if (node && isUser && !byNode.has(node) && !isTerminated(pod) && hasMountedVolumes(pod)) byNode.set(node, pod);
    }
    return byNode;
  });
}

/** A pod on another node that has a volume of the driver mounted, and the kernel there. */
export function neighbourOf(
  p: FailedMount['p'],
  driver: string | undefined,
): { readonly node: string; readonly pod: string; readonly kernel: string | undefined } | undefined {
  const [found] =
    driver === undefined
      ? []
      : [...mountedByNode(p.ask, driver)]
          .filter(([node]) => node !== nodeOf(p))
          .sort(([one], [other]) => compareText(one, other));
  if (!found) return undefined;
  const [node, pod] = found;
  const kernel = p.ask.graph.find('Node', undefined, node)?.status?.nodeInfo?.kernelVersion;
  return { node, pod: podName(pod), kernel };
}

/** Whether the problem is the node or the volume; empty if no other pod with such a volume was read. */
export function compareWords({ p, driver }: FailedMount): string {
  if (driver === undefined) return '';
  const node = nodeOf(p);
  const byNode = mountedByNode(p.ask, driver);
  const here = byNode.get(node);
  if (here)
    return ` ${podName(here)} on the same node has a volume of this driver mounted, so compare the two volumes first.`;
  const [elsewhere] = [...byNode];
  if (!elsewhere) return '';
  const [otherNode, pod] = elsewhere;
  const other = p.ask.graph.find('Node', undefined, otherNode);
  return (
    ` ${podName(pod)} on ${otherNode} has a volume of this driver mounted, so compare the two nodes ` +
    `first${differenceWords(knownNode(p), other)}.`
  );
}

function podName({ metadata: { name, namespace } }: Pod): string {
  return `pod/${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

/** ` (kernel 5.15 here, 6.8 there)` */
function differenceWords(here: Node | undefined, there: Node | undefined): string {
  const [a, b] = [here?.status?.nodeInfo, there?.status?.nodeInfo];
  const pairs: [string, string | undefined, string | undefined][] = [
    ['system', a?.osImage, b?.osImage],
    ['kernel', a?.kernelVersion, b?.kernelVersion],
    ['kubelet', a?.kubeletVersion, b?.kubeletVersion],
  ];
  const differing = pairs.flatMap(([name, mine, other]) =>
    mine !== undefined && other !== undefined && mine !== other ? [`${name} ${mine} here, ${other} there`] : [],
  );
  return differing.length === 0 ? '' : ` (${differing.join('; ')})`;
}
