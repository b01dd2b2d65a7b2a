import { describe, expect, it } from 'vitest';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { demoBackend } from '../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';
import { runRound } from '../../src/sim/controllers/loop.ts';
import type { Workplace } from '../../src/sim/controllers/loop.ts';
import { snapshotOf, takenAt } from './cluster.ts';
import { workplaceOf } from './workplace.ts';

describe('the controllers of the demo', () => {
  it('leave a demo that nobody touches as it is: what is stuck stays stuck', () => {
    const now = new Date();
    const snapshot = demoSnapshot(now);
    const workplace = workplaceOf(snapshot, { now: () => now.getTime(), backend: demoBackend });
    const changes: string[] = [];
    workplace.cluster.store.subscribeAll(({ type, entry: { object, key } }) => {
      // Leases are renewed, and events counted up.
      if (object.kind !== 'Lease' && (object.kind !== 'Event' || type === 'ADDED'))
        changes.push(`${type} ${object.kind} ${key} ${JSON.stringify(object['status'] ?? object['message'])}`);
    });
    for (let round = 0; round < 5; round += 1) runRound(workplace);
    expect(changes).toEqual([]);
  });
});

const object = (kind: string, name: string, more: object, namespace?: string): RawObject => ({
  apiVersion: apiVersions[kind] ?? 'v1',
  kind,
  metadata: { name, ...(namespace && { namespace }), uid: `uid-${kind}-${name}`, creationTimestamp: takenAt },
  ...more,
});
const apiVersions: Readonly<Record<string, string>> = {
  StorageClass: 'storage.k8s.io/v1',
  CSINode: 'storage.k8s.io/v1',
  CSIDriver: 'storage.k8s.io/v1',
  VolumeAttachment: 'storage.k8s.io/v1',
  Lease: 'coordination.k8s.io/v1',
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  VolumeSnapshot: 'snapshot.storage.k8s.io/v1',
  VolumeSnapshotClass: 'snapshot.storage.k8s.io/v1',
};
const driver = 'disk.example.com';
const claim = (name: string, spec: object = {}, more: object = {}): RawObject =>
  object(
    'PersistentVolumeClaim',
    name,
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '10Gi' } },
        storageClassName: 'fast',
        ...spec,
      },
      status: { phase: 'Pending' },
      ...more,
    },
    'shop',
  );
const volume = (name: string, spec: object = {}): RawObject =>
  object('PersistentVolume', name, {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '10Gi' },
      storageClassName: 'manual',
      persistentVolumeReclaimPolicy: 'Retain',
      nfs: {},
      ...spec,
    },
    status: { phase: 'Available' },
  });
const user = (name: string, claimName: string, spec: object = {}): RawObject =>
  object(
    'Pod',
    name,
    {
      spec: {
        containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
        ...spec,
      },
      status: { phase: 'Pending' },
    },
    'shop',
  );
const controllerTemplate = {
  metadata: { labels: { app: 'disk' } },
  spec: {
    containers: [
      { name: 'driver', args: [`--drivername=${driver}`] },
      ...['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter', 'snapshot-controller'].map((name) => ({
        name,
      })),
    ],
  },
};
const controllerDeployment = (replicas: number): RawObject =>
  object(
    'Deployment',
    'disk-controller',
    { spec: { replicas, selector: { matchLabels: { app: 'disk' } }, template: controllerTemplate } },
    'kube-system',
  );
const node = (name: string, limit = 5): RawObject[] => [
  object('Node', name, {
    spec: {},
    status: { allocatable: { cpu: '2', memory: '8Gi', pods: '10' } },
  }),
  object('CSINode', name, { spec: { drivers: [{ name: driver, topologyKeys: [], allocatable: { count: limit } }] } }),
];
const fast = (volumeBindingMode: string): RawObject =>
  object('StorageClass', 'fast', {
    provisioner: driver,
    volumeBindingMode,
    reclaimPolicy: 'Delete',
    allowVolumeExpansion: true,
  });
