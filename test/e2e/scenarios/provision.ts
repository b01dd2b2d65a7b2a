import { mainDriver } from '../cluster/cluster.ts';
import { encodeMessage } from '../storage/wire.ts';
import { driverIsProcess, driverSaidSo, sidecarIsProcess, sidecarStarts, storageTeam } from './plans.ts';
import type { FixPlan, Scenario } from './scenario.ts';
import type { World } from './world.ts';

async function replaceClaim(world: World, storageClassName = 'fast-immediate'): Promise<void> {
  await world.remove('v1', 'PersistentVolumeClaim', 'data');
  await world.gone('v1', 'PersistentVolumeClaim', 'data');
  await world.claim('data', storageClassName);
  await world.bound('data');
}

interface Refusal {
  readonly name: string;
  readonly code: number;
  readonly message: string;
  readonly cause: string;
  /** What a request must hold for the driver to accept it. */
  readonly unless?: string | Buffer;
  readonly fix: FixPlan;
}

/** The driver refuses with a status and a message of its own, for the classes that name its array. */
function refusal({ name, code, message, cause, unless, fix }: Refusal): Scenario {
  return {
    name: `rpc-${name}`,
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause,
    mustMention: [message],
    wrong: ['provisioner-not-running'],
    smoke: name === 'resource-exhausted',
    toldByEvents: true,
    note: `CreateVolume answers ${name.replaceAll('-', ' ')}: "${message}".`,
    fix,
    break: async (world) => {
      const array = `array-${name}`;
      await world.storageClass(`e2e-rpc-${name}`, mainDriver, { parameters: { array } });
      world.refuse('CreateVolume', code, message, array, unless);
      await world.claim('data', `e2e-rpc-${name}`);
      await world.event('data', 'ProvisioningFailed');
    },
    heal: async (world) => {
      await world.mend();
      await world.bound('data');
    },
  };
}

/** A class that is wrong in its parameters; another class mends it. */
function badClass(
  name: string,
  parameters: Readonly<Record<string, string>>,
  cause: string,
  note: string,
  mention: readonly string[],
  fix: FixPlan = {},
  prepare: (world: World) => Promise<unknown> = () => Promise.resolve(),
): Scenario {
  return {
    name,
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause,
    mustMention: mention,
    note,
    fix,
    break: async (world) => {
      await prepare(world);
      await world.storageClass(`e2e-${name}`, mainDriver, { parameters });
      await world.claim('data', `e2e-${name}`);
      await world.event('data', 'ProvisioningFailed');
    },
    heal: (world) => replaceClaim(world),
  };
}

/** A claim that is wrong in its own fields; a plain one mends it. */
function badClaim(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  cause: string,
  note: string,
  size = '1Gi',
  prepare: (world: World) => Promise<unknown> = () => Promise.resolve(),
  fix: FixPlan = {},
): Scenario {
  return {
    name,
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause,
    note,
    fix,
    break: async (world) => {
      await prepare(world);
      await world.claim('data', 'fast-immediate', spec, size);
      await world.event('data', 'ProvisioningFailed');
    },
    heal: (world) => replaceClaim(world),
  };
}

const snapshotSource = (name: string): Readonly<Record<string, unknown>> => ({
  dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name },
});

async function readySnapshot(world: World, size: string, name = 'nightly'): Promise<void> {
  await world.claim('original', 'fast-immediate', {}, size);
  await world.bound('original');
  const snapshot = await world.make({
    ...world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', name),
    spec: { volumeSnapshotClassName: 'snapshots', source: { persistentVolumeClaimName: 'original' } },
  });
  await world.until(
    'the snapshot to be ready',
    60,
    async () => (await world.api.get(snapshot))?.['status']?.readyToUse === true || undefined,
  );
}

