import { mkdirSync, writeFileSync } from 'node:fs';
import { pluginProcesses } from '../storage/plugin-pod.ts';
import { onNode } from './binding.ts';
import { onBareNode } from './first-consumer.ts';
import { driverIsProcess, driverSaidSo, sidecarIsProcess, sidecarStarts } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

const attacherRights: readonly (readonly [string, string, readonly string[]])[] = [
  ['', 'persistentvolumes', ['get', 'list', 'watch', 'patch']],
  ['', 'secrets', ['get']],
  ['storage.k8s.io', 'csinodes', ['get', 'list', 'watch']],
  ['storage.k8s.io', 'volumeattachments', ['get', 'list', 'watch', 'patch']],
  ['storage.k8s.io', 'volumeattachments/status', ['patch']],
  ['coordination.k8s.io', 'leases', ['get', 'list', 'create', 'update', 'patch']],
];

/** An attacher with the role of its release, without the right to patch some resources. */
async function attacherWithout(world: World, user: string, withheld: readonly string[]): Promise<void> {
  const name = world.namespace;
  await world.make({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: attacherRights.flatMap(([group, resource, all]) => {
      const verbs = all.filter((verb) => verb !== 'patch' || !withheld.includes(resource));
      return verbs.length === 0 ? [] : [{ apiGroups: [group], resources: [resource], verbs }];
    }),
  });
  const [, , namespace = '', account = ''] = user.split(':');
  await world.make({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace }],
  });
}

const accountOf = (world: World): string => `system:serviceaccount:${world.namespace}:csi-attacher`;

function nodePlugin(name: string) {
  return {
    name: `${name}.csi.test`,
    spec: { attachRequired: false },
    words: ['--enable-attach=false'],
    pluginIn: 'daemonSet' as const,
    isDirect: true,
  };
}

function ephemeral(storageClassName: string): Readonly<Record<string, unknown>> {
  return {
    name: 'scratch',
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
      },
    },
  };
}

const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoSchedule' };

