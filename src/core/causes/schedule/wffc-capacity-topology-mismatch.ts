import type { Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { hasRoom, isNear } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { ignoreCapacity, mostCapacitiesShown, suspectedCapacity, topologyText } from './published-capacity.ts';
import { restoreLabelFixes } from './restore-label.ts';

/** binder nodeHasAccess: free space that no node can reach does not count. */
export const wffcCapacityTopologyMismatch = podRule({
  cause: 'wffc-capacity-topology-mismatch',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    for (const view of suspectedCapacity(p)) {
      const mismatch = findMismatch(p, view);
      if (!mismatch) continue;
      const { driver, claim, storageClass } = view;
      return {
        about: `${driver}/${storageClass.metadata.name}`,
        summary:
          `${driver} has enough space for pvc/${claim.name}, but only in topologies that no node has: ` +
          `${nameAll(mismatch.roomy.map(topologyText))}.`,
        evidence: evidenceOf(p, mismatch),
        fix: adviceFor(p, driver, mismatch),
      };
    }
    return undefined;
  },
});

interface Mismatch {
  /** Published space that is large enough. */
  readonly roomy: readonly [StorageCapacity, ...StorageCapacity[]];
  /** Nodes that could take the pod and are near no published space at all. */
  readonly left: readonly Node[];
}

function findMismatch(p: PodCase, { published, claim }: CapacityView): Mismatch | undefined {
  const [first, ...more] = published.filter((capacity) => hasRoom(capacity, claim));
  if (!first) return undefined;
  const roomy = [first, ...more] as const;
  const fits = fitNodes(p);
  if (!fits.complete || fits.items.length === 0) return undefined;
  if (roomy.some((capacity) => fits.items.some(({ node }) => isNear(capacity, node)))) return undefined;
  const left = fits.items
    .filter(({ node, refusal }) => !refusal && !published.some((capacity) => isNear(capacity, node)))
    .map(({ node }) => node);
  return left.length > 0 ? { roomy, left } : undefined;
}

function evidenceOf(p: PodCase, { roomy, left }: Mismatch): EvidenceList {
  const [first, ...more] = roomy;
  return [
    field(first, 'nodeTopology', topologyText(first)),
    ...more
      .slice(0, mostCapacitiesShown - 1)
      .map((capacity) => field(capacity, 'nodeTopology', topologyText(capacity))),
    ...left.slice(0, mostCapacitiesShown).map((node) => field(node, 'metadata.labels', labelsText(node, roomy))),
    ...schedulerSaid(p),
  ];
}

/** The labels of the node that the published topologies ask for. */
function labelsText(node: Node, wanted: readonly StorageCapacity[]): string {
  const keys = new Set(
    wanted.flatMap(({ nodeTopology }) => [
      ...Object.keys(nodeTopology?.matchLabels ?? {}),
      ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }) => (key ? [key] : [])),
    ]),
  );
  const labels = [...keys].map((key) => `${key}=${node.metadata.labels?.[key] ?? '(not set)'}`);
  return labels.join(', ') || 'no topology asked for';
}

function adviceFor(p: PodCase, driver: string, { roomy }: Mismatch): Fix[] {
  const wanted = roomy.find(({ nodeTopology }) => Object.keys(nodeTopology?.matchLabels ?? {}).length > 0);
  if (!wanted)
    return [
      ...ignoreCapacity(p, driver, 'Stop the check: no published capacity names nodes that exist'),
      steps(
        `Correct the topology that ${driver} reports for its nodes (NodeGetInfo): its CSIStorageCapacity objects follow within a minute.`,
        [],
      ),
    ];
  return restoreLabelFixes(p, {
    driver,
    labels: Object.entries(wanted.nodeTopology?.matchLabels ?? {}).map(([key, value]) => ({ key, value })),
    node: undefined,
    holds: 'has this storage',
  });
}
