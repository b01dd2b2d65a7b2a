import { sanitiseLeaseName } from '../../core/kube/names.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt } from '../fields.ts';

/** Which sidecar leads with which lease; the names are those of the sidecars' own leader election. */
const leaseNames: Readonly<Record<string, (driver: string) => string>> = {
  'csi-provisioner': (driver) => driver,
  'csi-attacher': (driver) => `external-attacher-leader-${driver}`,
  'csi-resizer': (driver) => `external-resizer-${driver}`,
  'csi-snapshotter': (driver) => `external-snapshotter-leader-${driver}`,
  'snapshot-controller': () => 'snapshot-controller-leader',
};
export type Sidecar = 'csi-provisioner' | 'csi-attacher' | 'csi-resizer' | 'csi-snapshotter' | 'snapshot-controller';

/** Real sidecars ask the driver for its name; here the driver has it among its arguments. */
export function driverOf(podOrTemplate: RawObject): string | undefined {
  const named = listAt(podOrTemplate, 'spec', 'containers')
    .flatMap((container) => listAt(container, 'args'))
    .find((argument) => typeof argument === 'string' && argument.startsWith('--drivername='));
  return typeof named === 'string' ? named.slice('--drivername='.length) : undefined;
}

/** The leases for which the containers of a pod, or of the template of one, are candidates. */
export function leasesOf(podOrTemplate: RawObject): string[] {
  const driver = sanitiseLeaseName(driverOf(podOrTemplate) ?? '');
  return listAt(podOrTemplate, 'spec', 'containers').flatMap((container) => {
    const leaseName = leaseNames[textAt(container, 'name')];
    return leaseName === undefined ? [] : [leaseName(driver)];
  });
}

export function isRunning(pod: RawObject): boolean {
  return textAt(pod, 'status', 'phase') === 'Running' && textAt(pod, 'metadata', 'deletionTimestamp') === '';
}

/** The pod in which a sidecar of a driver runs, if one does. */
export function runningSidecar(cluster: Cluster, sidecar: Sidecar, driver?: string): RawObject | undefined {
  return cluster
    .list('Pod')
    .find(
      (pod) =>
        isRunning(pod) &&
        (driver === undefined || driverOf(pod) === driver) &&
        listAt(pod, 'spec', 'containers').some((container) => textAt(container, 'name') === sidecar),
    );
}
