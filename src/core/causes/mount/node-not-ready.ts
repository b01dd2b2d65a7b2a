import { absent, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { Condition, Node, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

const cause = 'node-not-ready';
const severity = 'blocking';

/** A kubelet that does not report most likely does not mount either, and one that is not ready starts no pods. */
function explainNotReady(node: Node, pod?: Pod): Explanation | undefined {
  const ready = conditionOf(node.status?.conditions, 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  const { name } = node.metadata;
  const state = [ready.status, ready.reason, ready.message].filter(Boolean).join(': ');
  return {
    about: name,
    summary: `Node ${name} is not ready (${ready.reason ?? ready.status ?? 'no reason given'}), so no volume is mounted there.`,
    evidence: [field(node, 'status.conditions[Ready]', state, ready.lastTransitionTime)],
    fix: adviceFor(name, ready, pod),
  };
}

function adviceFor(node: string, { status, message }: Condition, pod: Pod | undefined): Fix[] {
  const keepOff = `kubectl cordon ${shellWord(node)}`;
  // A kubelet that does not report confirms no deletion either, so a pod there cannot be moved.
  if (status === 'Unknown')
    return [
      steps(
        `Start the machine of ${node}, or its kubelet: it has stopped reporting. Its pods then continue automatically.`,
        [],
      ),
      steps('Keep new pods off it until then.', [keepOff]),
    ];
  const words = message ? ` It reports: "${message.replace(/\.$/, '')}".` : '';
  return [
    steps(
      `Correct what the kubelet of ${node} reports, and restart it.${words} Its pods then continue automatically.`,
      [onNode(node, 'systemctl restart kubelet')],
      'disruptive',
    ),
    pod
      ? steps(
          'Or start the pod on another node, if its volumes can be used there. A ReadWriteOnce volume follows after it is detached here.',
          [keepOff, ...restartPodCommands(pod)],
          'disruptive',
        )
      : steps('Keep new pods off it until then.', [keepOff]),
  ];
}

function explainPod(p: PodCase): Explanation | undefined {
  const name = p.pod.spec?.nodeName;
  if (!name || hasMountedVolumes(p.pod)) return undefined;
  const node = p.ask.get('Node', undefined, name, `whether node ${name} is up`);
  if (node.state === 'found') return explainNotReady(node.object, p.pod);
  return node.state === 'missing' ? explainNoNode(p, name) : undefined;
}

function explainNoNode({ pod }: PodCase, name: string): Explanation {
  return {
    about: name,
    summary: `Node ${name}, on which pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is to run, does not exist.`,
    evidence: [field(pod, 'spec.nodeName'), absent('Node', name)],
    fix: [
      steps(
        'Recreate the pod without spec.nodeName, so that the scheduler chooses a node. If its template sets nodeName, remove it there.',
        restartPodCommands(pod),
      ),
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
