import type { Inquiry } from '../../graph/inquiry.ts';
import { likeness } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';

/** Below this, a common word is chance. */
const leastLikeness = 0.5;

/**
 * Whether a pod that names no driver is more like this driver of the cluster than like any other one. Names of vendors
 * are often shortened in those of pods: `vsphere-csi-controller` for csi.vsphere.vmware.com.
 */
export function isNearestDriver(ask: Inquiry, driver: string, name: string, spec: PodSpec | undefined): boolean {
  const drivers = ask.graph.remember('drivers by their objects', () =>
    ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
  );
  if (!drivers.includes(driver)) return false;
  const own = likeness(name, spec, driver);
  return own >= leastLikeness && drivers.every((other) => other === driver || likeness(name, spec, other) < own);
}