const basics = [
  ...['shop', 'kube-system'].map((name) => object('Namespace', name, { status: { phase: 'Active' } })),
  object('CSIDriver', driver, { spec: { attachRequired: true } }),
];

/** A cluster, and what is in it after its controllers have done all that they can. */
function cluster(...objects: readonly (RawObject | readonly RawObject[])[]): {
  readonly workplace: Workplace;
  readonly settle: () => void;
  readonly get: (kind: string, name: string, namespace?: string) => any;
} {
  const workplace = workplaceOf(snapshotOf([...basics, ...objects.flat()]));
  const settle = (): void => {
    for (let round = 0; round < 15; round += 1) runRound(workplace);
  };
  settle();
  const get = (kind: string, name: string, namespace?: string): any => workplace.cluster.get(kind, namespace, name);
  return { workplace, settle, get };
}

describe('a claim', () => {
  it('of a class that binds at once is provisioned and bound without a pod', () => {
    const { get } = cluster(fast('Immediate'), node('a'), controllerDeployment(1), claim('data'));
    const { spec, status } = get('PersistentVolumeClaim', 'data', 'shop');
    expect(status).toMatchObject({ phase: 'Bound', capacity: { storage: '10Gi' } });
    expect(get('PersistentVolume', spec.volumeName)).toMatchObject({
      spec: { csi: { driver }, claimRef: { name: 'data' }, persistentVolumeReclaimPolicy: 'Delete' },
      status: { phase: 'Bound' },
    });
  });

  it('waits as long as the controller of its driver is scaled to zero, and no longer', () => {
    const { workplace, settle, get } = cluster(fast('Immediate'), node('a'), controllerDeployment(0), claim('data'));
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.phase).toBe('Pending');
    workplace.cluster.put(controllerDeployment(1));
    settle();
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.phase).toBe('Bound');
    expect(get('Lease', 'disk-example-com', 'kube-system').spec.holderIdentity).toMatch(/^disk-controller-/);
  });

  it('of a class that binds late waits for its pod, which runs where the volume is attached', () => {
    const { workplace, settle, get } = cluster(
      fast('WaitForFirstConsumer'),
      node('a'),
      controllerDeployment(1),
      claim('data'),
    );
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.phase).toBe('Pending');
    workplace.cluster.put(user('web', 'data'));
    settle();
    expect(get('Pod', 'web', 'shop')).toMatchObject({ spec: { nodeName: 'a' }, status: { phase: 'Running' } });
    const [attachment] = workplace.cluster.list('VolumeAttachment');
    expect(attachment).toMatchObject({ spec: { attacher: driver, nodeName: 'a' }, status: { attached: true } });
  });

  it('takes the smallest volume that fits, and none that is kept for another', () => {
    const { get } = cluster(
      claim('data', { storageClassName: 'manual' }),
      volume('large', { capacity: { storage: '90Gi' } }),
      volume('kept', { claimRef: { namespace: 'shop', name: 'other' } }),
      volume('good', { capacity: { storage: '11Gi' } }),
      volume('small', { capacity: { storage: '10G' } }),
      volume('shared', { accessModes: ['ReadWriteMany'] }),
    );
    expect(get('PersistentVolumeClaim', 'data', 'shop').spec.volumeName).toBe('good');
  });

  it('is Lost without its volume, and found again with it', () => {
    const bound = claim('data', { storageClassName: 'manual', volumeName: 'disk' }, { status: { phase: 'Bound' } });
    const annotated = {
      ...bound,
      metadata: { ...bound.metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    };
    const { workplace, settle, get } = cluster(annotated);
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.phase).toBe('Lost');
    workplace.cluster.put(volume('disk', { claimRef: { namespace: 'shop', name: 'data' } }));
    settle();
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.phase).toBe('Bound');
  });

  it('grows with its volume', () => {
    const { workplace, settle, get } = cluster(fast('Immediate'), node('a'), controllerDeployment(1), claim('data'));
    const bound = get('PersistentVolumeClaim', 'data', 'shop');
    workplace.cluster.put({ ...bound, spec: { ...bound.spec, resources: { requests: { storage: '20Gi' } } } });
    settle();
    expect(get('PersistentVolumeClaim', 'data', 'shop').status.capacity.storage).toBe('20Gi');
    expect(get('PersistentVolume', bound.spec.volumeName).spec.capacity.storage).toBe('20Gi');
  });

  it('that is deleted stays until its pod is gone, and takes its volume with it', () => {
    const { workplace, settle, get } = cluster(
      fast('Immediate'),
      node('a'),
      controllerDeployment(1),
      { ...claim('data'), metadata: { ...claim('data').metadata, finalizers: ['kubernetes.io/pvc-protection'] } },
      user('web', 'data'),
    );
    const { writes } = workplace;
    const { volumeName } = get('PersistentVolumeClaim', 'data', 'shop').spec;
    writes.delete(get('PersistentVolumeClaim', 'data', 'shop'));
    settle();
    expect(get('PersistentVolumeClaim', 'data', 'shop').metadata.deletionTimestamp).toBeTruthy();
    writes.delete(get('Pod', 'web', 'shop'));
    settle();
    expect(get('PersistentVolumeClaim', 'data', 'shop')).toBeUndefined();
    expect(get('PersistentVolume', volumeName)).toBeUndefined();
    expect(workplace.cluster.list('VolumeAttachment')).toEqual([]);
  });
});

