import { existingDisk } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

interface NearMiss {
  readonly name: string;
  readonly cause: string;
  readonly note: string;
  /** The claim's own fields. */
  readonly claim?: Readonly<Record<string, unknown>>;
  readonly size?: string;
  /** The volume that nearly fits, and the same made to fit. */
  readonly volume: Readonly<Record<string, unknown>>;
  readonly fitting: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
}

const nearMisses: readonly NearMiss[] = [
  {
    name: 'size',
    cause: 'pv-capacity-too-small',
    note: 'the volume is smaller than the claim',
    size: '10Gi',
    volume: { capacity: { storage: '10G' } },
    fitting: { capacity: { storage: '10Gi' } },
  },
  {
    name: 'mode',
    cause: 'pv-accessmodes-mismatch',
    note: 'the volume lacks an access mode',
    claim: { accessModes: ['ReadWriteMany'] },
    volume: {},
    fitting: { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
  },
  {
    name: 'volumemode',
    cause: 'pv-volumemode-mismatch',
    note: 'the volume is a file system and the claim wants a block device',
    claim: { volumeMode: 'Block' },
    volume: {},
    fitting: { volumeMode: 'Block', hostPath: null, local: { path: '/dev/null' }, nodeAffinity: onNode('node-a') },
  },
  {
    name: 'selector',
    cause: 'pv-selector-mismatch',
    note: "the volume's labels do not match",
    claim: { selector: { matchLabels: { tier: 'gold' } } },
    volume: {},
    fitting: {},
    labels: { tier: 'gold' },
  },
];

export function onNode(name: string): Readonly<Record<string, unknown>> {
  return {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] }],
    },
  };
}

/** The volume controller looks at a claim every 15 s; the event is its word that it looked. */
async function looked(world: World): Promise<void> {
  await world.event('data', 'ProvisioningFailed');
}

