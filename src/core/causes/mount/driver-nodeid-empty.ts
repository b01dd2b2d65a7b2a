import { fix } from '../../facts/evidence.ts';
import { refusalRule, restartFix } from './registration-refusal.ts';

/** NodeGetInfo must return a node id (nodeinfomanager InstallCSIDriver). */
export const driverNodeidEmpty = refusalRule(
  'driver-nodeid-empty',
  'nodeId',
  'the driver gives no id for the node',
  (r) => [fix(`configure the driver's node id (often --nodeid from spec.nodeName)`), restartFix(r)],
);
