import { objectRule } from '../lib/rule.ts';
import { isNodeDeployed } from './deleter-down.ts';
import { explainLostNode, findLostNode } from './lost-node.ts';
import { deleterOf, deletingController, isToBeDeleted } from './volume-deletion.ts';

/** external-provisioner --node-deployment: each instance deletes only the volumes that it created on its own node. */
export const pvNodeDeploymentOrphan = objectRule('PersistentVolume', {
  cause: 'pv-node-deployment-orphan',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const deleter = deleterOf(v.object);
    if (deleter === undefined || !isToBeDeleted(v) || !v.object.spec?.csi) return undefined;
    const lost = findLostNode(v);
    if (!lost) return undefined;
    const controller = deletingController(v, deleter);
    const isProven = isNodeDeployed(controller);
    // A central provisioner could still delete the volume; what it answers is a cause of its own.
    if (!isProven && (controller.lease.object || controller.pods.items.length > 0)) return undefined;
    const because = `Only the provisioner of ${deleter} on that node deletes it: those on other nodes delete only their own volumes.`;
    return { ...explainLostNode(v, lost, because), confidence: isProven ? 'certain' : 'likely' };
  },
});
