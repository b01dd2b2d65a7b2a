import { describe, expect, it } from 'vitest';
import type { DriverAssumptions, SidecarAssumption } from '../../../src/core/report/driver-assumptions.ts';
import type { ProbeCapabilities, ProbeItem, ProbeRole } from '../../../src/core/report/probe-report.ts';
import { driftOf, withDrift } from '../../../src/io/csi/drift.ts';

const found = (role: SidecarAssumption['role'], more: Partial<SidecarAssumption> = {}): SidecarAssumption => ({
  role,
  presence: 'found',
  ...more,
});
const allSidecars = (['provisioner', 'attacher', 'resizer', 'snapshotter'] as const).map((role) => found(role));
const without = (role: SidecarAssumption['role'], presence: 'absent' | 'unknown' = 'absent'): SidecarAssumption[] =>
  allSidecars.map((sidecar) => (sidecar.role === role ? { role, presence } : sidecar));
const object = {
  exists: true,
  attachRequired: true,
  storageCapacity: false,
  podInfoOnMount: false,
  fsGroupPolicy: 'File',
  volumeLifecycleModes: ['Persistent'],
} as const;
const assumed: DriverAssumptions = {
  driver: 'disk.example.com',
  object,
  classes: [{ name: 'fast', allowsExpansion: true, topologyKeys: [] }],
  snapshotClasses: ['daily'],
  attributesClasses: [],
  nodes: [{ node: 'worker-1', nodeId: 'i-1', limit: 25, topologyKeys: ['zone'] }],
  sidecars: allSidecars,
  onePodVolumes: [],
};
const everything = ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME', 'EXPAND_VOLUME', 'CREATE_DELETE_SNAPSHOT'];
const item = (
  roles: readonly ProbeRole[],
  capabilities: ProbeCapabilities,
  more: Partial<ProbeItem> = {},
): ProbeItem => ({
  endpoint: 'unix:///csi/csi.sock',
  via: 'exec',
  protocol: 'csi',
  roles,
  driver: 'disk.example.com',
  version: '1.4.0',
  status: 'ready',
  summary: '',
  notes: [],
  calls: [],
  drift: [],
  fix: [],
  capabilities,
  ...more,
});
const controller = (
  offers: readonly string[] | undefined,
  plugin = ['CONTROLLER_SERVICE', 'VOLUME_ACCESSIBILITY_CONSTRAINTS'],
  more: ProbeCapabilities = {},
): ProbeItem => item(['controller'], { plugin, ...(offers && { controller: offers }), ...more });
const node = (info: Partial<NonNullable<ProbeItem['nodeInfo']>> = {}, names: readonly string[] = []): ProbeItem =>
  item(
    ['node'],
    { plugin: ['CONTROLLER_SERVICE'], node: names },
    { node: 'worker-1', nodeInfo: { nodeId: 'i-1', maxVolumes: 25, topology: { zone: 'a' }, ...info } },
  );
const drift = (
  probed: ProbeItem,
  more: Partial<DriverAssumptions> = {},
  peers: readonly ProbeItem[] = [probed],
): readonly string[] => driftOf(probed, { ...assumed, ...more }, peers).drift;
const but = (capability: string): string[] => everything.filter((name) => name !== capability);

describe('drift between a cluster and a driver that agree', () => {
  it('is none', () => {
    expect(driftOf(controller(everything), assumed)).toEqual({ drift: [], notes: [] });
    expect(driftOf(node(), assumed)).toEqual({ drift: [], notes: [] });
  });
  it('is never claimed of a service that was not asked', () => {
    expect(drift(controller(undefined), { attributesClasses: ['gold'], onePodVolumes: ['pv/a'] })).toEqual([]);
    expect(drift(item(['controller'], {}))).toEqual([]);
    expect(drift({ ...node(), nodeInfo: undefined } as unknown as ProbeItem)).toEqual([]);
  });
  it('is never claimed of the Controller that a node plugin happens to serve', () => {
    expect(drift(item(['node'], { plugin: ['CONTROLLER_SERVICE'], controller: [] }))).toEqual([]);
  });
  it('is never claimed of what could not be read, and that is said', () => {
    const {
      classes: _classes,
      snapshotClasses: _snapshots,
      object: _object,
      nodes: _nodes,
      attributesClasses: _attributes,
      ...blind
    } = assumed;
    const blindly = driftOf(controller([], ['CONTROLLER_SERVICE']), {
      ...blind,
      sidecars: allSidecars.map(({ role }) => ({ role, presence: 'unknown' })),
    });
    expect(blindly.drift).toEqual([]);
    expect(blindly.notes).toHaveLength(5);
    expect(blindly.notes).toContain(
      'the storage classes could not be read, so provisioning and expansion are not compared',
    );
    expect(driftOf(node({ maxVolumes: 3 }), blind)).toEqual({
      drift: [],
      notes: ['the CSINodes could not be read, so what the kubelets registered is not compared'],
    });
  });
});

