import { describe, expect, it } from 'vitest';
import type { RowKind, RowOf } from '../../../src/core/report/rows.ts';
import type { Observation, RawObject } from '../../../src/core/kube/snapshot.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { surveyRows } from '../../../src/core/survey/rows/survey-rows.ts';
import { snapshotOf } from '../../sim/cluster.ts';

const storage = 'storage.k8s.io/v1';
const claim = (name: string, spec: object, status: object, metadata: object = {}): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } }, ...spec },
  status,
});
const bound = (name: string, status: object = {}): RawObject =>
  claim(
    name,
    { volumeName: `pv-${name}`, storageClassName: 'fast' },
    { phase: 'Bound', capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'], ...status },
  );
const volume = (name: string, source: object): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    claimRef: { namespace: 'shop', name: name.replace('pv-', '') },
    ...source,
  },
  status: { phase: 'Bound' },
});
const attachment = (name: string, pv: string, node: string, status: object, metadata: object = {}): RawObject => ({
  apiVersion: storage,
  kind: 'VolumeAttachment',
  metadata: { name, ...metadata },
  spec: { attacher: 'disk.example.com', nodeName: node, source: { persistentVolumeName: pv } },
  status,
});
const pod = (name: string, claimName: string, node: string, phase = 'Running'): RawObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop' },
  spec: { nodeName: node, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  status: { phase },
});
const driver = (name: string, spec: object = {}): RawObject => ({
  apiVersion: storage,
  kind: 'CSIDriver',
  metadata: { name },
  spec,
});
const csiNode = (name: string, drivers: readonly object[]): RawObject => ({
  apiVersion: storage,
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers },
});
const disk = { csi: { driver: 'disk.example.com', volumeHandle: 'vol-1' } };

/** Everything was read, but for these kinds. */
const observed = (denied: readonly string[]): Observation[] =>
  resources.map(({ kind }) =>
    denied.includes(kind)
      ? { kind, scope: {}, state: 'denied', message: 'no' }
      : { kind, scope: {}, state: 'complete' },
  );

function rowsOf<K extends RowKind>(
  kind: K,
  objects: readonly RawObject[],
  denied: readonly string[] = [],
): readonly RowOf[K][] {
  const survey = surveyRows(snapshotOf(objects, { observations: observed(denied) }), [{ kind, names: [] }], 'wide');
  return survey.answers[0]?.rows as readonly RowOf[K][];
}

