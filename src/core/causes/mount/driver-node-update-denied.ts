import { fix } from '../../facts/evidence.ts';
import { refusalRule, restartFix } from './registration-refusal.ts';

/** The kubelet writes the node id and the topology into its Node and CSINode (nodeinfomanager). */
export const driverNodeUpdateDenied = refusalRule(
  'driver-node-update-denied',
  'update',
  'it may not write its Node or CSINode object',
  (r) => [
    fix(
      'look for a webhook or an authorizer that refuses the kubelet',
      `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`,
    ),
    restartFix(r),
  ],
);
