import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { limitExceeded } from '../../journey/pod-attach.ts';
import { podRule } from '../lib/rule.ts';

/** volume_manager.go (1.33 alpha, on from 1.35): a pod whose volume finds no slot on its node is ended, lest it wait for ever. */
export const attachLimitPodRejected = podRule({
  cause: 'attach-limit-pod-rejected',
  stage: 'attach',
  severity: 'blocking',
  explain({ pod }) {
    if (pod.status?.phase !== 'Failed' || pod.status.reason !== limitExceeded) return undefined;
    const owner = ownerOf(pod);
    const node = pod.spec?.nodeName ?? '';
    return {
      about: `node ${node}`,
      summary: `pod/${pod.metadata.name} was rejected by node ${node}, which has reached its limit of attached volumes; ${owner ? `${owner.kind.toLowerCase()}/${owner.name} makes a new pod in its place` : 'nobody makes a new pod in its place'}`,
      evidence: [field(pod, 'status.reason'), field(pod, 'status.message')],
      fix: [
        owner
          ? fix(
              'delete the dead pod; the new one is placed by the limit that the driver has reported since',
              `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`,
              'disruptive',
            )
          : fix(
              'delete the pod and make it again: it is placed by the limit that the driver has reported since',
              `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`,
              'disruptive',
            ),
        fix(
          'if it comes back: correct the attach limit of the driver, or spread the pods over more nodes',
          `kubectl get csinode ${shellWord(node)} -o yaml`,
        ),
      ],
    };
  },
});
