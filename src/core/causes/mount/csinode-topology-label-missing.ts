import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { restartPlugin } from './plugin-fixes.ts';

const cause = 'csinode-topology-label-missing';
const severity = 'blocking';

interface LostLabels {
  readonly driver: string;
  readonly topologyKeys: readonly string[];
  readonly lost: readonly string[];
}

/**
 * The kubelet writes the labels when the driver registers (nodeinfomanager updateTopologyLabels), and nothing restores
 * them later.
 */
function findLostLabels(csiNode: CsiNode, node: Node, only: string | undefined): LostLabels | undefined {
  for (const { name: driver, topologyKeys = [] } of csiNode.spec?.drivers ?? []) {
    if (driver === undefined || (only !== undefined && only !== driver)) continue;
    const lost = topologyKeys.filter((key) => node.metadata.labels?.[key] === undefined);
    if (lost.length > 0) return { driver, topologyKeys, lost };
  }
  return undefined;
}

/** `only`: one driver; otherwise all that the CSINode lists. */
function explainLostLabels(ask: Inquiry, csiNode: CsiNode, node: Node, only?: string): Explanation | undefined {
  const found = findLostLabels(csiNode, node, only);
  if (!found) return undefined;
  const { driver, topologyKeys, lost } = found;
  const { name } = node.metadata;
  return {
    about: `${driver}/${name}`,
    summary:
      `Node ${name} lacks the label ${lost.join(', ')}, which ${driver} uses as topology. ` +
      'No volume is created for the node, and no existing one fits it.',
    evidence: [
      field(csiNode, `spec.drivers[${driver}].topologyKeys`, topologyKeys.join(', ')),
      ...lost.map((key) => field(node, `metadata.labels[${key}]`, 'not set')),
    ],
    fix: [
      restartPlugin(
        ask,
        driver,
        name,
        `Restart the node plugin of ${driver} on ${name}: the kubelet writes the labels when it registers. Also stop what removed them.`,
      ),
    ],
  };
}

function explainNode(n: ObjectCase<'Node'>): Explanation | undefined {
  const csiNode = n.ask.get('CSINode', undefined, n.name, `which drivers are registered on ${n.name}`);
  return csiNode.state === 'found' ? explainLostLabels(n.ask, csiNode.object, n.object) : undefined;
}

function explainDriver(d: ObjectCase<'CSIDriver'>): Explanation | undefined {
  const withKeys = d.ask
    .list('CSINode', undefined, `on which nodes ${d.name} is registered`)
    .items.filter(({ spec }) =>
      spec?.drivers?.some(({ name, topologyKeys = [] }) => name === d.name && topologyKeys.length > 0),
    );
  if (withKeys.length === 0) return undefined;
  const nodes = d.ask.list('Node', undefined, `which nodes bear the topology labels of ${d.name}`).items;
  for (const csiNode of withKeys) {
    const node = nodes.find(({ metadata }) => metadata.name === csiNode.metadata.name);
    const explanation = node && explainLostLabels(d.ask, csiNode, node, d.name);
    if (explanation) return explanation;
  }
  return undefined;
}

export const csinodeTopologyLabelMissing = [
  objectRule('Node', { cause, stage: 'mount', severity, explain: explainNode }),
  objectRule('CSIDriver', { cause, stage: 'mount', severity, explain: explainDriver }),
];
