import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { limitExceeded } from '../../journey/pod-attach.ts';
import { podRule } from '../lib/rule.ts';

/**
 * volume_manager.go (1.33 alpha, on from 1.35): the kubelet fails a pod whose volume finds no slot on its node, instead
 * of letting it wait for ever.
 */
export const attachLimitPodRejected = podRule({
  cause: 'attach-limit-pod-rejected',
  stage: 'attach',
  severity: 'blocking',
  explain({ pod }) {
    if (pod.status?.phase !== 'Failed' || pod.status.reason !== limitExceeded) return undefined;
    const owner = ownerOf(pod);
    const node = pod.spec?.nodeName ?? '';
    const next = owner
      ? `${owner.kind.toLowerCase()}/${owner.name} makes a new pod in its place`
      : 'nobody makes a new pod in its place';
    return {
      about: `node ${node}`,
      summary: `pod/${pod.metadata.name} was rejected by node ${node}, which has reached its limit of attached volumes; ${next}`,
      evidence: [field(pod, 'status.reason'), field(pod, 'status.message')],
      fix: fixesFor(pod, node, owner !== undefined),
    };
  },
});

function fixesFor({ metadata }: Pod, node: string, isReplaced: boolean): Fix[] {
  return [
    fix(
      isReplaced
        ? 'delete the dead pod; the new one is placed by the limit that the driver has reported since'
        : 'delete the pod and make it again: it is placed by the limit that the driver has reported since',
      `kubectl ${inNamespace(metadata.namespace)}delete pod ${shellWord(metadata.name)}`,
      'disruptive',
    ),
    fix(
      'if it comes back: correct the attach limit of the driver, or spread the pods over more nodes',
      `kubectl get csinode ${shellWord(node)} -o yaml`,
    ),
  ];
}