describe('drift of the controller', () => {
  it('attachment required of a driver that cannot attach', () => {
    expect(drift(controller(but('PUBLISH_UNPUBLISH_VOLUME')))).toEqual([
      expect.stringMatching(
        /^the cluster assumes that volumes are attached \(attachRequired is true\), but the driver cannot attach \(no PUBLISH_UNPUBLISH_VOLUME\): the attacher only marks/,
      ),
    ]);
    expect(drift(controller(but('PUBLISH_UNPUBLISH_VOLUME')), { sidecars: without('attacher') })[0]).toMatch(
      /pods wait for the attachment$/,
    );
    expect(drift(controller(but('PUBLISH_UNPUBLISH_VOLUME')), { object: { ...object, exists: false } })[0]).toContain(
      'there is no CSIDriver object',
    );
  });
  it('attachment that nobody asks for', () => {
    expect(drift(controller(everything), { object: { ...object, attachRequired: false } })).toEqual([
      expect.stringContaining('the cluster never requests it: attachRequired is false'),
    ]);
    expect(
      drift(controller(but('PUBLISH_UNPUBLISH_VOLUME')), { object: { ...object, attachRequired: false } }),
    ).toEqual([expect.stringContaining('the attacher has nothing to do')]);
    expect(
      drift(controller(but('PUBLISH_UNPUBLISH_VOLUME')), {
        object: { ...object, attachRequired: false },
        sidecars: without('attacher'),
      }),
    ).toEqual([]);
  });
  it('expansion, wherever the driver does it', () => {
    const shrunk = controller(but('EXPAND_VOLUME'));
    expect(drift(shrunk, {}, [shrunk, node()])).toEqual([
      expect.stringMatching(
        /\(allowVolumeExpansion in class fast\), but the driver can expand them neither in the controller nor on the nodes \(no EXPAND_VOLUME\)$/,
      ),
    ]);
    expect(drift(shrunk, {}, [shrunk, node({}, ['EXPAND_VOLUME'])])).toEqual([]);
    expect(drift(shrunk), 'the nodes were not asked').toEqual([]);
    expect(
      drift(shrunk, { classes: [{ name: 'fast', allowsExpansion: false, topologyKeys: [] }] }, [shrunk, node()]),
    ).toEqual([]);
  });
  it('snapshots', () => {
    expect(drift(controller(but('CREATE_DELETE_SNAPSHOT')))).toEqual([
      'the cluster assumes that volumes can be snapshotted (snapshot class daily), but the driver cannot create snapshots (no CREATE_DELETE_SNAPSHOT)',
    ]);
    expect(drift(controller(but('CREATE_DELETE_SNAPSHOT')), { snapshotClasses: [] })).toEqual([]);
  });
  it('free space', () => {
    const counted = { object: { ...object, storageCapacity: true } };
    expect(drift(controller(everything), counted)).toEqual([expect.stringContaining('no GET_CAPACITY')]);
    expect(drift(controller([...everything, 'GET_CAPACITY']), counted)).toEqual([]);
    const flags = (text: Record<string, string>): Partial<DriverAssumptions> => ({
      ...counted,
      sidecars: [found('provisioner', { flags: text })],
    });
    expect(drift(controller([...everything, 'GET_CAPACITY']), flags({ 'leader-election': 'true' }))).toEqual([
      expect.stringContaining('no --enable-capacity'),
    ]);
    expect(drift(controller([...everything, 'GET_CAPACITY']), flags({ 'enable-capacity': 'true' }))).toEqual([]);
  });
  it('modification and one pod only', () => {
    expect(drift(controller(everything), { attributesClasses: ['gold', 'silver'] })).toEqual([
      'the cluster assumes that volumes can be modified (volume attributes classes gold, silver), but the driver cannot (no MODIFY_VOLUME)',
    ]);
    expect(drift(controller([...everything, 'MODIFY_VOLUME']), { attributesClasses: ['gold'] })).toEqual([]);
    expect(drift(controller(everything), { onePodVolumes: ['pv/a', 'pv/b', 'pv/c', 'pv/d'] })).toEqual([
      expect.stringContaining('(ReadWriteOncePod: pv/a, pv/b, pv/c and 1 more), but the driver does not support that'),
    ]);
    expect(drift(controller([...everything, 'SINGLE_NODE_MULTI_WRITER']), { onePodVolumes: ['pv/a'] })).toEqual([]);
  });
  it('topology in both directions', () => {
    expect(drift(controller(everything, ['CONTROLLER_SERVICE']))).toEqual([
      expect.stringMatching(
        /^the kubelets registered topology keys \(zone\), but the driver does not support topology/,
      ),
    ]);
    expect(
      drift(controller(everything, ['CONTROLLER_SERVICE']), {
        nodes: [],
        classes: [{ name: 'near', allowsExpansion: false, topologyKeys: ['zone'] }],
      }),
    ).toEqual([expect.stringContaining('allowedTopologies of class near')]);
    expect(
      drift(controller(everything), { nodes: [...(assumed.nodes ?? []), { node: 'worker-2', topologyKeys: [] }] }),
    ).toEqual([expect.stringContaining('node worker-2 registered it without topology keys')]);
    const provisioner = (version: string, gates?: string): Partial<DriverAssumptions> => ({
      sidecars: [
        found('provisioner', { version, flags: { v: '5', ...(gates !== undefined && { 'feature-gates': gates }) } }),
      ],
    });
    expect(drift(controller(everything), provisioner('v3.6.0'))).toEqual([
      expect.stringContaining('--feature-gates=Topology=true'),
    ]);
    expect(drift(controller(everything), provisioner('v3.6.0', 'Topology=true'))).toEqual([]);
    expect(drift(controller(everything), provisioner('v5.1.0'))).toEqual([]);
  });
  it.each([
    [
      'provisioner',
      /^the driver supports CREATE_DELETE_VOLUME, but it has no provisioner: claims of class fast are never provisioned$/,
    ],
    ['attacher', /^the driver supports PUBLISH_UNPUBLISH_VOLUME, but it has no attacher/],
    ['resizer', /^the driver supports EXPAND_VOLUME, but it has no resizer/],
    ['snapshotter', /^the driver supports CREATE_DELETE_SNAPSHOT, but it has no snapshotter/],
  ] as const)('the %s is missing, if everybody looked', (role, words) => {
    expect(drift(controller(everything), { sidecars: without(role) })).toEqual([expect.stringMatching(words)]);
    expect(drift(controller(everything), { sidecars: without(role, 'unknown') })).toEqual([]);
  });
  it('sidecars without a service to talk to', () => {
    expect(drift(controller(undefined, ['VOLUME_ACCESSIBILITY_CONSTRAINTS']))).toEqual([
      'the cluster runs the provisioner, the resizer, the snapshotter for the driver, but the driver has no CONTROLLER_SERVICE, so they have no service to call',
    ]);
  });
});

