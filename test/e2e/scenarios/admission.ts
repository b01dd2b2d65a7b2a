import { mainDriver } from '../cluster/cluster.ts';
import { existingDisk } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

async function statefulSet(world: World, replicas: number, size: string): Promise<void> {
  const { volumes: _, ...podSpec } = world.podSpec(['data']);
  await world.make({
    ...world.object('apps/v1', 'StatefulSet', 'db'),
    spec: {
      serviceName: 'db',
      replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: podSpec },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data', labels: { app: 'db' } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast-immediate',
            resources: { requests: { storage: size } },
          },
        },
      ],
    },
  });
}

/** After each failure the controller waits twice as long; a change of the set makes it try at once. */
async function triedAgain(world: World, claim: string): Promise<void> {
  let tries = 0;
  await world.until(`claim ${claim} to be Bound`, 120, async () => {
    tries += 1;
    await world.api.patch(world.object('apps/v1', 'StatefulSet', 'db'), {
      metadata: { annotations: { 'e2e.test/tries': String(tries) } },
    });
    return (
      (await world.api.get(world.object('v1', 'PersistentVolumeClaim', claim)))?.['status']?.phase === 'Bound' ||
      undefined
    );
  });
}

export const admissionScenarios: readonly Scenario[] = [
  {
    name: 'missing-class',
    phase: 'admission',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'sc-missing',
    mustMention: ['e2e-gold'],
    smoke: true,
    note: 'The claim names a class that does not exist.',
    break: async (world) => {
      await world.claim('data', 'e2e-gold');
      await world.event('data', 'ProvisioningFailed');
    },
    heal: async (world) => {
      await world.storageClass('e2e-gold', mainDriver);
      await world.bound('data');
    },
  },
  {
    name: 'class-misspelt',
    phase: 'admission',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'sc-missing',
    mustMention: ['fast-immediate'],
    note: 'The claim names a class that does not exist, and one with nearly the same name does.',
    break: async (world) => {
      await world.claim('data', 'fast-imediate');
      await world.event('data', 'ProvisioningFailed');
    },
  },
  {
    name: 'no-default-class',
    phase: 'admission',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'class-nil-no-default',
    note: 'The claim names no class, and no class is the default.',
    // Larger than the volumes without a class that other scenarios make, which would fit.
    fix: {
      human: {
        knows: 'The application wants the class fast-immediate.',
        values: () => ({ PLACEHOLDER_CLASS: 'fast-immediate' }),
      },
    },
    break: async (world) => {
      // The fix makes a class of all the default.
      world.later(() =>
        world.api.patch(
          { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'fast-immediate' } },
          { metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': null } } },
        ),
      );
      await world.claim('data', undefined, {}, '3Gi');
      await world.event('data', 'FailedBinding');
    },
    heal: async (world) => {
      await world.make({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'e2e-default', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        provisioner: mainDriver,
      });
      await world.bound('data');
    },
  },
  {
    name: 'empty-class',
    phase: 'admission',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'class-empty-string',
    wrong: ['class-nil-no-default'],
    note: 'The class is the empty string, so only a volume without a class fits, and there is none.',
    fix: existingDisk,
    break: async (world) => {
      await world.claim('data', '', { selector: { matchLabels: { for: 'empty-class' } } });
      await world.event('data', 'FailedBinding');
    },
    heal: async (world) => {
      await world.volume('e2e-empty-class', '', {}, { labels: { for: 'empty-class' } });
      await world.bound('data');
    },
  },
  {
    name: 'quota-statefulset',
    phase: 'admission',
    target: 'pvc/data-db-1',
    status: 'blocked',
    cause: 'pvc-create-denied-quota',
    mustMention: ['storage'],
    smoke: true,
    note: 'A quota allows one claim of 1Gi; the StatefulSet wants two, so the second claim was never made.',
    break: async (world) => {
      await world.make({
        ...world.object('v1', 'ResourceQuota', 'storage'),
        spec: { hard: { 'requests.storage': '1Gi' } },
      });
      await world.until(
        'the quota to be counted',
        30,
        async () =>
          (await world.api.get(world.object('v1', 'ResourceQuota', 'storage')))?.['status']?.hard !== undefined ||
          undefined,
      );
      await statefulSet(world, 2, '1Gi');
      await world.event('db', 'FailedCreate', 'exceeded quota');
      await world.running('db-0');
    },
    heal: async (world) => {
      await world.remove('v1', 'ResourceQuota', 'storage');
      await triedAgain(world, 'data-db-1');
    },
  },
  {
    name: 'quota-count',
    phase: 'admission',
    target: 'pvc/data-db-1',
    status: 'blocked',
    cause: 'pvc-create-denied-quota',
    mustMention: ['claims'],
    note: 'A quota allows one claim; the StatefulSet wants two.',
    break: async (world) => {
      await world.make({
        ...world.object('v1', 'ResourceQuota', 'claims'),
        spec: { hard: { persistentvolumeclaims: '1' } },
      });
      await world.until(
        'the quota to be counted',
        30,
        async () =>
          (await world.api.get(world.object('v1', 'ResourceQuota', 'claims')))?.['status']?.hard !== undefined ||
          undefined,
      );
      await statefulSet(world, 2, '1Gi');
      await world.event('db', 'FailedCreate', 'exceeded quota');
      await world.running('db-0');
    },
  },
  {
    name: 'limit-range',
    phase: 'admission',
    target: 'pvc/data-db-0',
    status: 'blocked',
    cause: 'pvc-create-denied-limitrange',
    note: 'A limit range allows 1Gi for a claim; the StatefulSet asks for 2Gi.',
    break: async (world) => {
      await world.make({
        ...world.object('v1', 'LimitRange', 'sizes'),
        spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] },
      });
      await statefulSet(world, 1, '2Gi');
      await world.event('db', 'FailedCreate', 'maximum storage usage');
    },
    heal: async (world) => {
      await world.remove('v1', 'LimitRange', 'sizes');
      await triedAgain(world, 'data-db-0');
    },
  },
  {
    name: 'policy-denial',
    phase: 'admission',
    target: 'pvc/data-db-0',
    status: 'blocked',
    cause: 'pvc-create-denied-webhook',
    toldByEvents: true,
    note: 'A ValidatingAdmissionPolicy refuses claims of the namespace that have no label for their owner.',
    fix: {
      human: {
        knows: 'The policy wants a label that names the owner.',
        values: () => ({ PLACEHOLDER_KEY: 'owner', PLACEHOLDER_VALUE: 'team-a' }),
      },
    },
    break: async (world) => {
      const name = 'e2e-no-claims';
      await world.make({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumeclaims'] },
            ],
          },
          validations: [
            {
              expression: "has(object.metadata.labels) && 'owner' in object.metadata.labels",
              message: 'claims need an owner label',
            },
          ],
        },
      });
      await world.make({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: {
          policyName: name,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } } },
        },
      });
      await world.until('the policy to be in force', 30, async () => {
        try {
          await world.api.call(
            'POST',
            `/api/v1/namespaces/${world.namespace}/persistentvolumeclaims?dryRun=All`,
            world.claimObject('trial', 'fast-immediate'),
          );
          return undefined;
        } catch (error) {
          return String(error).includes('owner label') || undefined;
        }
      });
      await statefulSet(world, 1, '1Gi');
      await world.event('db', 'FailedCreate', 'ValidatingAdmissionPolicy');
    },
    heal: async (world) => {
      await world.api.remove({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'e2e-no-claims' },
      });
      await triedAgain(world, 'data-db-0');
    },
  },
  {
    name: 'ephemeral-conflict',
    phase: 'admission',
    target: 'pod/app',
    status: 'blocked',
    cause: 'ephemeral-pvc-conflict',
    mustMention: ['app-data'],
    note: "The pod has a generic ephemeral volume, and a claim with its name exists that is not the pod's.",
    break: async (world) => {
      await world.claim('app-data', 'fast-immediate');
      await world.bound('app-data');
      const spec = world.podSpec(['data']);
      await world.pod('app', ['data'], {
        ...spec,
        volumes: [
          {
            name: 'data',
            ephemeral: {
              volumeClaimTemplate: {
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  storageClassName: 'fast-immediate',
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            },
          },
        ],
      });
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.remove('v1', 'PersistentVolumeClaim', 'app-data');
      await world.phase('Pod', 'app', 'Running', 120);
    },
  },
  {
    name: 'claim-missing',
    phase: 'admission',
    target: 'pod/app',
    status: 'blocked',
    cause: 'pod-pvc-missing',
    mustMention: ['data'],
    note: 'The pod names a claim that does not exist.',
    fix: {
      human: {
        knows: 'The application needs 1Gi of the class fast-wffc.',
        values: () => ({ PLACEHOLDER_CLASS: 'fast-wffc', PLACEHOLDER_SIZE: '1Gi' }),
      },
    },
    break: async (world) => {
      await world.pod('app', ['data']);
      await world.unschedulable('app', 'not found');
    },
    heal: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.running('app');
    },
  },
  {
    name: 'claim-terminating',
    phase: 'admission',
    target: 'pod/late',
    status: 'blocked',
    cause: 'pod-pvc-terminating',
    note: 'The claim is being deleted while a pod holds it; a second pod wants it.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
      await world.running('app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.pod('late', ['data']);
      await world.unschedulable('late', 'being deleted');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.claim('data', 'fast-wffc');
      await world.phase('Pod', 'late', 'Running', 120);
    },
  },
];
