import { fix } from '../../facts/evidence.ts';
import { refusalRule } from './registration-refusal.ts';

/** The kubelet keeps one driver of a name, the one with the highest version (kcsi csi_plugin.go ValidatePlugin). */
export const driverVersionConflict = refusalRule(
  'driver-version-conflict',
  'version',
  'another driver of this name is registered, or it speaks no version that the kubelet knows',
  () => [fix('remove the second installation of the driver, or update it', 'kubectl get daemonsets -A -o wide')],
);