describe('drift of a node', () => {
  it.each([
    [{ nodeId: 'i-2' }, /^the cluster uses node id i-1 for worker-1, but the driver reports i-2/],
    [
      { maxVolumes: 16 },
      /^the scheduler assumes 25 volumes on worker-1 \(CSINode\), but the driver reports 16 volumes$/,
    ],
    [{ maxVolumes: 0 }, /but the driver reports no limit$/],
    [{ topology: {} }, /^the kubelet of worker-1 registered zone, but the driver now reports no topology keys$/],
    [{ topology: { zone: 'a', rack: '7' } }, /now reports zone, rack$/],
  ])('%o', (info, words) => {
    expect(drift(node(info))).toEqual([expect.stringMatching(words)]);
  });
  it('is none where the kubelet has registered nothing yet', () => {
    expect(drift(node({ maxVolumes: 16 }), { nodes: [] })).toEqual([]);
  });
});

describe('drift between the pods of a driver', () => {
  const old = { ...node(), version: '1.3.9' };
  it("names the version that is not the controller's", () => {
    const [first, second] = withDrift([controller(everything), old], [assumed]);
    expect(first?.drift).toEqual([]);
    expect(second?.drift).toEqual(['this is version 1.3.9 of the driver, but its controller is version 1.4.0']);
  });
  it('goes by the most common one where no controller answered, and by none where there is no such', () => {
    expect(withDrift([node(), node(), old], [assumed]).map((each) => each.drift.length)).toEqual([0, 0, 1]);
    expect(withDrift([node(), old], [assumed]).map((each) => each.drift.length)).toEqual([0, 0]);
  });
  it('leaves other drivers and registrations alone', () => {
    const other: ProbeItem = { ...controller([]), driver: 'files.example.com' };
    const registration: ProbeItem = { ...old, protocol: 'registration' };
    expect(withDrift([other, registration], [assumed])).toEqual([other, registration]);
  });
  it('says when the driver goes by another name', () => {
    expect(drift({ ...node(), driver: 'disc.example.com' })).toEqual([
      expect.stringMatching(
        /^the cluster uses the driver name disk\.example\.com, but the driver reports disc\.example\.com/,
      ),
    ]);
  });
});
