import { field, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { isNodeReady, taintOutOfService } from './detach-case.ts';

/**
 * attach-detach reconciler hasOutOfServiceTaint: on a marked node every check is skipped, whether the node runs or not.
 */
export const detachOutOfServiceLeft = objectRule('Node', {
  cause: 'detach-out-of-service-left',
  stage: 'mount',
  severity: 'warning',
  explain(n) {
    const taint = taintOutOfService(n.object);
    if (!taint || !isNodeReady(n.object)) return undefined;
    return {
      summary:
        `Node ${n.name} is ready again and still has the out-of-service taint: ` +
        'no pod can run there, and its volumes are detached without a check whether they are in use.',
      evidence: [
        field(
          n.object,
          'spec.taints',
          `${taint.key ?? ''}=${taint.value ?? ''}:${taint.effect ?? ''}`,
          taint.timeAdded,
        ),
        field(n.object, 'status.conditions[Ready]', 'True'),
      ],
      fix: [
        steps('Remove the taint. Pods can then run there again.', [
          `kubectl taint node ${shellWord(n.name)} node.kubernetes.io/out-of-service-`,
        ]),
      ],
    };
  },
});
