import { metadataText } from '../lib/driver-error/node-program.ts';
import { steps } from '../lib/steps.ts';
import { refusalRule, restartCommand } from './registration-refusal.ts';

/** The kubelet calls NodeGetInfo while it registers a driver (kcsi csi_plugin.go RegisterPlugin). */
export const driverNodegetinfoFailed = refusalRule(
  'driver-nodegetinfo-failed',
  'nodeInfo',
  'NodeGetInfo of the driver failed',
  (r, { text }) => [
    steps(
      metadataText.test(text)
        ? `Let pods on ${r.node} reach the metadata service of the cloud (on AWS: ` +
            'an IMDS hop limit of 2, or hostNetwork for the node plugin; no NetworkPolicy in between). ' +
            'Then restart the node plugin: the kubelet does not ask again on its own.'
        : 'Correct what the driver reports (quoted above): mostly the metadata service of the cloud, or a region, ' +
            'zone or node name in its settings. ' +
            'Then restart the node plugin: the kubelet does not ask again on its own.',
      [restartCommand(r)],
      'disruptive',
    ),
  ],
);