describe('a pod', () => {
  const messageOf = (pod: any): string => pod.status.conditions[0].message;

  it.each([
    ['a node selector', { nodeSelector: { zone: 'b' } }, "1 node(s) didn't match Pod's node affinity/selector"],
    ['too little cpu', { containers: [{ name: 'main', resources: { requests: { cpu: '9' } } }] }, '1 Insufficient cpu'],
  ])('stays pending for %s', (_, spec, words) => {
    const { get } = cluster(fast('WaitForFirstConsumer'), node('a'), claim('data'), user('web', 'data', spec));
    expect(messageOf(get('Pod', 'web', 'shop'))).toContain(`0/1 nodes are available: ${words}.`);
  });

  it('stays off a node that is cordoned, tainted or full', () => {
    const [plain, csiNode] = node('a') as [RawObject, RawObject];
    const because = (spec: object, limit = 5): string => {
      const { get } = cluster(
        fast('WaitForFirstConsumer'),
        { ...plain, spec },
        { ...csiNode, spec: { drivers: [{ name: driver, allocatable: { count: limit } }] } },
        claim('data'),
        claim('more'),
        user('web', 'data', {
          volumes: ['data', 'more'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        }),
      );
      return messageOf(get('Pod', 'web', 'shop'));
    };
    expect(because({ unschedulable: true })).toContain('node(s) were unschedulable');
    expect(because({ taints: [{ key: 'gpu', effect: 'NoSchedule' }] })).toContain('untolerated taint {gpu: }');
    expect(because({}, 1)).toContain('exceed max volume count');
  });

  it('waits for the one pod that may use its claim', () => {
    const { workplace, settle, get } = cluster(
      fast('Immediate'),
      node('a'),
      controllerDeployment(1),
      claim('data', { accessModes: ['ReadWriteOncePod'] }),
      user('first', 'data'),
    );
    workplace.cluster.put(user('second', 'data'));
    settle();
    expect(messageOf(get('Pod', 'second', 'shop'))).toContain('ReadWriteOncePod access mode already in-use');
    workplace.writes.delete(get('Pod', 'first', 'shop'), { graceSeconds: 0 });
    settle();
    expect(get('Pod', 'second', 'shop').status.phase).toBe('Running');
  });
});

describe('a workload', () => {
  const set = (replicas: number): RawObject =>
    object(
      'StatefulSet',
      'db',
      {
        spec: {
          replicas,
          selector: { matchLabels: { app: 'db' } },
          template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db' }] } },
          volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { ...(claim('x')['spec'] as object) } }],
        },
      },
      'shop',
    );
  const quota = (storage: string): RawObject =>
    object('ResourceQuota', 'quota', { spec: { hard: { 'requests.storage': storage } } }, 'shop');

  it('gets the claims that its quota has room for, and the rest when there is more', () => {
    const { workplace, settle, get } = cluster(
      fast('WaitForFirstConsumer'),
      node('a'),
      controllerDeployment(1),
      quota('15Gi'),
    );
    workplace.cluster.put(set(2));
    settle();
    expect(get('StatefulSet', 'db', 'shop').status).toMatchObject({ replicas: 1, readyReplicas: 1 });
    expect(get('ResourceQuota', 'quota', 'shop').status.used).toEqual({ 'requests.storage': '10Gi' });
    expect(get('PersistentVolumeClaim', 'data-db-1', 'shop')).toBeUndefined();
    workplace.cluster.put(quota('30Gi'));
    settle();
    expect(get('Pod', 'db-1', 'shop').status.phase).toBe('Running');
  });

  it('loses its pods with itself, but not its claims', () => {
    const { workplace, settle, get } = cluster(
      fast('WaitForFirstConsumer'),
      node('a'),
      controllerDeployment(1),
      set(1),
    );
    workplace.writes.delete(get('StatefulSet', 'db', 'shop'));
    settle();
    expect(get('Pod', 'db-0', 'shop')).toBeUndefined();
    expect(get('PersistentVolumeClaim', 'data-db-0', 'shop').status.phase).toBe('Bound');
  });

  it('is replaced pod by pod when its template changes', () => {
    const { workplace, settle, get } = cluster(node('a'), controllerDeployment(1));
    const names = (): string[] => workplace.cluster.list('Pod').map(({ metadata }) => metadata.name);
    const [before] = names();
    const deployment = get('Deployment', 'disk-controller', 'kube-system');
    const template = {
      ...controllerTemplate,
      metadata: { ...controllerTemplate.metadata, annotations: { restartedAt: 'now' } },
    };
    workplace.cluster.put({ ...deployment, spec: { ...deployment.spec, template } });
    settle();
    expect(names()).toHaveLength(1);
    expect(names()[0]).not.toBe(before);
    expect(get('Deployment', 'disk-controller', 'kube-system').status).toMatchObject({ replicas: 1, readyReplicas: 1 });
  });
});

