import { objectRule } from '../lib/rule.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { explainLostNode, findLostNode } from './lost-node.ts';
import { isToBeDeleted } from './volume-deletion.ts';

/**
 * Not CSI: a local provisioner cleans up on the node itself (static-provisioner pkg/deleter, or a pod that is sent
 * there).
 */
export const pvDeleteNodeGone = objectRule('PersistentVolume', {
  cause: 'pv-delete-node-gone',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeDeleted(v) || v.object.spec?.csi || !v.annotation(provisionedByAnnotation)) return undefined;
    const lost = findLostNode(v);
    return lost && explainLostNode(v, lost, 'Only the provisioner on that node deletes it.');
  },
});