describe('rows of claims', () => {
  it('join the volume, its attachments and the pods that are not over', () => {
    const objects = [
      bound('data'),
      volume('pv-data', disk),
      driver('disk.example.com'),
      attachment('csi-1', 'pv-data', 'node-a', { attached: true }),
      attachment('csi-2', 'pv-data', 'node-b', { attachError: { message: 'in use' } }),
      pod('web-0', 'data', 'node-a'),
      pod('done', 'data', 'node-a', 'Succeeded'),
    ];
    expect(rowsOf('PersistentVolumeClaim', objects)).toMatchObject([
      {
        status: 'Bound',
        volume: 'pv-data',
        driver: 'disk.example.com',
        reclaimPolicy: 'Retain',
        volumeHandle: 'vol-1',
        isAttachable: true,
        attachments: [
          { node: 'node-a', state: 'attached' },
          { node: 'node-b', state: 'failed', error: 'in use' },
        ],
        pods: [{ name: 'web-0', node: 'node-a' }],
      },
    ]);
  });

  it.each([
    ['Bound', {}, {}],
    ['Terminating', {}, { deletionTimestamp: '2026-03-01T11:59:00Z' }],
    ['Bound,Resizing', { capacity: { storage: '5Gi' } }, {}],
    [
      'Bound,ResizeFailed',
      { capacity: { storage: '5Gi' }, allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } },
      {},
    ],
    [
      'Bound,FileSystemResizePending',
      { capacity: { storage: '5Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
      {},
    ],
    [
      'Bound,FileSystemResizePending',
      { capacity: { storage: '5Gi' }, conditions: [{ type: 'FileSystemResizePending', status: 'True' }] },
      {},
    ],
    ['Bound,Modifying', { modifyVolumeStatus: { status: 'InProgress' } }, {}],
    ['Bound,ModifyFailed', { modifyVolumeStatus: { status: 'Infeasible' } }, {}],
  ])('say %s', (status, fields, metadata) => {
    const one = bound('data', fields);
    expect(rowsOf('PersistentVolumeClaim', [{ ...one, metadata: { ...one.metadata, ...metadata } }])[0]?.status).toBe(
      status,
    );
  });

  it('name who is to provision before there is a volume', () => {
    const objects = [
      claim('data', { storageClassName: 'fast' }, { phase: 'Pending' }),
      { apiVersion: storage, kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'kubernetes.io/aws-ebs' },
    ];
    expect(rowsOf('PersistentVolumeClaim', objects)).toMatchObject([
      { status: 'Pending', driver: 'ebs.csi.aws.com', requested: '10Gi', attachments: [] },
    ]);
  });

  it('do not take what could not be read for nothing', () => {
    const objects = [bound('data'), volume('pv-data', disk)];
    const [row] = rowsOf('PersistentVolumeClaim', objects, [
      'PersistentVolume',
      'VolumeAttachment',
      'Pod',
      'StorageClass',
    ]).map(({ unknown }) => unknown);
    // The volume itself is at hand here; with it gone, what only it tells is open too.
    expect(row).toEqual(['attachments', 'pods', 'cause']);
    expect(
      rowsOf('PersistentVolumeClaim', [bound('data')], ['PersistentVolume', 'VolumeAttachment', 'Pod'])[0]?.unknown,
    ).toEqual(['reclaimPolicy', 'volumeHandle', 'driver', 'attachments', 'pods', 'cause']);
    expect(rowsOf('PersistentVolumeClaim', [bound('data')])[0]?.unknown).toBeUndefined();
  });

  it('tell volumes that are never attached from those that are not', () => {
    const objects = [
      bound('files'),
      volume('pv-files', { csi: { driver: 'files.example.com', volumeHandle: 'f' } }),
      driver('files.example.com', { attachRequired: false }),
      bound('nfs'),
      volume('pv-nfs', { nfs: { server: 's', path: '/' } }),
    ];
    expect(
      rowsOf('PersistentVolumeClaim', objects).map(({ isAttachable, driver: name, plugin }) => [
        isAttachable,
        name,
        plugin,
      ]),
    ).toEqual([
      [false, 'files.example.com', undefined],
      [false, undefined, 'nfs'],
    ]);
  });
});

describe('rows of the other kinds', () => {
  it('count the volumes of a node, and say when nobody could', () => {
    const objects = [
      csiNode('node-a', [
        { name: 'disk.example.com', nodeID: 'i-1', topologyKeys: ['zone'], allocatable: { count: 3 } },
      ]),
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'node-a', labels: { zone: 'a' } },
        spec: { unschedulable: true },
        status: { conditions: [{ type: 'Ready', status: 'False' }] },
      },
      attachment('csi-1', 'pv-1', 'node-a', {}),
      attachment('csi-2', 'pv-2', 'node-b', {}),
    ];
    expect(rowsOf('CSINode', objects)).toMatchObject([
      { status: 'NotReady,SchedulingDisabled', drivers: [{ used: 1, limit: 3, topology: { zone: 'a' } }] },
    ]);
    const [blind] = rowsOf(
      'CSINode',
      objects.filter(({ kind }) => kind !== 'Node'),
      ['VolumeAttachment', 'Node'],
    );
    expect(blind).toMatchObject({ unknown: ['status', 'drivers[disk.example.com].used', 'topology'] });
    expect(blind?.drivers[0]).not.toHaveProperty('used');
  });

  it('know a driver that is only registered, and one of which nobody can say whether it is declared', () => {
    const objects = [csiNode('node-a', [{ name: 'disk.example.com' }])];
    expect(rowsOf('CSIDriver', objects)).toMatchObject([
      { name: 'disk.example.com', isDeclared: false, registeredNodes: 1, nodes: 1, controller: 'none' },
    ]);
    const [blind] = rowsOf('CSIDriver', objects, ['CSIDriver']);
    expect(blind).not.toHaveProperty('isDeclared');
    expect(blind?.unknown).toContain('isAttachRequired');
  });

  it('tell a class whose driver is nowhere from one whose provisioner is no CSI driver', () => {
    const storageClass = (name: string, provisioner: string): RawObject => ({
      apiVersion: storage,
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
    });
    const objects = [
      storageClass('gone', 'gone.example.com'),
      storageClass('local', 'rancher.io/local-path'),
      csiNode('node-a', []),
      claim('data', { storageClassName: 'gone' }, { phase: 'Pending' }),
    ];
    expect(rowsOf('StorageClass', objects)).toMatchObject([
      { name: 'gone', isInstalled: false, registeredNodes: 0, nodes: 1, features: [], claims: 1 },
      { name: 'local', provisioner: 'rancher.io/local-path', claims: 0 },
    ]);
    expect(rowsOf('StorageClass', objects)[1]).not.toHaveProperty('isInstalled');
    expect(rowsOf('StorageClass', objects, ['CSIDriver'])[0]).not.toHaveProperty('isInstalled');
  });

  it('lead from an attachment to its claim and the pods on that node only', () => {
    const objects = [
      attachment('csi-1', 'pv-data', 'node-a', { attached: true, attachError: { message: 'long ago' } }),
      attachment(
        'csi-2',
        'pv-data',
        'node-b',
        { attached: true, detachError: { message: 'still mounted', time: '2026-03-01T11:00:00Z' } },
        { deletionTimestamp: '2026-03-01T10:00:00Z' },
      ),
      volume('pv-data', disk),
      pod('web-0', 'data', 'node-a'),
      pod('web-1', 'data', 'node-b'),
    ];
    const [first, second] = rowsOf('VolumeAttachment', objects);
    expect(first).toMatchObject({
      claim: { namespace: 'shop', name: 'data' },
      state: 'attached',
      pods: [{ name: 'web-0' }],
    });
    expect(first).not.toHaveProperty('error');
    expect(second).toMatchObject({ state: 'detaching', error: 'still mounted', pods: [{ name: 'web-1' }] });
  });

  it('show why a snapshot is not ready in the words of its content', () => {
    const snapshot = (name: string, status?: object): RawObject => ({
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name, namespace: 'shop', uid: `uid-${name}` },
      spec: { volumeSnapshotClassName: 'snaps', source: { persistentVolumeClaimName: 'data' } },
      ...(status && { status }),
    });
    const content: RawObject = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata: { name: 'snapcontent-uid-new' },
      spec: { driver: 'disk.example.com', deletionPolicy: 'Delete' },
      status: { error: { message: 'quota is full' } },
    };
    expect(rowsOf('VolumeSnapshot', [snapshot('new'), content])).toMatchObject([
      { content: 'snapcontent-uid-new', driver: 'disk.example.com', error: 'quota is full', sourceClaim: 'data' },
    ]);
    expect(rowsOf('VolumeSnapshot', [snapshot('new')], ['VolumeSnapshotContent'])[0]?.unknown).toEqual([
      'content',
      'deletionPolicy',
      'snapshotHandle',
      'error',
      'driver',
    ]);
  });

  it('order free space by class and segment, in words', () => {
    const capacity = (name: string, topology: object | undefined): RawObject => ({
      apiVersion: storage,
      kind: 'CSIStorageCapacity',
      metadata: { name, namespace: 'kube-system', labels: { 'csi.storage.k8s.io/drivername': 'disk.example.com' } },
      storageClassName: 'fast',
      capacity: '5Gi',
      ...(topology && { nodeTopology: topology }),
    });
    const objects = [
      capacity('c-1', { matchLabels: { zone: 'b' } }),
      capacity('c-2', { matchLabels: { zone: 'a' } }),
      capacity('c-3', {}),
      capacity('c-4', undefined),
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { zone: 'a' } } },
    ];
    expect(
      rowsOf('CSIStorageCapacity', objects).map(({ segment, nodes, driver: name }) => [segment, nodes, name]),
    ).toEqual([
      ['every node', 1, 'disk.example.com'],
      ['no node', 0, 'disk.example.com'],
      ['zone=a', 1, 'disk.example.com'],
      ['zone=b', 0, 'disk.example.com'],
    ]);
  });

  it('never throw on damaged objects', () => {
    const kinds: RowKind[] = [
      'PersistentVolumeClaim',
      'PersistentVolume',
      'StorageClass',
      'CSINode',
      'VolumeAttachment',
      'CSIDriver',
      'VolumeSnapshot',
      'CSIStorageCapacity',
    ];
    for (const kind of kinds) {
      for (const damage of [
        {},
        { spec: 1, status: [] },
        { spec: { drivers: [{}], source: 7, claimRef: { name: 3 }, accessModes: [null] }, status: { capacity: 'x' } },
      ]) {
        expect(rowsOf(kind, [{ kind, metadata: { name: 'x', namespace: 'shop' }, ...damage }])).toHaveLength(1);
      }
    }
  });
});

