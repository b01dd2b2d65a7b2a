import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { nodeOf, podWords } from './told-volume.ts';

/** Nobody can confirm that the pod has stopped, so its volumes stay where they are (attach-detach controller, podgc). */
export const terminatingOnLostNode = podRule({
  cause: 'detach-node-not-ready',
  stage: 'delete',
  severity: 'info',
  explain(p) {
    const name = nodeOf(p);
    const ended = parseTime(p.pod.metadata.deletionTimestamp);
    if (!name || ended === undefined || p.now <= ended || p.claims.length === 0) return undefined;
    const node = p.ask.get('Node', undefined, name, `whether ${name} is up`);
    if (node.state === 'unknown') return undefined;
    const ready = node.state === 'found' ? conditionOf(node.object.status?.conditions, 'Ready') : undefined;
    if (node.state === 'found' && ready?.status === 'True') return undefined;
    const since = parseTime(ready?.lastTransitionTime);
    const lost =
      node.state === 'missing'
        ? `node ${name} does not exist any more`
        : `node ${name} ${since === undefined ? 'is not ready' : `has not been ready for ${ageText(since, p.now)}`}`;
    return {
      severity: 'blocking',
      about: name,
      summary: `${podWords(p)} is being deleted, but ${lost}: nobody can confirm that it has stopped, so it stays, and its volumes stay attached there`,
      evidence: [
        node.state === 'found'
          ? field(
              node.object,
              'status.conditions[Ready]',
              [ready?.status ?? 'not set', ready?.reason].filter(Boolean).join(', '),
              ready?.lastTransitionTime,
            )
          : absent('Node', name),
        field(p.pod, 'metadata.deletionTimestamp'),
      ],
      fix: [
        node.state === 'found'
          ? fix('bring the node back if it can be', `kubectl describe node ${shellWord(name)}`)
          : fix(
              'the pod garbage collector removes pods of a deleted node within minutes: see that the kube-controller-manager runs',
              'kubectl -n kube-system get lease kube-controller-manager',
            ),
        ...(node.state === 'found'
          ? [
              fix(
                'data-loss: only if the machine is certainly off, mark it as out of service; its pods are then removed and its volumes detached at once',
                `kubectl taint nodes ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
                'data-loss',
              ),
            ]
          : []),
      ],
    };
  },
});