/** Situations that were met on a cluster with all components of upstream, and answered wrongly once. */
export const liveScenarios: readonly Scenario[] = [
  {
    name: 'attacher-rightless',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-in-flight-stuck',
    mustMention: ['may not patch volumeattachments'],
    patience: 260,
    note: 'The attacher may not patch VolumeAttachments: it leaves them without finalizer, status and error, and its lease stays fresh.',
    fix: {
      human: {
        knows:
          'The account of the attacher is known, and it is granted the right that the command shows to be missing.',
        values: ({ namespace }) => ({ PLACEHOLDER_NAMESPACE: namespace, PLACEHOLDER_ACCOUNT: 'csi-attacher' }),
        acts: (world) => world.mend(),
      },
      lingers: 'Whether a right is enough shows only when the attacher tries again, after a pause.',
      patience: 400,
    },
    break: async (world) => {
      await attacherWithout(world, accountOf(world), ['volumeattachments', 'volumeattachments/status']);
      const { storageClassName } = await world.ownDriver({
        name: 'rightless.csi.test',
        attacherUser: accountOf(world),
      });
      await world.boundClaim('data', storageClassName);
      world.mend = () => grant(world);
      await world.pod('app', ['data']);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 400);
    },
  },
  {
    name: 'attach-finalizer-denied',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-pv-finalizer-denied',
    mustMention: ['could not add PersistentVolume finalizer'],
    patience: 150,
    note: 'The attacher may not patch PersistentVolumes, so it cannot write its finalizer: it says so itself, no driver was called.',
    fix: { lingers: 'Whether a right is enough shows only when the attacher tries again.', patience: 400 },
    break: async (world) => {
      await attacherWithout(world, accountOf(world), ['persistentvolumes']);
      const { storageClassName } = await world.ownDriver({ name: 'penless.csi.test', attacherUser: accountOf(world) });
      await world.boundClaim('data', storageClassName);
      world.mend = () => grant(world);
      await world.pod('app', ['data']);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 400);
    },
  },
  {
    name: 'driver-dead-at-attach',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-rpc-timeout',
    mustMention: ['context deadline exceeded'],
    patience: 200,
    note: 'The process of the driver behind the attacher has ended: the attacher waits for its socket until its call ends with "context deadline exceeded".',
    fix: { instead: { reason: driverIsProcess, play: (world) => world.mend() }, lingers: driverSaidSo, patience: 400 },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'departed.csi.test' });
      await world.boundClaim('data', storageClassName);
      await driver.stopPlugin();
      world.mend = () => driver.startPlugin();
      await world.pod('app', ['data']);
    },
  },
  {
    name: 'plugin-frozen',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-stage-rpc',
    meanwhile: ['mount-rpc-pending'],
    toldByEvents: true,
    mustMention: ['server preface'],
    patience: 300,
    note: 'The node plugin is stopped (SIGSTOP) in the pod of its DaemonSet: its socket takes the connection, and the kubelet reads no HTTP/2 preface.',
    fix: { lingers: driverSaidSo, patience: 300 },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver(nodePlugin('icy'));
      await world.boundClaim('data', storageClassName);
      driver.suspendInPod();
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', 'server preface', 200);
    },
  },
  {
    name: 'plugin-other-node-id',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'driver-topology-collision',
    mustMention: ['topology.hostpath.csi/node'],
    alone: true,
    patience: 300,
    note: 'The node plugin was rolled out with another node id and topology value: the kubelet refuses it, and it drops out of CSINode.',
    fix: { patience: 300 },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver(nodePlugin('renamed'));
      await world.boundClaim('data', storageClassName);
      world.later(() => topologyLabel(world, 'node-a'));
      world.mend = async () => {
        await driver.rollOut({});
        await topologyLabel(world, 'node-a');
      };
      await driver.rollOut({ words: ['--enable-attach=false', '--nodeid=node-a-reborn'] });
      await unregistered(world, driver.name);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', '', 120);
    },
  },
  {
    name: 'registration-path-wrong',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'driver-registration-path-wrong',
    mustMention: ['elsewhere.sock'],
    patience: 300,
    note: 'The registrar tells the kubelet another socket than the one of the driver: the reason is in its log, and in its own arguments.',
    fix: { patience: 300 },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver(nodePlugin('misled'));
      await world.boundClaim('data', storageClassName);
      await driver.rollOut({ announced: `${world.cluster.node.root}/plugins/${driver.name}/elsewhere.sock` });
      await unregistered(world, driver.name);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', '', 120);
    },
  },
  {
    name: 'nfs-client-missing',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-publish-rpc',
    toldByEvents: true,
    mustMention: ['unknown filesystem type', 'lacks the client'],
    patience: 180,
    note: 'The node lacks the NFS client: mount knows no file system of type nfs, and nothing is damaged.',
    fix: {
      human: { knows: 'The client is installed on the node.', acts: (world) => world.mend() },
      instead: { reason: 'No NFS is mounted on this machine.', play: (world) => world.mend() },
      lingers: driverSaidSo,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({ name: 'nfs.csi.test', pluginIn: 'daemonSet' });
      await world.boundClaim('data', storageClassName);
      const fault = {
        method: 'NodePublishVolume',
        code: 13,
        message:
          "mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs files.example.com:/srv /var/lib/kubelet/pods/x/mount\nOutput: mount: /var/lib/kubelet/pods/x/mount: unknown filesystem type 'nfs'.",
      };
      driver.faults.add(fault);
      world.mend = () => driver.faults.delete(fault);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', 'unknown filesystem type');
    },
  },
  {
    name: 'subpath-in-a-file',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-subpath',
    toldByEvents: true,
    patience: 120,
    note: 'A subPath goes through a file of the volume, so that its directory cannot be created.',
    fix: {
      skip: 'What the kubelet reports does not tell that a file is in the way; the command of the fix does, and only a person can move the file.',
    },
    break: async (world) => {
      await world.manualClass('e2e-subpath');
      const path = `${world.cluster.directory}/by-hand/e2e-subpath`;
      mkdirSync(path, { recursive: true });
      writeFileSync(`${path}/settings`, 'a file');
      await world.volume('e2e-subpath', 'e2e-subpath');
      await world.claim('data', 'e2e-subpath');
      await world.bound('data');
      const [container] = world.podSpec(['data'])['containers'] as [Record<string, unknown>];
      await world.pod('app', ['data'], {
        nodeSelector: { 'kubernetes.io/hostname': 'node-a' },
        containers: [
          { ...container, volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'settings/current' }] },
        ],
      });
      await world.event('app', 'Failed');
    },
  },
  {
    name: 'ephemeral-class-missing',
    phase: 'provision',
    command: 'why',
    target: 'pvc/app-scratch',
    status: 'blocked',
    cause: 'sc-missing',
    mustMention: ['fast-imediate'],
    note: 'The ephemeral volume of a pod names a class that does not exist: its claim is recreated with the same class, so that the pod has to be.',
    break: async (world) => {
      await world.pod('app', ['scratch'], { volumes: [ephemeral('fast-imediate')] });
      await world.unschedulable('app');
    },
  },
  {
    name: 'ephemeral-claim-deleted',
    phase: 'delete',
    command: 'why',
    target: 'pvc/app-scratch',
    status: 'blocked',
    cause: 'pvc-terminating-in-use',
    mustMention: ['app'],
    note: 'The claim of an ephemeral volume was deleted while its pod runs: the pod holds it.',
    break: async (world) => {
      await world.pod('app', ['scratch'], { volumes: [ephemeral('fast-immediate')] });
      await world.running('app');
      await world.remove('v1', 'PersistentVolumeClaim', 'app-scratch');
    },
  },
  {
    name: 'out-of-service-forgotten',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'wffc-pod-unschedulable-other',
    mustMention: ['node-a', 'out-of-service'],
    alone: true,
    note: 'A node is Ready again, and the taint that declared it out of service was left on it.',
    break: async (world) => {
      await world.boundClaim('data');
      await world.api.patch(
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } },
        { spec: { taints: [outOfService] } },
      );
      world.later(() =>
        world.api.patch({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } }, { spec: { taints: null } }),
      );
      await world.pod('app', ['data']);
      await world.unschedulable('app');
    },
  },
  {
    name: 'lease-in-the-future',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-not-running',
    wrong: ['provisioner-silent', 'blocked-unexplained'],
    mustMention: ['in the future'],
    patience: 200,
    note: 'The provisioner is dead, and the clock of its machine was wrong: its lease was renewed in the future, which proves nothing about life.',
    fix: { instead: { reason: sidecarIsProcess, play: (world) => world.mend() }, lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'tomorrow.csi.test' });
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'tomorrow-csi-test', namespace: 'kube-system' },
      };
      await world.until('the lease of the provisioner', 30, () => world.api.get(lease));
      await driver.stopSidecar('csi-provisioner');
      const renewTime = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '000Z');
      await world.api.patch(lease, { spec: { renewTime } });
      world.mend = async () => {
        await world.api.remove(lease);
        driver.startSidecar('csi-provisioner');
      };
      await world.claim('data', storageClassName);
    },
  },
  {
    name: 'attacher-misnamed',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-attachrequired-wrong',
    meanwhile: ['attach-attacher-not-running'],
    mustMention: [
      'An attacher runs for another driver name',
      'external-attacher-leader-hasty-old-csi-test',
      // First of all, because the driver attaches: its CSIDriver object is right.
      '"fix":[{"text":"Give the driver in the controller the name hasty.csi.test',
    ],
    patience: 220,
    note: 'The driver in the controller has another name than on the nodes and in the CSIDriver object: its attacher serves volumes that do not exist.',
    fix: { skip: 'The attacher is a process of this machine; it is started with the right name instead.' },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'hasty.csi.test',
        pluginIn: 'daemonSet',
        isDirect: true,
        attacherServes: 'hasty-old.csi.test',
      });
      await world.boundClaim('data', storageClassName);
      world.mend = async () => {
        await driver.stopAttacher();
        driver.startAttacher();
      };
      await world.pod('app', ['data']);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 400);
    },
  },
  {
    name: 'lease-stolen',
    phase: 'provision',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-silent',
    patience: 220,
    note: 'Somebody who is no pod and serves nobody renews the lease of the provisioner: its own pod runs and may not lead.',
    fix: {
      human: { knows: 'Whoever renews the lease in a strange name is ended.', acts: (world) => world.mend() },
      lingers: sidecarStarts,
      patience: 120,
    },
    break: async (world) => {
      const { storageClassName } = await world.deployedDriver({ name: 'robbed.csi.test' });
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'robbed-csi-test', namespace: `${world.namespace}-driver` },
      };
      await world.until('the lease of the provisioner', 60, () => world.api.get(lease));
      const steal = (): Promise<unknown> =>
        world.api
          .patch(lease, {
            spec: { holderIdentity: 'nobody-0', renewTime: new Date().toISOString().replace('Z', '000Z') },
          })
          .catch(() => {});
      await steal();
      // Its leader works on until it has noticed, and ends then.
      const thief = setInterval(() => void steal(), 1000);
      world.mend = () => clearInterval(thief);
      world.later(async () => {
        await world.mend();
      });
      await world.until('the provisioner to have lost its lease, and to run again', 60, () => runsAgain(world));
      await world.claim('data', storageClassName);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('PersistentVolumeClaim', 'data', 'Bound', 120);
    },
  },
  {
    name: 'controller-manager-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-ad-controller-down',
    alone: true,
    patience: 200,
    note: 'The kube-controller-manager is not running, so nobody asks for the attachment of a bound volume.',
    fix: {
      instead: {
        reason: 'The kube-controller-manager is a process of this machine, and no pod.',
        play: (world) => world.mend(),
      },
      lingers: 'The lease of its predecessor has to run out first.',
    },
    break: async (world) => {
      await world.boundClaim('data');
      const { controllers, startControllerManager } = world.cluster.controlPlane;
      controllers.controllerManager.kill('SIGKILL');
      await controllers.controllerManager.stop();
      world.mend = () => {
        if (!controllers.controllerManager.alive()) controllers.controllerManager = startControllerManager();
      };
      world.later(async () => {
        await world.mend();
      });
      await world.pod('app', ['data']);
    },
  },
  {
    name: 'local-volume-uncleaned',
    phase: 'delete',
    command: 'why',
    target: 'pv/e2e-uncleaned',
    status: 'blocked',
    cause: 'local-static-released',
    patience: 260,
    note: 'A volume of the local static provisioner was released, and no provisioner runs on its node that would clean it.',
    fix: { skip: 'The local static provisioner is not part of this cluster.' },
    break: async (world) => {
      await world.manualClass('e2e-uncleaned');
      const path = `${world.cluster.directory}/by-hand/e2e-uncleaned`;
      mkdirSync(path, { recursive: true });
      const volume = await world.volume(
        'e2e-uncleaned',
        'e2e-uncleaned',
        { hostPath: null, local: { path }, nodeAffinity: onNode('node-a'), persistentVolumeReclaimPolicy: 'Delete' },
        { annotations: { 'pv.kubernetes.io/provisioned-by': 'local-volume-provisioner-node-a' } },
      );
      await world.claim('data', 'e2e-uncleaned');
      await world.bound('data');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.until(
        'the volume to be released',
        60,
        async () => (await world.api.get(volume))?.['status']?.phase !== 'Bound' || undefined,
      );
    },
  },
  {
    name: 'node-without-driver',
    phase: 'other',
    command: 'why',
    target: 'node/node-plain',
    status: 'healthy',
    cause: null,
    note: 'A driver runs on another node only, and nothing on this one needs it.',
    break: async (world) => {
      await world.bareNode('node-plain');
      await world.deployedDriver(nodePlugin('elsewhere'));
    },
  },
  {
    name: 'driver-not-on-chosen-node',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'blocked',
    cause: 'attach-csinode-missing-driver',
    mustMention: ['node-driverless'],
    patience: 150,
    note: 'The pod was sent to a node on which the driver does not run: the attacher names the CSINode.',
    fix: { skip: 'The node has no kubelet, so that no driver can be registered there.' },
    break: async (world) => {
      const { storageClassName } = await world.ownDriver({
        name: 'homely.csi.test',
        words: ['--enable-topology=false'],
      });
      await world.boundClaim('data', storageClassName);
      const node = await world.bareNode('node-driverless');
      await world.pod('late', ['data'], { ...onBareNode(node.name), nodeName: node.name });
      await world.event('late', 'FailedAttachVolume');
    },
  },
];

