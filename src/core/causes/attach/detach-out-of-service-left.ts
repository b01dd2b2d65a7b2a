import { field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
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
      summary: `node ${n.name} is ready and still marked as out of service: no pod can run there, and its volumes are detached without asking whether they are in use`,
      evidence: [
        field(
          n.object,
          'spec.taints',
          `${taint.key ?? ''}=${taint.value ?? ''}:${taint.effect ?? ''}`,
          taint.timeAdded,
        ),
        field(n.object, 'status.conditions[Ready]', 'True'),
      ],
      fix: [fix('remove the mark', `kubectl taint nodes ${shellWord(n.name)} node.kubernetes.io/out-of-service-`)],
    };
  },
});
