import { absent, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Node } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { nodeOf, podWords } from './told-volume.ts';

/**
 * Nothing can confirm that the pod has stopped, so its volumes stay attached to the node (attach-detach controller,
 * podgc).
 */
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
      summary:
        `${podWords(p)} is being deleted, but ${describeNode(p, lost)}. ` +
        'No kubelet confirms that it has stopped, so it stays, and its volumes stay attached there.',
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
  if (!node) return `node ${nodeOf(p)} no longer exists`;
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
  const name = nodeOf(p);
  if (!node)
    return [
      steps(
        'If the machine is certainly off, remove the pod by force: ' +
          'the pod garbage collector of the kube-controller-manager does the same within minutes when it runs.',
        [
          ...((p.pod.metadata.ownerReferences ?? []).length > 0 ? [] : [saveCommand(p.pod)]),
          kubectl('delete', p.pod, '--force --grace-period=0'),
        ],
        'disruptive',
      ),
    ];
  const bringBack = steps(
    `Start the machine of ${name}, or its kubelet, if it can be saved. The pod then goes and its volumes are detached.`,
    [],
  );
  const version = parseServerVersion(p.ask.graph.snapshot.serverVersion);
  if (atLeast(version, 1, 26) === false) return [bringBack];
  return [
    bringBack,
    steps(
      `Only if the machine is certainly off: mark ${name} as out of service. ` +
        'Its pods are then removed and its volumes detached at once. Remove the taint when the node is back.',
      [`kubectl taint node ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`],
      'data-loss',
    ),
  ];
}
