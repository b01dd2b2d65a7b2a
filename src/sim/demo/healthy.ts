import type { RawObject } from '../../core/kube/snapshot.ts';
import { object, uidOf } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { boundClaim } from './claims.ts';
import type { DynamicFacts } from './claims.ts';
import { diskDriver, filesDriver, zoneOfNode } from './names.ts';
import { imageOf, pod } from './pods.ts';

const weeks = 60 * 24 * 7;

interface DiskUserFacts extends Partial<DynamicFacts> {
  readonly namespace: string;
  readonly pod: string;
  readonly claim: string;
  readonly node: string;
  readonly age: number;
  readonly size: string;
  /** The StatefulSet that created the pod. */
  readonly owner?: RawObject;
}

/** A claim on a disk and the pod that uses it, both well. */
export function diskUser(clock: DemoClock, facts: DiskUserFacts): readonly RawObject[] {
  const zone = zoneOfNode[facts.node];
  return [
    ...boundClaim(clock, {
      className: 'fast',
      driver: diskDriver,
      selectedNode: facts.node,
      ...(zone === undefined ? {} : { zone }),
      ...facts,
      name: facts.claim,
    }),
    pod(clock, {
      namespace: facts.namespace,
      name: facts.pod,
      age: facts.age,
      node: facts.node,
      containers: [facts.pod.replace(/-\d+$/, '')],
      claims: { data: facts.claim },
      ...(facts.owner === undefined ? {} : { owner: facts.owner }),
      ...(facts.labels === undefined ? {} : { labels: facts.labels }),
    }),
  ];
}

interface StatefulSetFacts {
  readonly namespace: string;
  readonly name: string;
  readonly age: number;
  readonly replicas: number;
  readonly ready: number;
  readonly size: string;
  readonly className: string;
}

export function statefulSet(clock: DemoClock, facts: StatefulSetFacts): RawObject {
  const { namespace, name, age, replicas, ready } = facts;
  const labels = { app: name };
  return object(
    clock,
    { kind: 'StatefulSet', apiVersion: 'apps/v1', namespace, name, age, labels },
    {
      spec: {
        podManagementPolicy: 'OrderedReady',
        replicas,
        selector: { matchLabels: labels },
        serviceName: name,
        template: {
          metadata: { labels },
          spec: {
            containers: [{ image: imageOf(name), name, volumeMounts: [{ mountPath: '/var/lib/data', name: 'data' }] }],
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
          },
        },
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: facts.size } },
              storageClassName: facts.className,
              volumeMode: 'Filesystem',
            },
            status: { phase: 'Pending' },
          },
        ],
      },
      status: {
        availableReplicas: ready,
        currentReplicas: ready,
        readyReplicas: ready,
        replicas: ready,
        updatedReplicas: ready,
        observedGeneration: 1,
      },
    },
  );
}

/** Healthy workloads: the diagnosis must not mention them. */
export function healthyWorkloads(clock: DemoClock): readonly RawObject[] {
  return [
    ...catalogShop(clock),
    ...diskUsers(clock),
    ...sharedDocs(clock),
    ...readySnapshot(clock),
    object(
      clock,
      { kind: 'LimitRange', apiVersion: 'v1', namespace: 'shop', name: 'storage', age: 3 * weeks },
      { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '2Ti' }, min: { storage: '1Gi' } }] } },
    ),
  ];
}

function catalogShop(clock: DemoClock): readonly RawObject[] {
  const all = { namespace: 'shop', age: 3 * weeks, size: '20Gi' };
  const catalog = statefulSet(clock, { ...all, name: 'catalog', replicas: 2, ready: 2, className: 'fast' });
  const replica = { ...all, owner: catalog, labels: { app: 'catalog' } };
  return [
    catalog,
    ...diskUser(clock, { ...replica, pod: 'catalog-0', claim: 'data-catalog-0', node: 'worker-1' }),
    ...diskUser(clock, { ...replica, pod: 'catalog-1', claim: 'data-catalog-1', node: 'worker-2' }),
  ];
}

function diskUsers(clock: DemoClock): readonly RawObject[] {
  const data = { namespace: 'data', age: weeks };
  const web = { namespace: 'web', age: 2 * weeks };
  return [
    ...diskUser(clock, { ...data, pod: 'metrics-0', claim: 'metrics', node: 'worker-1', size: '50Gi' }),
    ...diskUser(clock, { ...data, pod: 'stream-0', claim: 'stream', node: 'worker-3', size: '30Gi' }),
    ...diskUser(clock, { ...web, pod: 'blog-0', claim: 'blog', node: 'worker-3', size: '5Gi' }),
  ];
}

function sharedDocs(clock: DemoClock): readonly RawObject[] {
  const all = { namespace: 'web', age: 2 * weeks };
  return [
    ...boundClaim(clock, {
      ...all,
      name: 'docs',
      size: '10Gi',
      className: 'shared',
      driver: filesDriver,
      modes: ['ReadWriteMany'],
    }),
    pod(clock, { ...all, name: 'docs-0', node: 'worker-2', containers: ['docs'], claims: { pages: 'docs' } }),
  ];
}

function readySnapshot(clock: DemoClock): readonly RawObject[] {
  const age = 60 * 9;
  const apiVersion = 'snapshot.storage.k8s.io/v1';
  const uid = uidOf('VolumeSnapshot', 'data', 'metrics-nightly');
  const contentName = `snapcontent-${uid}`;
  const handle = `snap-${uid.slice(0, 8)}`;
  return [
    object(
      clock,
      {
        kind: 'VolumeSnapshot',
        apiVersion,
        namespace: 'data',
        name: 'metrics-nightly',
        age,
        finalizers: [
          'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
          'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
        ],
      },
      {
        spec: { source: { persistentVolumeClaimName: 'metrics' }, volumeSnapshotClassName: 'disk-snapshots' },
        status: {
          boundVolumeSnapshotContentName: contentName,
          creationTime: clock.ago(age),
          readyToUse: true,
          restoreSize: '50Gi',
        },
      },
    ),
    object(
      clock,
      {
        kind: 'VolumeSnapshotContent',
        apiVersion,
        name: contentName,
        age,
        finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'],
      },
      {
        spec: {
          deletionPolicy: 'Delete',
          driver: diskDriver,
          source: {
            volumeHandle: `vol-${uidOf('PersistentVolumeClaim', 'data', 'metrics').replaceAll('-', '').slice(0, 17)}`,
          },
          sourceVolumeMode: 'Filesystem',
          volumeSnapshotClassName: 'disk-snapshots',
          volumeSnapshotRef: { apiVersion, kind: 'VolumeSnapshot', namespace: 'data', name: 'metrics-nightly', uid },
        },
        status: {
          creationTime: Date.parse(clock.ago(age)) * 1e6,
          readyToUse: true,
          restoreSize: 50 * 2 ** 30,
          snapshotHandle: handle,
        },
      },
    ),
  ];
}
