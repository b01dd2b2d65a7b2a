import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Node } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { nodeOf, podWords } from './told-volume.ts';

/** Nothing can confirm that the pod has stopped, so its volumes stay attached to the node (attach-detach controller, podgc). */
export const terminatingOnLostNode = podRule({
  cause: 'detach-node-not-ready',
  stage: 'delete',
  severity: 'info',
  explain(p) {
    const lost = findLostNode(p);
    if (!lost) return undefined;
    return {
      severity: 'blocking',
      about: nodeOf(p),
      summary: `${podWords(p)} is being deleted, but ${describeNode(p, lost)}: nobody can confirm that it has stopped, so it stays, and its volumes stay attached there`,
      evidence: evidenceOf(p, lost),
      fix: adviceFor(p, lost),
    };
  },
});

interface LostNode {
  /** Undefined where the node does not exist any more. */
  readonly node: Node | undefined;
}

function findLostNode(p: PodCase): LostNode | undefined {
  const name = nodeOf(p);
  const ended = parseTime(p.pod.metadata.deletionTimestamp);
  if (!name || ended === undefined || p.now <= ended || p.claims.length === 0) return undefined;
  const node = p.ask.get('Node', undefined, name, `whether ${name} is up`);
  if (node.state === 'unknown') return undefined;
  if (node.state === 'missing') return { node: undefined };
  return conditionOf(node.object.status?.conditions, 'Ready')?.status === 'True' ? undefined : { node: node.object };
}

function describeNode(p: PodCase, { node }: LostNode): string {
  if (!node) return `node ${nodeOf(p)} does not exist any more`;
  const since = parseTime(conditionOf(node.status?.conditions, 'Ready')?.lastTransitionTime);
  return `node ${nodeOf(p)} ${since === undefined ? 'is not ready' : `has not been ready for ${ageText(since, p.now)}`}`;
}

function evidenceOf(p: PodCase, { node }: LostNode): Explanation['evidence'] {
  const deletion = field(p.pod, 'metadata.deletionTimestamp');
  if (!node) return [absent('Node', nodeOf(p)), deletion];
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const words = [ready?.status ?? 'not set', ready?.reason].filter(Boolean).join(', ');
  return [field(node, 'status.conditions[Ready]', words, ready?.lastTransitionTime), deletion];
}

function adviceFor(p: PodCase, { node }: LostNode): Fix[] {
  if (!node)
    return [
      fix(
        'the pod garbage collector removes pods of a deleted node within minutes: see that the kube-controller-manager runs',
        'kubectl -n kube-system get lease kube-controller-manager',
      ),
    ];
  const name = shellWord(nodeOf(p));
  return [
    fix('bring the node back if it can be', `kubectl describe node ${name}`),
    fix(
      'data-loss: only if the machine is certainly off, mark it as out of service; its pods are then removed and its volumes detached at once',
      `kubectl taint nodes ${name} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
      'data-loss',
    ),
  ];
}