export const bindingScenarios: readonly Scenario[] = [
  {
    name: 'static-none',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'static-no-candidate-pv',
    note: 'Volumes of the class are made by hand, and there is none.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-static-none');
      await world.claim('data', 'e2e-static-none', {}, '50Gi');
      await looked(world);
    },
    heal: async (world) => {
      await world.volume('e2e-static-none', 'e2e-static-none', { capacity: { storage: '50Gi' } });
      await world.bound('data');
    },
  },
  ...nearMisses.map(({ name, cause, note, claim, size, volume, fitting, labels }): Scenario => ({
    name: `near-miss-${name}`,
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause,
    mustMention: [`e2e-miss-${name}`],
    smoke: name === 'size',
    note: `One volume of the class exists, but ${note}.`,
    break: async (world) => {
      await world.manualClass(`e2e-miss-${name}`);
      await world.volume(`e2e-miss-${name}`, `e2e-miss-${name}`, volume);
      await world.claim('data', `e2e-miss-${name}`, claim, size);
      await looked(world);
    },
    heal: async (world) => {
      await world.volume(`e2e-fit-${name}`, `e2e-miss-${name}`, fitting, { labels });
      await world.bound('data');
    },
  })),
  {
    name: 'near-miss-class',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-class-mismatch',
    note: 'A volume fits in all but its class.',
    break: async (world) => {
      await world.manualClass('e2e-miss-class');
      await world.volume(
        'e2e-miss-class',
        'e2e-another-class',
        { capacity: { storage: '7Gi' } },
        { labels: { for: 'miss-class' } },
      );
      await world.claim('data', 'e2e-miss-class', { selector: { matchLabels: { for: 'miss-class' } } }, '7Gi');
      await looked(world);
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-miss-class' } },
        { spec: { storageClassName: 'e2e-miss-class' } },
      );
      await world.bound('data');
    },
  },
  {
    name: 'volume-taken',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-claimed-by-other',
    mustMention: ['first'],
    note: 'The only volume of the class is bound to another claim.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-taken');
      await world.volume('e2e-taken', 'e2e-taken');
      await world.claim('first', 'e2e-taken');
      await world.bound('first');
      await world.claim('data', 'e2e-taken');
      await looked(world);
    },
  },
  {
    name: 'reserved-unmatched',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-prebound-unmatched',
    mustMention: ['e2e-unmatched'],
    note: 'A volume is kept for the claim, and is too small for it.',
    break: async (world) => {
      await world.manualClass('e2e-unmatched');
      await world.volume('e2e-unmatched', 'e2e-unmatched', {
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: world.namespace, name: 'data' },
      });
      await world.claim('data', 'e2e-unmatched', {}, '2Gi');
      await looked(world);
    },
  },
  {
    name: 'volumename-missing',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-volumename-not-found',
    mustMention: ['e2e-absent'],
    patience: 60,
    note: 'The claim names a volume that does not exist; there is no event at all.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-named');
      await world.claim('data', 'e2e-named', { volumeName: 'e2e-absent' });
    },
    heal: async (world) => {
      await world.volume('e2e-absent', 'e2e-named');
      await world.bound('data');
    },
  },
  {
    name: 'volumename-claimed',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-volumename-claimed-by-other',
    mustMention: ['first'],
    note: 'The claim names a volume that another claim holds.',
    fix: {
      human: {
        knows: 'The volume e2e-claimed-spare is free.',
        values: () => ({ PLACEHOLDER_VOLUME: 'e2e-claimed-spare' }),
      },
    },
    break: async (world) => {
      await world.manualClass('e2e-claimed');
      await world.volume('e2e-claimed', 'e2e-claimed');
      await world.claim('first', 'e2e-claimed', { volumeName: 'e2e-claimed' });
      await world.bound('first');
      await world.volume('e2e-claimed-spare', 'e2e-claimed');
      await world.claim('data', 'e2e-claimed', { volumeName: 'e2e-claimed' });
      await world.event('data', 'FailedBinding');
    },
    heal: async (world) => {
      await world.remove('v1', 'PersistentVolumeClaim', 'first');
      await world.gone('v1', 'PersistentVolumeClaim', 'first');
      await world.api.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-claimed' } },
        { spec: { claimRef: null } },
      );
      await world.bound('data');
    },
  },
  {
    name: 'volumename-mismatch',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-volumename-mismatch',
    mustMention: ['e2e-small'],
    note: 'The claim names a volume that is too small for it.',
    break: async (world) => {
      await world.manualClass('e2e-named-small');
      await world.volume('e2e-small', 'e2e-named-small');
      await world.claim('data', 'e2e-named-small', { volumeName: 'e2e-small' }, '5Gi');
      await world.event('data', 'VolumeMismatch');
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-small' } },
        { spec: { capacity: { storage: '5Gi' } } },
      );
      await world.bound('data');
    },
  },
  {
    name: 'released-volume',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-released-stale-claimref',
    mustMention: ['e2e-released'],
    note: 'The only volume is Released: it still names a claim that was deleted.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-released');
      await world.volume('e2e-released', 'e2e-released');
      await world.claim('before', 'e2e-released');
      await world.bound('before');
      await world.remove('v1', 'PersistentVolumeClaim', 'before');
      await world.until(
        'the volume to be Released',
        60,
        async () =>
          (await world.api.get({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-released' } }))?.[
            'status'
          ]?.phase === 'Released' || undefined,
      );
      await world.claim('data', 'e2e-released');
      await looked(world);
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-released' } },
        { spec: { claimRef: null } },
      );
      await world.bound('data');
    },
  },
  {
    name: 'reserved-volume',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-reserved-for-absent-claim',
    mustMention: ['someone'],
    note: 'The only volume is kept for a claim that does not exist.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-reserved');
      await world.volume('e2e-reserved', 'e2e-reserved', {
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: world.namespace, name: 'someone' },
      });
      await world.claim('data', 'e2e-reserved');
      await looked(world);
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'e2e-reserved' } },
        { spec: { claimRef: null } },
      );
      await world.bound('data');
    },
  },
  {
    name: 'lost-claim',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-lost-pv-deleted',
    mustMention: ['e2e-lost'],
    note: 'The volume of a bound claim was deleted.',
    fix: existingDisk,
    break: async (world) => {
      await world.manualClass('e2e-lost');
      const volume = await world.volume('e2e-lost', 'e2e-lost');
      await world.claim('data', 'e2e-lost');
      await world.bound('data');
      await world.api.remove(volume);
      await world.api.patch(volume, { metadata: { finalizers: null } });
      await world.phase('PersistentVolumeClaim', 'data', 'Lost');
    },
    heal: async (world) => {
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.volume('e2e-lost', 'e2e-lost');
      await world.claim('data', 'e2e-lost');
      await world.bound('data');
    },
  },
  {
    name: 'volume-controller-down',
    phase: 'binding',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pv-controller-down',
    alone: true,
    patience: 150,
    note: 'The kube-controller-manager is not running, so a claim with a fitting volume is not bound.',
    fix: {
      instead: {
        reason: 'The kube-controller-manager is a process of this machine, and no pod.',
        play: (world) => world.mend(),
      },
      lingers: 'The lease of its predecessor has to run out first.',
    },
    break: async (world) => {
      const { controllers, startControllerManager } = world.cluster.controlPlane;
      controllers.controllerManager.kill('SIGKILL');
      await controllers.controllerManager.stop();
      world.mend = () => {
        if (!controllers.controllerManager.alive()) controllers.controllerManager = startControllerManager();
      };
      // The others need it back, whatever comes of this.
      world.later(async () => {
        await world.mend();
      });
      await world.manualClass('e2e-no-controller');
      await world.volume('e2e-no-controller', 'e2e-no-controller');
      await world.claim('data', 'e2e-no-controller');
    },
    heal: async (world) => {
      await world.mend();
      await world.bound('data');
    },
  },
];
