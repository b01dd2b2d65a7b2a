import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { askCheck } from '../../../src/core/survey/checks/ask-check.ts';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import { checkReportOf, ownChecks } from '../../../src/core/report/check.ts';
import type { CheckSurvey, FailOn } from '../../../src/core/report/check.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import type { ObservationState, RawObject } from '../../../src/core/kube/snapshot.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { loadScenarios } from '../../kit/scenario.ts';
import { snapshotOf } from '../../sim/cluster.ts';

const demo = demoSnapshot(new Date('2026-05-06T07:08:09Z'));

/** As if everything had been read, but for some kinds. */
function survey(
  objects: readonly RawObject[],
  options: { readonly denied?: readonly string[]; readonly takenAt?: string; readonly namespace?: string } = {},
): CheckSurvey {
  const observations = resources.map(({ kind }) => ({
    kind,
    scope: {},
    state: (options.denied?.includes(kind) === true ? 'denied' : 'complete') as ObservationState,
  }));
  const snapshot = snapshotOf(objects, {
    observations,
    ...(options.takenAt !== undefined && { takenAt: options.takenAt }),
  });
  return askCheck(snapshot, {
    breadth: 'everything',
    ...(options.namespace !== undefined && { namespace: options.namespace }),
  }).survey;
}

const told = ({ findings }: CheckSurvey): string[] =>
  findings.map(({ severity, id, object }) => `${severity} ${id} ${object.kind}/${object.name}`);
const resultOf = (found: CheckSurvey, failOn: FailOn): string =>
  checkReportOf(found, {
    failOn,
    findings: found.findings.map((finding) => ({ ...finding, outcome: 'new' })),
    unusedIgnores: [],
    gone: [],
  }).result;

