import { field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';

const cause = 'csinode-topology-label-missing';
const severity = 'blocking';

/** The kubelet writes the labels when the driver registers (nodeinfomanager updateTopologyLabels), and nobody puts them back when they are gone. */
function explainLabels(csiNode: CsiNode, node: Node, only?: string): Explanation | undefined {
  for (const { name: driver, topologyKeys = [] } of csiNode.spec?.drivers ?? []) {
    const lost =
      only === undefined || only === driver
        ? topologyKeys.filter((key) => node.metadata.labels?.[key] === undefined)
        : [];
    if (lost.length === 0 || driver === undefined) continue;
    const name = node.metadata.name;
    return {
      about: `${driver}/${name}`,
      summary: `node ${name} lacks the label ${lost.join(', ')}, by which ${driver} tells where its volumes are: none is made for it, and none that exists fits it`,
      evidence: [
        field(csiNode, `spec.drivers[${driver}].topologyKeys`, topologyKeys.join(', ')),
        ...lost.map((key) => field(node, `metadata.labels[${key}]`, 'not set')),
      ] as [ReturnType<typeof field>, ...ReturnType<typeof field>[]],
      fix: [
        fix(
          `restart the pod of ${driver} on ${name}: the kubelet then writes the labels again; and stop whatever strips them`,
          `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(name)}`,
        ),
      ],
    };
  }
  return undefined;
}

export const csinodeTopologyLabelMissing = [
  objectRule('Node', {
    cause,
    stage: 'mount',
    severity,
    explain(n) {
      const csiNode = n.ask.get('CSINode', undefined, n.name, `which drivers are registered on ${n.name}`);
      return csiNode.state === 'found' ? explainLabels(csiNode.object, n.object) : undefined;
    },
  }),
  objectRule('CSIDriver', {
    cause,
    stage: 'mount',
    severity,
    explain(d) {
      const withKeys = d.ask
        .list('CSINode', undefined, `on which nodes ${d.name} is registered`)
        .items.filter(({ spec }) =>
          spec?.drivers?.some(({ name, topologyKeys = [] }) => name === d.name && topologyKeys.length > 0),
        );
      if (withKeys.length === 0) return undefined;
      const nodes = d.ask.list('Node', undefined, `which nodes bear the topology labels of ${d.name}`).items;
      for (const csiNode of withKeys) {
        const node = nodes.find(({ metadata }) => metadata.name === csiNode.metadata.name);
        const explanation = node && explainLabels(csiNode, node, d.name);
        if (explanation) return explanation;
      }
      return undefined;
    },
  }),
];
