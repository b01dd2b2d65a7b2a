import { steps } from '../lib/steps.ts';
import { refusalRule, restartCommand } from './registration-refusal.ts';
import { admissionWebhookText } from '../lib/driver-error/senses/kubernetes.ts';

/** The kubelet writes the node id and the topology into its Node and CSINode (nodeinfomanager). */
export const driverNodeUpdateDenied = refusalRule(
  'driver-node-update-denied',
  'update',
  'it could not write its Node or CSINode object',
  (r, { text }) => {
    const webhook = admissionWebhookText.exec(text)?.[1];
    return [
      steps(
        webhook === undefined
          ? `Correct what refuses the kubelet of ${r.node} (quoted above): ` +
              `the rights of system:node:${r.node}, or an admission policy. ` +
              'Then restart the node plugin: the kubelet does not ask again on its own.'
          : `Change the policy behind admission webhook "${webhook}" so that it admits updates of nodes and csinodes ` +
              'by kubelets. Then restart the node plugin: the kubelet does not ask again on its own.',
        [restartCommand(r)],
        'disruptive',
      ),
    ];
  },
);