const object = (kind: string, name: string, rest: object = {}, metadata: object = {}): RawObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  ...rest,
});
const node = object('Node', 'node-a', { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
const csiNode = (count: number): RawObject =>
  object('CSINode', 'node-a', {
    spec: { drivers: [{ name: 'disk.example.com', nodeID: 'a', topologyKeys: [], allocatable: { count } }] },
  });
const driver = object('CSIDriver', 'disk.example.com', { spec: { attachRequired: true, storageCapacity: true } });
const storageClass = (name: string, isDefault = false): RawObject =>
  object(
    'StorageClass',
    name,
    { provisioner: 'disk.example.com' },
    { annotations: isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {} },
  );
const volume = (name: string, phase: string, policy: string, since: string): RawObject =>
  object('PersistentVolume', name, {
    spec: {
      persistentVolumeReclaimPolicy: policy,
      storageClassName: 'fast',
      csi: { driver: 'disk.example.com', volumeHandle: name },
      claimRef: { namespace: 'shop', name: 'old', uid: 'old' },
    },
    status: { phase, lastPhaseTransitionTime: since },
  });
const boundClaim = (name: string, size: string): RawObject =>
  object(
    'PersistentVolumeClaim',
    name,
    {
      spec: {
        storageClassName: 'fast',
        volumeName: `pv-${name}`,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
      },
      status: { phase: 'Bound', capacity: { storage: size } },
    },
    { namespace: 'shop' },
  );
const attachment = (name: string, on: string, pv: string): RawObject =>
  object('VolumeAttachment', name, {
    spec: { attacher: 'disk.example.com', nodeName: on, source: { persistentVolumeName: pv } },
    status: { attached: true },
  });

describe('what is left over', () => {
  it('warns of a volume that was released more than a day ago, and not before', () => {
    expect(
      told(
        survey([
          volume('old', 'Released', 'Retain', '2026-02-27T12:00:00Z'),
          volume('new', 'Released', 'Retain', '2026-03-01T11:00:00Z'),
        ]),
      ),
    ).toEqual(['warning pv-released-retain PersistentVolume/old']);
  });

  it('warns of a failed volume, which blocks nobody', () => {
    const [first] = told(survey([volume('broken', 'Failed', 'Delete', '2026-02-27T12:00:00Z')]));
    expect(first).toMatch(/^warning pv-failed-\S+ PersistentVolume\/broken$/);
  });

  it('warns of attachments whose node or volume is gone', () => {
    const found = told(
      survey([
        node,
        csiNode(100),
        driver,
        volume('there', 'Bound', 'Delete', '2026-01-01T00:00:00Z'),
        attachment('csi-no-volume', 'node-a', 'gone'),
        attachment('csi-no-node', 'node-z', 'there'),
        attachment('csi-fine', 'node-a', 'there'),
      ]),
    );
    expect(found).toContain('warning va-pv-missing VolumeAttachment/csi-no-volume');
    expect(found).toContain('warning va-orphan-node-deleted VolumeAttachment/csi-no-node');
    expect(found.filter((line) => line.includes('csi-fine'))).toEqual([]);
  });

  it('warns of snapshot contents without their snapshot, but not of one that still waits for it', () => {
    const content = (name: string, deletionPolicy: string, uid?: string): RawObject =>
      object('VolumeSnapshotContent', name, {
        spec: {
          driver: 'disk.example.com',
          deletionPolicy,
          volumeSnapshotRef: { namespace: 'shop', name: `snapshot-of-${name}`, ...(uid !== undefined && { uid }) },
          source: { volumeHandle: 'v' },
        },
        status: { readyToUse: true, snapshotHandle: 's' },
      });
    expect(
      told(survey([content('kept', 'Retain', 'a'), content('left', 'Delete', 'b'), content('prepared', 'Delete')])),
    ).toEqual([
      'warning snap-content-retained VolumeSnapshotContent/kept',
      'warning snapshot-content-orphan VolumeSnapshotContent/left',
    ]);
  });
});

describe('the default class', () => {
  // No driver is missing for it.
  const localClass = (name: string, isDefault = false): RawObject => ({
    ...storageClass(name, isDefault),
    provisioner: 'kubernetes.io/no-provisioner',
  });
  const set = object(
    'StatefulSet',
    'db',
    { spec: { replicas: 0, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] }, status: {} },
    { namespace: 'shop' },
  );

  it('may not be several', () => {
    expect(told(survey([localClass('fast', true), localClass('slow', true)]))).toEqual([
      'warning class-default-multiple StorageClass/fast',
    ]);
  });

  it('is missed where a StatefulSet counts on it', () => {
    expect(told(survey([localClass('fast'), set]))).toEqual(['warning default-class-missing StatefulSet/db']);
    expect(told(survey([localClass('fast', true), set]))).toEqual([]);
    expect(told(survey([localClass('fast')]))).toEqual([]);
  });
});

describe('what is nearly full', () => {
  const slots = (used: number): string[] =>
    told(
      survey([
        node,
        csiNode(10),
        driver,
        ...Array.from({ length: used }, (_, index) => volume(`v${index}`, 'Bound', 'Delete', '2026-01-01T00:00:00Z')),
        ...Array.from({ length: used }, (_, index) => attachment(`csi-${index}`, 'node-a', `v${index}`)),
      ]),
    ).filter((line) => line.includes('slots'));

  it('is a node from nine tenths of its volumes on', () => {
    expect(slots(8)).toEqual([]);
    expect(slots(9)).toEqual(['warning volume-slots-near-limit CSINode/node-a']);
  });

  it('is a quota from nine tenths on, of storage only', () => {
    const quota = (name: string, hard: object, used: object): RawObject =>
      object('ResourceQuota', name, { spec: { hard }, status: { hard, used } }, { namespace: 'shop' });
    const found = survey([
      quota('near', { 'requests.storage': '10Gi' }, { 'requests.storage': '9Gi' }),
      quota('room', { 'requests.storage': '10Gi' }, { 'requests.storage': '8Gi' }),
      quota('cpu', { 'requests.cpu': '1' }, { 'requests.cpu': '1' }),
      quota('none', { persistentvolumeclaims: '0' }, { persistentvolumeclaims: '0' }),
      quota(
        'class',
        { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '10' },
        { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '10' },
      ),
    ]);
    expect(told(found)).toEqual([
      'warning quota-near-limit ResourceQuota/class',
      'warning quota-near-limit ResourceQuota/near',
    ]);
    expect(found.findings[1]?.summary).toBe('quota near in namespace shop has 9Gi of 10Gi requests.storage in use');
  });

  it('is a place without room for a volume of the usual size', () => {
    const capacity = (name: string, zone: string, size: string): RawObject =>
      object(
        'CSIStorageCapacity',
        name,
        { storageClassName: 'fast', nodeTopology: { matchLabels: { zone } }, capacity: size },
        { namespace: 'kube-system' },
      );
    const claims = [boundClaim('a', '1Gi'), boundClaim('b', '10Gi'), boundClaim('c', '500Gi')];
    const near = (...capacities: RawObject[]): (string | undefined)[] =>
      survey([node, csiNode(100), driver, storageClass('fast', true), ...claims, ...capacities])
        .findings.filter(({ id }) => id === 'capacity-too-small')
        .map(({ summary }) => summary);
    expect(near(capacity('one', 'a', '20Gi'), capacity('two', 'b', '5Gi'))).toEqual([
      '1 of 2 places have no room for a volume of 10Gi, the usual size of class fast',
    ]);
    expect(near(capacity('one', 'a', '20Gi'))).toEqual([]);
    expect(near(capacity('one', 'a', '2Gi'), capacity('two', 'b', '5Gi'))).toEqual([
      'none of the 2 places has room for a volume of 10Gi, the usual size of class fast',
    ]);
  });
});

describe('drivers', () => {
  type Change = (object: any) => unknown;
  const before = new Set(told(survey(demo.objects, { takenAt: demo.takenAt })));
  /** What a change to the demo adds. */
  const added = (change: Change): string[] =>
    told(
      survey(
        (structuredClone(demo.objects) as RawObject[]).flatMap((each) => (change(each) as RawObject | undefined) ?? []),
        { takenAt: demo.takenAt },
      ),
    ).filter((line) => !before.has(line));
  const unready =
    (since: string): Change =>
    (each) =>
      each.kind === 'Pod' && each.spec.nodeName === 'worker-1' && each.metadata.name.startsWith('disk-node')
        ? {
            ...each,
            status: {
              ...each.status,
              conditions: [
                {
                  type: 'Ready',
                  status: 'False',
                  lastTransitionTime: since,
                  message: 'containers with unready status: [disk]',
                },
              ],
            },
          }
        : each;

  it('are blocked where their plugin is not ready, and waited for where it has just begun', () => {
    expect(added(unready('2026-05-06T06:08:09Z'))).toEqual(['blocking driver-not-ready-on-node Node/worker-1']);
    expect(added(unready('2026-05-06T07:07:09Z'))).toEqual(['info driver-not-ready-on-node Node/worker-1']);
  });

  it('are named by the cause where a rule knows it, and not twice', () => {
    expect(
      added((each) =>
        each.kind === 'CSINode' && each.metadata.name === 'worker-1'
          ? {
              ...each,
              spec: {
                drivers: each.spec.drivers.filter(({ name }: { name: string }) => name !== 'disk.csi.example.com'),
              },
            }
          : each,
      ).filter((line) => line.startsWith('blocking')),
    ).toEqual(['blocking driver-registration-silent Node/worker-1']);
  });

  it('have a leader for each sidecar', () => {
    expect(
      added((each) =>
        each.kind === 'Lease' && each.metadata.name === 'external-resizer-disk-csi-example-com'
          ? { ...each, spec: { ...each.spec, renewTime: '2026-05-06T05:08:09.000000Z' } }
          : each,
      ),
    ).toEqual(['blocking sidecar-down CSIDriver/disk.csi.example.com']);
  });

  it('take whatever waits for them into one group', () => {
    const { findings } = survey(demo.objects, { takenAt: demo.takenAt });
    const group = findings.filter(({ id }) => id === 'provisioner-not-running');
    expect(new Set(group.map(({ object: { kind } }) => kind))).toEqual(
      new Set(['CSIDriver', 'PersistentVolumeClaim', 'Pod']),
    );
    expect(new Set(group.map(({ group: sentence }) => sentence)).size).toBe(1);
  });
});

describe('what could not be read', () => {
  it.each([
    'PersistentVolumeClaim',
    'Pod',
    'Node',
    'CSINode',
    'VolumeAttachment',
    'PersistentVolume',
    'VolumeSnapshotContent',
    'Namespace',
  ])('without %s, nothing found is not nothing wrong', (kind) => {
    expect(resultOf(survey([node], { denied: [kind] }), 'blocking')).toBe('inconclusive');
  });

  it.each(['ResourceQuota'])('without %s only warnings could hide', (kind) => {
    const found = survey([node, object('CSINode', 'node-a', { spec: { drivers: [] } })], { denied: [kind] });
    expect(resultOf(found, 'blocking')).toBe('passed');
    expect(resultOf(found, 'warning')).toBe('inconclusive');
    expect(found.unread).toHaveLength(1);
  });

  it('does not outweigh what is proven', () => {
    expect(resultOf(survey(demo.objects, { takenAt: demo.takenAt, denied: ['Node'] }), 'blocking')).toBe('failed');
  });
});

describe('every cause', () => {
  const known = new Set([
    ...ownChecks.map(({ id }): string => id),
    ...readdirSync(new URL('../../../docs/causes', import.meta.url)).map((file) => file.replace(/\.md$/, '')),
  ]);

  it('that why finds is among the findings, under an id that exists', () => {
    // Some of each stage are enough: the verdicts themselves are tested elsewhere.
    for (const { id, snapshot } of loadScenarios()
      .filter(({ id, cause }) => id === cause)
      .filter((_scenario, index) => index % 5 === 0)) {
      const { findings } = askCheck(snapshot, { breadth: 'everything' }).survey;
      const stuck = diagnose(snapshot, { breadth: 'everything' }).report.items.filter(
        ({ status }) => status === 'blocked',
      );
      const missed = stuck.filter(
        (item) =>
          !findings.some(
            (finding) =>
              finding.id === item.cause &&
              // What is wrong with a driver on its nodes is reported for the nodes.
              (finding.object.name === item.target.name ||
                (item.target.kind === 'CSIDriver' && finding.object.kind === 'Node')) &&
              finding.severity !== 'info',
          ),
      );
      expect(
        missed.map(({ target }) => target.name),
        id,
      ).toEqual([]);
      expect(
        findings.filter((finding) => !known.has(finding.id)),
        id,
      ).toEqual([]);
    }
  });
});
