import { sanitiseLeaseName } from '../../core/kube/names.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { object, uidOf } from './builders.ts';
import type { DemoClock, Identity } from './builders.ts';
import {
  diskControllerPod,
  diskDriver,
  diskZoneKey,
  filesDriver,
  livenessFlags,
  pluginDirectory,
  storageNamespace,
  zoneOfNode,
} from './names.ts';
import { hostVolume, imageOf, mountsOf, pod } from './pods.ts';
import type { PodFacts } from './pods.ts';

const age = 60 * 24 * 40;
/** Somebody scaled the controller of the files driver to nothing, and its lease has not been renewed since. */
const filesDownMinutes = 95;
const controllerSidecars = ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter', 'liveness-probe'];

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
      { kind: 'Secret', apiVersion: 'v1', namespace: storageNamespace, name: 'disk-credentials', age },
      { type: 'Opaque' },
    ),
    ...['zone-a', 'zone-b'].map((zone) => capacity(clock, zone)),
  ];
}

function csiDriver(clock: DemoClock, name: string, spec: Readonly<Record<string, unknown>>): RawObject {
  return object(
    clock,
    { kind: 'CSIDriver', apiVersion: 'storage.k8s.io/v1', name, age },
    { spec: { podInfoOnMount: false, requiresRepublish: false, volumeLifecycleModes: ['Persistent'], ...spec } },
  );
}

function controller(clock: DemoClock, short: string, driver: string, isRunning: boolean): readonly RawObject[] {
  const sidecars =
    driver === diskDriver
      ? controllerSidecars
      : controllerSidecars.filter((name) => name !== 'csi-attacher' && name !== 'csi-snapshotter');
  const containers = [`${short}-driver`, ...sidecars];
  const labels = { 'app.kubernetes.io/name': `${short}-csi`, 'app.kubernetes.io/component': 'controller' };
  const contents: PodContents = {
    containers,
    hostPaths: { 'socket-dir': '' },
    args: {
      [`${short}-driver`]: ['--endpoint=unix:///csi/csi.sock', `--drivername=${driver}`],
      ...Object.fromEntries(
        sidecars.map((sidecar) => [sidecar, ['--csi-address=/csi/csi.sock', ...controllerFlags(sidecar, short)]]),
      ),
    },
  };
  const replicas = isRunning ? 1 : 0;
  const name = `${short}-controller`;
  const status = isRunning
    ? {
        replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        updatedReplicas: replicas,
        observedGeneration: 1,
      }
    : { observedGeneration: 2 };
  const identity = { apiVersion: 'apps/v1', namespace: storageNamespace, age, labels };
  const deployment = object(
    clock,
    { ...identity, kind: 'Deployment', name },
    {
      spec: {
        replicas,
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate' },
        template: template(labels, contents),
      },
      status: { ...status, conditions: [available(clock)] },
    },
  );
  const hash = isRunning ? '5d8f7c9b64' : '7c4c5b7f9d';
  const replicaSet = object(
    clock,
    { ...identity, kind: 'ReplicaSet', name: `${name}-${hash}`, owner: deployment },
    { spec: { replicas, selector: { matchLabels: labels }, template: template(labels, contents) }, status },
  );
  const holder = isRunning ? diskControllerPod : `${name}-${hash}-q7m4z`;
  const stale = isRunning ? 0.05 : filesDownMinutes;
  const flat = sanitiseLeaseName(driver);
  const leases = [
    ['csi-provisioner', flat],
    ['csi-attacher', `external-attacher-leader-${flat}`],
    ['csi-resizer', `external-resizer-${flat}`],
    ['csi-snapshotter', `external-snapshotter-leader-${flat}`],
  ] as const;
  return [
    deployment,
    replicaSet,
    ...leases
      .filter(([sidecar]) => sidecars.includes(sidecar))
      .map(([, leaseName]) => lease(clock, storageNamespace, leaseName, holder, stale)),
    ...(isRunning
      ? [
          pod(clock, {
            namespace: storageNamespace,
            name: diskControllerPod,
            age: 60 * 24 * 3,
            node: 'worker-2',
            ...contents,
            labels,
            owner: replicaSet,
          }),
        ]
      : []),
  ];
}

function available(clock: DemoClock): Record<string, unknown> {
  return {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
    lastTransitionTime: clock.ago(age),
  };
}

function controllerFlags(sidecar: string, short: string): readonly string[] {
  if (sidecar === 'liveness-probe') return livenessFlags[short] ?? [];
  return ['--leader-election', ...(sidecar === 'csi-provisioner' && short === 'disk' ? ['--enable-capacity'] : [])];
}

type PodContents = Required<Pick<PodFacts, 'containers' | 'args' | 'hostPaths'>>;

function template(
  labels: Readonly<Record<string, string>>,
  { containers, args, hostPaths }: PodContents,
): Record<string, unknown> {
  const volumeMounts = mountsOf(hostPaths);
  const specs = containers.map((name) => ({
    name,
    image: imageOf(name),
    ...(args[name] === undefined ? {} : { args: args[name] }),
    resources: {},
    volumeMounts,
  }));
  return {
    metadata: { labels },
    spec: {
      containers: specs,
      volumes: Object.entries(hostPaths).map(hostVolume),
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
    },
  };
}

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
    { kind: 'DaemonSet', apiVersion: 'apps/v1', namespace: storageNamespace, name: `${short}-node`, age, labels },
    {
      spec: { selector: { matchLabels: labels }, template: template(labels, contentsOn('$(NODE_NAME)')) },
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
        spec: { tolerations: [{ operator: 'Exists' }] },
      }),
    ),
  ];
}

function snapshotController(clock: DemoClock): readonly RawObject[] {
  const labels = { app: 'snapshot-controller' };
  const name = 'snapshot-controller-6b9c8d5f7c-4t9wd';
  const identity = { apiVersion: 'apps/v1', namespace: 'kube-system', age, labels };
  const status = { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: template(labels, { containers: ['snapshot-controller'], args: {}, hostPaths: {} }),
  };
  const deployment = object(clock, { ...identity, kind: 'Deployment', name: 'snapshot-controller' }, { spec, status });
  const replicaSet = object(
    clock,
    { ...identity, kind: 'ReplicaSet', name: 'snapshot-controller-6b9c8d5f7c', owner: deployment },
    { spec, status },
  );
  return [
    deployment,
    replicaSet,
    pod(clock, {
      namespace: 'kube-system',
      name,
      age: 60 * 24 * 12,
      node: 'worker-1',
      containers: ['snapshot-controller'],
      labels,
      owner: replicaSet,
    }),
    lease(clock, 'kube-system', 'snapshot-controller-leader', name, 0.05),
  ];
}

function lease(clock: DemoClock, namespace: string, name: string, holder: string, renewed: number): RawObject {
  const identity: Identity = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', namespace, name, age };
  return object(clock, identity, {
    spec: {
      acquireTime: clock.agoExactly(60 * 24 * 3),
      holderIdentity: holder,
      leaseDurationSeconds: 15,
      leaseTransitions: 4,
      renewTime: clock.agoExactly(renewed),
    },
  });
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
      age,
      labels: { 'csi.storage.k8s.io/drivername': diskDriver, 'csi.storage.k8s.io/managed-by': 'external-provisioner' },
    },
    {
      storageClassName: 'fast',
      nodeTopology: { matchLabels: { [diskZoneKey]: zone } },
      capacity: zone === 'zone-a' ? '812Gi' : '436Gi',
    },
  );
}
