import { fix } from '../../facts/evidence.ts';
import { refusalRule, restartFix } from './registration-refusal.ts';

/** The kubelet calls NodeGetInfo while it registers a driver (kcsi csi_plugin.go RegisterPlugin). */
export const driverNodegetinfoFailed = refusalRule(
  'driver-nodegetinfo-failed',
  'nodeInfo',
  'the driver could not tell about its node (NodeGetInfo failed)',
  (r) => [
    fix(
      'see what the driver needs for that: most often the metadata service of the cloud, or a region, zone or node name in its configuration',
    ),
    restartFix(r),
  ],
);