async function runsAgain(world: World): Promise<boolean> {
  const pods = await world.api.list('v1', 'Pod', `${world.namespace}-driver`);
  return pods
    .flatMap(({ ['status']: status }) => (status?.containerStatuses ?? []) as ContainerState[])
    .some(({ name, ready, restartCount }) => name === 'csi-provisioner' && ready && restartCount > 0);
}

interface ContainerState {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
}

async function grant(world: World): Promise<void> {
  await world.api.patch(
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: world.namespace } },
    {
      rules: attacherRights.map(([group, resource, verbs]) => ({ apiGroups: [group], resources: [resource], verbs })),
    },
  );
}

function topologyLabel(world: World, value: string): Promise<unknown> {
  return world.api.patch(
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } },
    { metadata: { labels: { 'topology.hostpath.csi/node': value } } },
  );
}

async function unregistered(world: World, driver: string): Promise<void> {
  await world.until(`the CSINode to lose driver ${driver}`, 120, async () => {
    const csiNode = await world.api.get({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-a' },
    });
    const drivers = (csiNode?.['spec'].drivers as { name: string }[] | undefined) ?? [];
    return !drivers.some(({ name }) => name === driver) && pluginProcesses(driver).length > 0 ? true : undefined;
  });
  // While the kubelet tries to register the driver, it mounts its volumes for a moment.
  await world.until(`the registrar of ${driver} to be refused`, 120, async () =>
    (await world.api.list('v1', 'Pod', `${world.namespace}-driver`)).some(({ ['status']: status }) =>
      ((status?.containerStatuses ?? []) as { name: string; state?: { waiting?: { reason: string } } }[]).some(
        ({ name, state }) => name === 'node-driver-registrar' && state?.waiting?.reason === 'CrashLoopBackOff',
      ),
    ),
  );
}