export const provisionScenarios: readonly Scenario[] = [
  {
    name: 'provisioner-down',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-not-running',
    wrong: ['provisioner-unknown'],
    mustMention: ['down-csi-test'],
    smoke: true,
    patience: 150,
    note: 'The external-provisioner was killed; its lease keeps the holder and grows old.',
    fix: { instead: { reason: sidecarIsProcess, play: (world) => world.mend() }, lingers: sidecarStarts },
    break: async (world) => {
      const driver = await world.driver({ name: 'down.csi.test' });
      await world.until('the provisioner to lead', 30, () =>
        world.api.get({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'down-csi-test', namespace: 'kube-system' },
        }),
      );
      await driver.stopSidecar('csi-provisioner');
      await world.storageClass('e2e-down', 'down.csi.test');
      await world.claim('data', 'e2e-down');
      await world.event('data', 'ExternalProvisioning');
      world.mend = () => driver.startSidecar('csi-provisioner');
    },
    heal: async (world) => {
      await world.mend();
      await world.bound('data');
    },
  },
  {
    name: 'provisioner-scaled-down',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-not-running',
    mustMention: ['csi-idle-controller'],
    patience: 150,
    note: 'The Deployment of the provisioner is scaled to zero.',
    fix: { lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({ name: 'idle.csi.test' });
      await world.boundClaim('earlier', storageClassName);
      await driver.deployment.scale(0);
      await world.claim('data', storageClassName);
      await world.event('data', 'ExternalProvisioning');
      world.mend = () => driver.deployment.scale(1);
    },
    heal: async (world) => {
      await world.mend();
      await world.bound('data');
    },
  },
  {
    name: 'provisioner-image-missing',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-not-running',
    mustMention: ['csi-absent-controller'],
    patience: 200,
    note: 'The image of the provisioner does not exist, so its pod does not start.',
    fix: {
      human: {
        knows: 'The image of before is still there.',
        values: () => ({ PLACEHOLDER_IMAGE: 'kubectl-csi.test/csi-provisioner:e2e' }),
      },
      lingers: sidecarStarts,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({ name: 'absent.csi.test' });
      await world.boundClaim('earlier', storageClassName);
      await driver.deployment.setImage('csi-provisioner', 'kubectl-csi.test/csi-provisioner:e2f');
      await world.claim('data', storageClassName);
      await world.event('data', 'ExternalProvisioning');
    },
  },
  {
    name: 'provisioner-misspelt',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-unknown',
    wrong: ['provisioner-not-running'],
    mustMention: ['hostpaht.csi.k8s.io'],
    patience: 150,
    note: 'The class names a provisioner that nobody is.',
    break: async (world) => {
      await world.storageClass('e2e-misspelt', 'hostpaht.csi.k8s.io');
      await world.claim('data', 'e2e-misspelt');
      await world.event('data', 'ExternalProvisioning');
    },
    heal: (world) => replaceClaim(world),
  },
  {
    name: 'driver-hung',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provision-in-background',
    wrong: ['provisioner-not-running'],
    toldByEvents: true,
    patience: 150,
    note: 'The driver process is stopped in the pod of the controller: it holds its socket and answers nothing.',
    fix: { lingers: driverSaidSo },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'hung.csi.test',
        pluginIn: 'deployment',
      });
      await world.boundClaim('earlier', storageClassName);
      driver.suspendInPod();
      await world.claim('data', storageClassName);
      await world.event('data', 'ProvisioningFailed', 'DeadlineExceeded');
    },
  },
  {
    name: 'provisioner-forbidden',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provisioner-silent',
    wrong: ['provisioner-not-running'],
    alone: true,
    patience: 200,
    note: 'The provisioner may not create volumes: its lease is fresh, and no event says so.',
    fix: {
      instead: {
        reason: 'The provisioner is a process with a certificate, and no pod with a service account.',
        play: (world) => world.mend(),
      },
      lingers: 'Only the log of the provisioner shows that it may write again.',
    },
    break: async (world) => {
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'csi-sidecars' }];
      const binding = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'e2e-csi' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects,
      };
      const rules = [
        { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['', 'events.k8s.io', 'coordination.k8s.io'], resources: ['events', 'leases'], verbs: ['*'] },
      ];
      await world.make({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'e2e-csi-reads' },
        rules,
      });
      await world.make({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'e2e-csi-reads' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'e2e-csi-reads' },
        subjects,
      });
      await world.api.remove(binding);
      world.mend = () => world.api.apply(binding);
      // The others need it back, whatever comes of this.
      world.later(() => world.api.apply(binding));
      await world.claim('data', 'fast-immediate');
      await world.event('data', 'Provisioning');
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('PersistentVolumeClaim', 'data', 'Bound', 120);
    },
  },
  refusal({
    name: 'invalid-argument',
    code: 3,
    message: 'parameter tier is not known',
    cause: 'provision-invalid-argument',
    unless: 'gold',
    fix: {
      human: {
        knows: 'The array has the tier gold.',
        values: () => ({ PLACEHOLDER_KEY: 'tier', PLACEHOLDER_VALUE: 'gold' }),
      },
      lingers: driverSaidSo,
    },
  }),
  refusal({
    name: 'resource-exhausted',
    code: 8,
    message: 'pool ssd-1 is full',
    cause: 'provision-resource-exhausted',
    fix: storageTeam('The storage team adds space to the pool.'),
  }),
  refusal({
    name: 'out-of-range',
    code: 11,
    message: 'volumes start at 4Gi',
    cause: 'provision-out-of-range',
    unless: encodeMessage([[1, 4 * 2 ** 30]]),
    fix: {
      human: { knows: 'The driver says that volumes start at 4Gi.', values: () => ({ PLACEHOLDER_SIZE: '4Gi' }) },
    },
  }),
  {
    ...refusal({
      name: 'already-exists',
      code: 6,
      message: 'a volume of this name has another size',
      cause: 'provision-already-exists',
      fix: {},
    }),
    break: async (world) => {
      world.refuse('CreateVolume', 6, 'a volume of this name has another size');
      const claim = await world.claim('data', 'fast-immediate');
      await world.event('data', 'ProvisioningFailed');
      // Only that name is taken.
      await world.mend();
      world.refuse('CreateVolume', 6, 'a volume of this name has another size', `pvc-${claim.metadata.uid}`);
    },
  },
  refusal({
    name: 'permission-denied',
    code: 7,
    message: 'the account may not create disks',
    cause: 'provision-credentials',
    fix: storageTeam('The owner of the storage account gives it the right.'),
  }),
  refusal({
    name: 'unauthenticated',
    code: 16,
    message: 'the token of the array has expired',
    cause: 'provision-credentials',
    fix: storageTeam('The owner of the storage account renews the token.'),
  }),
  refusal({
    name: 'unimplemented',
    code: 12,
    message: 'no create here',
    cause: 'provision-unimplemented',
    fix: {
      human: {
        knows: 'StorageClass fast-immediate stands for a driver that creates volumes.',
        values: () => ({ PLACEHOLDER_CLASS: 'fast-immediate' }),
      },
    },
  }),
  refusal({
    name: 'internal',
    code: 13,
    message: 'lvcreate ended with 5',
    cause: 'provision-internal',
    fix: storageTeam('The storage team repairs what the driver names.'),
  }),
  refusal({
    name: 'unavailable',
    code: 14,
    message: 'the array does not answer',
    cause: 'provision-in-background',
    fix: {
      instead: { reason: driverIsProcess, play: (world) => world.mend() },
      lingers: driverSaidSo,
    },
  }),
  badClass(
    'secret-missing',
    {
      'csi.storage.k8s.io/provisioner-secret-name': 'array-login',
      'csi.storage.k8s.io/provisioner-secret-namespace': 'e2e-secret-missing',
    },
    'provision-secret-missing',
    'The class points at a secret that does not exist.',
    ['array-login'],
    {
      human: {
        knows: 'The driver wants the password of the array under the key password.',
        values: () => ({ PLACEHOLDER_KEY: 'password', PLACEHOLDER_FILE: 'password.txt' }),
        files: { 'password.txt': 'open sesame' },
      },
    },
  ),
  badClass(
    'secret-incomplete',
    { 'csi.storage.k8s.io/provisioner-secret-name': 'array-key' },
    'provision-secret-params-incomplete',
    'The class names a secret without its namespace.',
    [],
    {
      human: {
        knows: 'The Secret is in the namespace of the claim.',
        values: ({ namespace }) => ({ PLACEHOLDER_NAMESPACE: namespace }),
      },
    },
    (world) => world.make({ ...world.object('v1', 'Secret', 'array-key'), stringData: { password: 'open sesame' } }),
  ),
  badClass(
    'secret-annotation-missing',
    {
      'csi.storage.k8s.io/node-stage-secret-name': "key-of-${pvc.annotations['team']}",
      'csi.storage.k8s.io/node-stage-secret-namespace': '${pvc.namespace}',
    },
    'provision-secret-template-invalid',
    'The class takes the name of a secret from an annotation that the claim does not have.',
    ['team'],
    { human: { knows: 'The claim belongs to team a.', values: () => ({ PLACEHOLDER_VALUE: 'a' }) } },
  ),
  badClass(
    'unknown-parameter',
    { 'csi.storage.k8s.io/fs-tpye': 'xfs' },
    'provision-unknown-csi-parameter',
    'The class has a reserved parameter that the provisioner does not know.',
    ['fs-tpye'],
  ),
  badClass(
    'fstype-twice',
    { fstype: 'ext4', 'csi.storage.k8s.io/fstype': 'xfs' },
    'provision-fstype-duplicate',
    'The class names the file system twice.',
    [],
  ),
  {
    ...badClaim(
      'too-large',
      {},
      'provision-out-of-range',
      "The claim asks for more than the driver's largest volume; the driver itself refuses.",
      '2Ti',
    ),
    toldByEvents: true,
  },
  badClaim(
    'selector-on-dynamic',
    { selector: { matchLabels: { tier: 'gold' } } },
    'provision-selector-unsupported',
    'The claim carries a selector, which dynamic provisioning refuses.',
  ),
  badClaim(
    'clone-source-missing',
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
    'clone-source-missing',
    'The claim is to be a clone of a claim that does not exist.',
    '1Gi',
    (world) => world.boundClaim('copy'),
    {
      human: { knows: 'pvc/copy holds the same data.', values: () => ({ PLACEHOLDER_SOURCE: 'copy' }) },
    },
  ),
  // A source that is young is given time before its clone is called blocked.
  {
    ...badClaim(
      'clone-source-not-bound',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
      'clone-source-not-bound',
      'The claim is to be a clone of a claim that is not bound, since its class is missing.',
      '1Gi',
      (world) => world.claim('original', 'e2e-bronze'),
      {
        human: {
          knows: 'The answer about pvc/original says that StorageClass e2e-bronze is missing; it is created.',
          acts: (world) => world.storageClass('e2e-bronze', mainDriver),
        },
        lingers: 'The source is Pending until its volume is provisioned.',
      },
    ),
    patience: 180,
  },
  {
    ...badClaim(
      'clone-source-waits',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
      'clone-source-not-bound',
      'The claim is to be a clone of a claim that waits for its first pod.',
      '1Gi',
      (world) => world.claim('original', 'fast-wffc'),
    ),
    status: 'waiting',
  },
  badClaim(
    'clone-too-small',
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
    'clone-size-too-small',
    'The clone is to be smaller than its source.',
    '1Gi',
    async (world) => {
      await world.claim('original', 'fast-immediate', {}, '2Gi');
      await world.bound('original');
    },
  ),
  badClaim(
    'clone-source-deleting',
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
    'clone-source-deleting',
    'The claim is to be a clone of a claim that is being deleted.',
    '1Gi',
    async (world) => {
      await world.boundClaim('copy');
      await world.boundClaim('original');
      await world.pod('app', ['original']);
      await world.running('app');
      await world.remove('v1', 'PersistentVolumeClaim', 'original');
    },
    { human: { knows: 'pvc/copy holds the same data.', values: () => ({ PLACEHOLDER_SOURCE: 'copy' }) } },
  ),
  badClaim(
    'clone-other-driver',
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
    'clone-source-invalid',
    'The claim is to be a clone of a claim of another driver.',
    '1Gi',
    async (world) => {
      const { storageClassName } = await world.ownDriver({ name: 'alien.csi.test' });
      await world.boundClaim('original', storageClassName);
    },
  ),
  badClaim(
    'snapshot-other-group',
    { dataSourceRef: { apiGroup: 'snapshot.e2e.test', kind: 'VolumeSnapshot', name: 'nightly' } },
    'datasource-apigroup-wrong',
    'The claim names a snapshot in an API group that is not that of snapshots.',
    '1Gi',
    (world) => readySnapshot(world, '1Gi'),
  ),
  badClaim(
    'snapshot-missing',
    snapshotSource('nightly'),
    'restore-snapshot-missing',
    'The claim is to be restored from a snapshot that does not exist.',
    '1Gi',
    (world) => readySnapshot(world, '1Gi', 'weekly'),
    {
      human: {
        knows: 'The snapshot weekly holds a state that will do.',
        values: () => ({ PLACEHOLDER_SNAPSHOT: 'weekly' }),
      },
    },
  ),
  badClaim(
    'snapshot-not-ready',
    snapshotSource('nightly'),
    'restore-snapshot-unbound',
    'The claim is to be restored from a snapshot whose own claim does not exist, so it never gets a content.',
    '1Gi',
    async (world) => {
      await world.boundClaim('original');
      await world.make({
        ...world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly'),
        spec: { volumeSnapshotClassName: 'snapshots', source: { persistentVolumeClaimName: 'absent' } },
      });
    },
    { human: { knows: 'pvc/original is the claim that is meant.', values: () => ({ PLACEHOLDER_CLAIM: 'original' }) } },
  ),
  badClaim(
    'clone-other-mode',
    { volumeMode: 'Block', dataSource: { kind: 'PersistentVolumeClaim', name: 'original' } },
    'clone-volumemode-mismatch',
    'The clone is to be a block device, its source is a file system.',
    '1Gi',
    (world) => world.boundClaim('original'),
  ),
  badClaim(
    'restore-too-small',
    snapshotSource('nightly'),
    'restore-size-too-small',
    'The claim is smaller than the snapshot that it is to be restored from.',
    '1Gi',
    (world) => readySnapshot(world, '2Gi'),
  ),
  {
    name: 'restore-other-driver',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'restore-driver-mismatch',
    mustMention: ['foreign.csi.test'],
    note: 'The snapshot was made by another driver than the one of the class.',
    break: async (world) => {
      await readySnapshot(world, '1Gi');
      const { storageClassName } = await world.ownDriver({ name: 'foreign.csi.test' });
      await world.claim('data', storageClassName, snapshotSource('nightly'));
      await world.event('data', 'ProvisioningFailed');
    },
    heal: (world) => replaceClaim(world),
  },
  {
    name: 'attributes-class-missing',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-vac-mismatch',
    mustMention: ['e2e-turbo'],
    patience: 150,
    note: 'The claim names a VolumeAttributesClass that does not exist, and the provisioner makes a volume without one.',
    break: async (world) => {
      await world.claim('data', 'fast-immediate', { volumeAttributesClassName: 'e2e-turbo' });
      await world.event('data', 'ProvisioningSucceeded');
    },
    heal: (world) => replaceClaim(world),
  },
  {
    name: 'populator-missing',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'datasource-populator-missing',
    patience: 150,
    note: 'The claim is to be filled from an object of a kind that no populator serves.',
    fix: { skip: 'There is no populator for this kind to install.' },
    break: async (world) => {
      await world.claim('data', 'fast-immediate', {
        dataSourceRef: { apiGroup: 'e2e.test', kind: 'Backup', name: 'monday' },
      });
      await world.event('data', 'Provisioning');
    },
    heal: (world) => replaceClaim(world),
  },
  {
    name: 'other-namespace-off',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'datasource-crossns-disabled',
    mustMention: ['CrossNamespaceVolumeDataSource'],
    toldByEvents: true,
    patience: 150,
    note: 'The claim is to be a clone of a claim in another namespace; the API server knows such sources, the provisioner does not.',
    fix: { lingers: sidecarStarts },
    break: async (world) => {
      const { storageClassName } = await world.deployedDriver({ name: 'homely.csi.test' });
      await sourceElsewhere(world, storageClassName);
      await world.claim('data', storageClassName, elsewhere(world));
      await world.event('data', 'ProvisioningFailed');
    },
    heal: (world) => replaceClaim(world),
  },
  {
    name: 'other-namespace-no-grant',
    phase: 'provision',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'datasource-crossns-no-grant',
    mustMention: ['original'],
    patience: 150,
    note: 'The claim is to be a clone of a claim in another namespace, which has granted nothing.',
    break: async (world) => {
      const { storageClassName } = await world.ownDriver({ name: 'abroad.csi.test', acrossNamespaces: true });
      await sourceElsewhere(world, storageClassName);
      await world.claim('data', storageClassName, elsewhere(world));
      await world.event('data', 'ProvisioningFailed');
    },
    heal: async (world) => {
      await world.make({
        apiVersion: 'gateway.networking.k8s.io/v1beta1',
        kind: 'ReferenceGrant',
        metadata: { name: 'clones', namespace: `${world.namespace}-source` },
        spec: {
          from: [{ group: '', kind: 'PersistentVolumeClaim', namespace: world.namespace }],
          to: [{ group: '', kind: 'PersistentVolumeClaim' }],
        },
      });
      await world.bound('data');
    },
  },
];

function elsewhere(world: World): Readonly<Record<string, unknown>> {
  return { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'original', namespace: `${world.namespace}-source` } };
}

/** A bound claim in a namespace beside the scenario's. */
async function sourceElsewhere(world: World, storageClassName: string): Promise<void> {
  const namespace = `${world.namespace}-source`;
  await world.make({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const claim = world.claimObject('original', storageClassName);
  await world.make({ ...claim, metadata: { name: 'original', namespace } });
  await world.until(
    'the source to be bound',
    60,
    async () =>
      (await world.api.get({ ...claim, metadata: { name: 'original', namespace } }))?.['status']?.phase === 'Bound' ||
      undefined,
  );
}
