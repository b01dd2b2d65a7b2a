import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';

const cause = 'node-not-ready';
const severity = 'blocking';

/** A kubelet that does not report most likely does not mount either, and one that is not ready starts no pods. */
function explainNotReady(node: Node): Explanation | undefined {
  const ready = conditionOf(node.status?.conditions, 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  const { name } = node.metadata;
  const state = [ready.status, ready.reason, ready.message].filter(Boolean).join(': ');
  return {
    about: name,
    summary: `node ${name} is not ready (${ready.reason ?? ready.status ?? 'no reason given'}), so nothing is mounted there`,
    evidence: [field(node, 'status.conditions[Ready]', state, ready.lastTransitionTime)],
    fix: adviceFor(name),
  };
}

function adviceFor(node: string): Fix[] {
  return [
    fix(
      'bring the node back: see what its kubelet and its container runtime say',
      `kubectl describe node ${shellWord(node)}`,
    ),
    fix(
      'or keep new pods off it until then; a volume that only one node may hold follows a pod once it is detached here',
      `kubectl cordon ${shellWord(node)}`,
      'disruptive',
    ),
  ];
}

function explainPod(p: PodCase): Explanation | undefined {
  const name = p.pod.spec?.nodeName;
  if (!name || hasMountedVolumes(p.pod)) return undefined;
  const node = p.ask.get('Node', undefined, name, `whether node ${name} is up`);
  if (node.state === 'found') return explainNotReady(node.object);
  return node.state === 'missing' ? explainNoNode(p, name) : undefined;
}

function explainNoNode({ pod }: PodCase, name: string): Explanation {
  return {
    about: name,
    summary: `node ${name}, where pod/${pod.metadata.name} should run, does not exist`,
    evidence: [field(pod, 'spec.nodeName'), absent('Node', name)],
    fix: [
      fix('make the pod again without a node of its own: let the scheduler choose', 'kubectl get nodes', 'disruptive'),
    ],
  };
}

export const nodeNotReady = {
  atMount: [
    podRule({ cause, stage: 'mount', severity, explain: explainPod }),
    objectRule('Node', { cause, stage: 'mount', severity, explain: (n) => explainNotReady(n.object) }),
  ],
  atAttach: [podRule({ cause, stage: 'attach', severity, explain: explainPod })],
};
