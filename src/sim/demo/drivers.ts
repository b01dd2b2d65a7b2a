import type { RawObject } from '../../core/kube/snapshot.ts';
import { object, uidOf } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { controller, driverAge, lease, snapshotController, template } from './controllers.ts';
import type { PodContents } from './controllers.ts';
import {
  diskDriver,
  diskZoneKey,
  filesDriver,
  livenessFlags,
  pluginDirectory,
  storageNamespace,
  zoneOfNode,
} from './names.ts';
import { pod } from './pods.ts';

/** Two drivers: disks, which work, and shared files, whose controller is gone. */
export function drivers(clock: DemoClock): readonly RawObject[] {
  return [
    csiDriver(clock, diskDriver, {
      attachRequired: true,
      storageCapacity: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      seLinuxMount: true,
    }),
    csiDriver(clock, filesDriver, {
      attachRequired: false,
      storageCapacity: false,
      fsGroupPolicy: 'None',
      seLinuxMount: false,
    }),
    ...controller(clock, 'disk', diskDriver, true),
    ...controller(clock, 'files', filesDriver, false),
    ...nodePlugin(clock, 'disk', diskDriver),
    ...nodePlugin(clock, 'files', filesDriver),
    ...snapshotController(clock),
    ...['kube-controller-manager', 'kube-scheduler'].map((name) =>
      lease(clock, 'kube-system', name, `control-plane_${uidOf('Lease', 'kube-system', name)}`, 0.05),
    ),
    object(
      clock,
      { kind: 'Secret', apiVersion: 'v1', namespace: storageNamespace, name: 'disk-credentials', age: driverAge },
      { type: 'Opaque' },
    ),
    ...['zone-a', 'zone-b'].map((zone) => capacity(clock, zone)),
  ];
}

function csiDriver(clock: DemoClock, name: string, spec: Readonly<Record<string, unknown>>): RawObject {
  return object(
    clock,
    { kind: 'CSIDriver', apiVersion: 'storage.k8s.io/v1', name, age: driverAge },
    { spec: { podInfoOnMount: false, requiresRepublish: false, volumeLifecycleModes: ['Persistent'], ...spec } },
  );
}

const everywhere = [{ operator: 'Exists' }];

function nodePlugin(clock: DemoClock, short: string, driver: string): readonly RawObject[] {
  const labels = { 'app.kubernetes.io/name': `${short}-csi`, 'app.kubernetes.io/component': 'node' };
  const containers = [`${short}-driver`, 'csi-node-driver-registrar', 'liveness-probe'];
  const names = Object.keys(zoneOfNode);
  const count = names.length;
  const directory = pluginDirectory(driver);
  const contentsOn = (node: string): PodContents => ({
    containers,
    hostPaths: { 'socket-dir': directory, registration: '/var/lib/kubelet/plugins_registry' },
    args: {
      [`${short}-driver`]: ['--endpoint=unix:///csi/csi.sock', `--drivername=${driver}`, `--nodeid=${node}`],
      'csi-node-driver-registrar': ['--csi-address=/csi/csi.sock', `--kubelet-registration-path=${directory}/csi.sock`],
      'liveness-probe': ['--csi-address=/csi/csi.sock', ...(livenessFlags[short] ?? [])],
    },
  });
  const set = object(
    clock,
    {
      kind: 'DaemonSet',
      apiVersion: 'apps/v1',
      namespace: storageNamespace,
      name: `${short}-node`,
      age: driverAge,
      labels,
    },
    {
      spec: {
        selector: { matchLabels: labels },
        template: template(labels, contentsOn('$(NODE_NAME)'), { tolerations: everywhere }),
      },
      status: {
        currentNumberScheduled: count,
        desiredNumberScheduled: count,
        numberAvailable: count,
        numberReady: count,
        numberMisscheduled: 0,
        updatedNumberScheduled: count,
      },
    },
  );
  return [
    set,
    ...names.map((node) =>
      pod(clock, {
        namespace: storageNamespace,
        name: `${short}-node-${uidOf('Pod', short, node).slice(0, 5)}`,
        age: 60 * 24 * 12,
        node,
        ...contentsOn(node),
        labels,
        owner: set,
        spec: { tolerations: everywhere },
      }),
    ),
  ];
}

/** What the provisioner publishes for the class that binds late. */
function capacity(clock: DemoClock, zone: string): RawObject {
  return object(
    clock,
    {
      kind: 'CSIStorageCapacity',
      apiVersion: 'storage.k8s.io/v1',
      namespace: storageNamespace,
      name: `csisc-${uidOf('CSIStorageCapacity', storageNamespace, zone).slice(0, 5)}`,
      age: driverAge,
      labels: { 'csi.storage.k8s.io/drivername': diskDriver, 'csi.storage.k8s.io/managed-by': 'external-provisioner' },
    },
    {
      storageClassName: 'fast',
      nodeTopology: { matchLabels: { [diskZoneKey]: zone } },
      capacity: zone === 'zone-a' ? '812Gi' : '436Gi',
    },
  );
}
