import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { limitExceeded } from '../../journey/pod-attach.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';

/**
 * volume_manager.go (1.33 alpha, on from 1.35): the kubelet fails a pod whose volume finds no slot on its node, instead
 * of letting it wait indefinitely.
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
      ? `${owner.kind.toLowerCase()}/${owner.name} creates a new pod instead of it.`
      : 'It has no owner, so no new pod is created.';
    return {
      about: `node ${node}`,
      summary: `Node ${node} rejected pod/${pod.metadata.name}: it has reached its limit of attached volumes. ${next}`,
      evidence: [field(pod, 'status.reason'), field(pod, 'status.message')],
      fix: fixesFor(pod, node),
    };
  },
});

function fixesFor(pod: Pod, node: string): Fix[] {
  const isOwned = ownerOf(pod) !== undefined;
  return [
    isOwned
      ? steps(
          'Delete the failed pod: it has ended, and its successor is scheduled by the limit that the driver has reported since.',
          [kubectl('delete', pod)],
        )
      : steps(
          'Recreate the pod: it has ended, and the new one is scheduled by the limit that the driver has reported since.',
          restartPodCommands(pod),
        ),
    steps(
      'If the new pod is rejected, too, add a node, or set the attach limit of the driver to what the machine ' +
        `really takes. This is what the scheduler goes by on ${node}.`,
      [
        `kubectl get csinode ${shellWord(node)} -o jsonpath='{range .spec.drivers[*]}{.name}={.allocatable.count}{"\\n"}{end}'`,
      ],
    ),
  ];
}
