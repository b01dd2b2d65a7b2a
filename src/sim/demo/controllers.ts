import { sanitiseLeaseName } from '../../core/kube/names.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { object } from './builders.ts';
import type { DemoClock, Identity } from './builders.ts';
import { diskControllerPod, diskDriver, livenessFlags, storageNamespace } from './names.ts';
import { hostVolume, imageOf, mountsOf, pod } from './pods.ts';
import type { PodFacts } from './pods.ts';

/** How long the drivers have been installed, in minutes. */
export const driverAge = 60 * 24 * 40;
/** The controller of the files driver was scaled to 0 replicas, and its lease has not been renewed since. */
const filesDownMinutes = 95;
const controllerSidecars = ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter', 'liveness-probe'];

export type PodContents = Required<Pick<PodFacts, 'containers' | 'args' | 'hostPaths'>>;

type Labels = Readonly<Record<string, string>>;

/** The controller of a driver: deployment, replica set, leases and, if it runs, its pod. */
export function controller(clock: DemoClock, short: string, driver: string, isRunning: boolean): readonly RawObject[] {
  const sidecars =
    driver === diskDriver
      ? controllerSidecars
      : controllerSidecars.filter((name) => name !== 'csi-attacher' && name !== 'csi-snapshotter');
  const contents = controllerContents(short, driver, sidecars);
  const labels = { 'app.kubernetes.io/name': `${short}-csi`, 'app.kubernetes.io/component': 'controller' };
  const deployment = controllerDeployment(clock, `${short}-controller`, labels, contents, isRunning);
  const replicaSet = controllerReplicaSet(clock, deployment, labels, contents, isRunning);
  const holder = isRunning ? diskControllerPod : `${replicaSet.metadata.name}-q7m4z`;
  const leases = controllerLeases(clock, driver, sidecars, holder, isRunning ? 0.05 : filesDownMinutes);
  if (!isRunning) return [deployment, replicaSet, ...leases];
  const running = pod(clock, {
    namespace: storageNamespace,
    name: diskControllerPod,
    age: 60 * 24 * 3,
    node: 'worker-2',
    ...contents,
    labels,
    owner: replicaSet,
  });
  return [deployment, replicaSet, ...leases, running];
}

function controllerContents(short: string, driver: string, sidecars: readonly string[]): PodContents {
  return {
    containers: [`${short}-driver`, ...sidecars],
    hostPaths: { 'socket-dir': '' },
    args: {
      [`${short}-driver`]: ['--endpoint=unix:///csi/csi.sock', `--drivername=${driver}`],
      ...Object.fromEntries(
        sidecars.map((sidecar) => [sidecar, ['--csi-address=/csi/csi.sock', ...controllerFlags(sidecar, short)]]),
      ),
    },
  };
}

function controllerDeployment(
  clock: DemoClock,
  name: string,
  labels: Labels,
  contents: PodContents,
  isRunning: boolean,
): RawObject {
  return object(
    clock,
    { apiVersion: 'apps/v1', namespace: storageNamespace, age: driverAge, labels, kind: 'Deployment', name },
    {
      spec: {
        replicas: isRunning ? 1 : 0,
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate' },
        template: template(labels, contents),
      },
      status: { ...replicaStatus(isRunning), conditions: [available(clock)] },
    },
  );
}

function controllerReplicaSet(
  clock: DemoClock,
  deployment: RawObject,
  labels: Labels,
  contents: PodContents,
  isRunning: boolean,
): RawObject {
  const name = `${deployment.metadata.name}-${isRunning ? '5d8f7c9b64' : '7c4c5b7f9d'}`;
  const identity = {
    apiVersion: 'apps/v1',
    namespace: storageNamespace,
    age: driverAge,
    labels,
    kind: 'ReplicaSet',
    name,
  };
  return object(
    clock,
    { ...identity, owner: deployment },
    {
      spec: {
        replicas: isRunning ? 1 : 0,
        selector: { matchLabels: labels },
        template: template(labels, contents),
      },
      status: replicaStatus(isRunning),
    },
  );
}

function replicaStatus(isRunning: boolean): Record<string, number> {
  if (!isRunning) return { observedGeneration: 2 };
  return { replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1, observedGeneration: 1 };
}

function controllerLeases(
  clock: DemoClock,
  driver: string,
  sidecars: readonly string[],
  holder: string,
  minutesOld: number,
): readonly RawObject[] {
  const flat = sanitiseLeaseName(driver);
  const names = [
    ['csi-provisioner', flat],
    ['csi-attacher', `external-attacher-leader-${flat}`],
    ['csi-resizer', `external-resizer-${flat}`],
    ['csi-snapshotter', `external-snapshotter-leader-${flat}`],
  ] as const;
  return names
    .filter(([sidecar]) => sidecars.includes(sidecar))
    .map(([, name]) => lease(clock, storageNamespace, name, holder, minutesOld));
}

function available(clock: DemoClock): Record<string, unknown> {
  return {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
    lastTransitionTime: clock.ago(driverAge),
  };
}

function controllerFlags(sidecar: string, short: string): readonly string[] {
  if (sidecar === 'liveness-probe') return livenessFlags[short] ?? [];
  return ['--leader-election', ...(sidecar === 'csi-provisioner' && short === 'disk' ? ['--enable-capacity'] : [])];
}

export function snapshotController(clock: DemoClock): readonly RawObject[] {
  const labels = { app: 'snapshot-controller' };
  const name = 'snapshot-controller-6b9c8d5f7c-4t9wd';
  const identity = { apiVersion: 'apps/v1', namespace: 'kube-system', age: driverAge, labels };
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

export function template(
  labels: Labels,
  { containers, args, hostPaths }: PodContents,
  more: Readonly<Record<string, unknown>> = {},
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
      ...more,
    },
  };
}

export function lease(clock: DemoClock, namespace: string, name: string, holder: string, renewed: number): RawObject {
  const identity: Identity = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', namespace, name, age: driverAge };
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