describe('the rest of the cluster', () => {
  it('takes a snapshot of a bound claim', () => {
    const { get } = cluster(
      fast('Immediate'),
      node('a'),
      controllerDeployment(1),
      claim('data'),
      object('VolumeSnapshotClass', 'snaps', { driver, deletionPolicy: 'Delete' }),
      object(
        'VolumeSnapshot',
        'backup',
        { spec: { volumeSnapshotClassName: 'snaps', source: { persistentVolumeClaimName: 'data' } } },
        'shop',
      ),
    );
    const { status } = get('VolumeSnapshot', 'backup', 'shop');
    expect(status).toMatchObject({ readyToUse: true, restoreSize: '10Gi' });
    expect(get('VolumeSnapshotContent', status.boundVolumeSnapshotContentName).spec.driver).toBe(driver);
  });

  it('empties a namespace before it goes', () => {
    const { workplace, settle, get } = cluster(
      node('a'),
      claim('data', { storageClassName: 'none' }),
      user('web', 'data'),
    );
    const shop = get('Namespace', 'shop');
    workplace.cluster.put({ ...shop, spec: { finalizers: ['kubernetes'] } });
    workplace.writes.delete(get('Namespace', 'shop'));
    settle();
    expect(get('Namespace', 'shop')).toBeUndefined();
    expect(get('PersistentVolumeClaim', 'data', 'shop')).toBeUndefined();
  });
});