describe('what is read', () => {
  it('asks for names only where only names are shown', () => {
    const survey = surveyRows(
      snapshotOf([]),
      [{ kind: 'PersistentVolumeClaim', names: [], namespace: 'shop' }],
      'names',
    );
    expect(survey.needs).toEqual([
      { kind: 'PersistentVolumeClaim', scope: { namespace: 'shop' }, needed: 'which persistentvolumeclaims there are' },
    ]);
  });

  it('asks for a named object by its name, and for labels in the scope', () => {
    const needs = (question: object): unknown =>
      surveyRows(
        snapshotOf([]),
        [{ kind: 'PersistentVolumeClaim', names: [], namespace: 'shop', ...question }],
        'usual',
      ).needs.map(({ kind, scope }) => ({ kind, scope }));
    expect(needs({ names: ['data'] })).toEqual([
      { kind: 'PersistentVolumeClaim', scope: { namespace: 'shop', name: 'data' } },
    ]);
    expect(needs({ labelSelector: 'app=web' })).toEqual([
      { kind: 'PersistentVolumeClaim', scope: { namespace: 'shop', labelSelector: 'app=web' } },
    ]);
  });

  it('takes pods from the namespace of the claims and volumes by name', () => {
    const { needs } = surveyRows(
      snapshotOf([bound('data')], {
        observations: [{ kind: 'PersistentVolumeClaim', scope: { namespace: 'shop' }, state: 'complete' }],
      }),
      [{ kind: 'PersistentVolumeClaim', names: [], namespace: 'shop' }],
      'usual',
    );
    expect(needs.map(({ kind, scope }) => [kind, scope])).toContainEqual(['Pod', { namespace: 'shop' }]);
    expect(needs.map(({ kind, scope }) => [kind, scope])).toContainEqual(['PersistentVolume', { name: 'pv-data' }]);
    expect(needs.map(({ kind, scope }) => [kind, scope])).not.toContainEqual(['Pod', {}]);
  });
});
