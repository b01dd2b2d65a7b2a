import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import type { DriverAssumptions } from '../../../../src/core/report/driver-assumptions.ts';
import type { Kind } from '../../../../src/core/kube/kinds.ts';
import type { Snapshot } from '../../../../src/core/kube/snapshot.ts';
import { demoSnapshot } from '../../../../src/sim/demo/demo-snapshot.ts';
import { assumptionsOf } from '../../../../src/core/facts/driver/driver-assumptions.ts';

const demo = demoSnapshot(new Date('2026-05-06T07:08:09Z'));
const ask = (snapshot: Snapshot): Inquiry => new Inquiry(new ClusterGraph(snapshot));
const of = (driver: string, snapshot = demo): DriverAssumptions => assumptionsOf(ask(snapshot), driver);
/** The same cluster for somebody who may not read some kinds. */
const blindTo = (...kinds: Kind[]): Snapshot => ({
  ...demo,
  objects: demo.objects.filter(({ kind }) => !(kinds as string[]).includes(kind)),
  observations: demo.observations.map((observation) =>
    kinds.includes(observation.kind) ? { ...observation, state: 'denied', message: 'forbidden' } : observation,
  ),
});

describe('what a cluster assumes of a driver', () => {
  it('is in its objects', () => {
    expect(of('disk.csi.example.com')).toMatchObject({
      object: { exists: true, attachRequired: true, storageCapacity: true },
      classes: [
        { name: 'archive', allowsExpansion: true },
        { name: 'fast', allowsExpansion: true },
        { name: 'fast-immediate', allowsExpansion: true },
      ],
      snapshotClasses: ['disk-snapshots'],
      attributesClasses: [],
      nodes: [
        { node: 'worker-1', nodeId: 'worker-1', limit: 25, topologyKeys: ['topology.disk.csi.example.com/zone'] },
        { node: 'worker-2', limit: 25 },
        { node: 'worker-3', limit: 3 },
      ],
      sidecars: [
        { role: 'provisioner', presence: 'found', version: 'v6.3.0', flags: { 'leader-election': 'true' } },
        { role: 'attacher', presence: 'found' },
        { role: 'resizer', presence: 'found' },
        { role: 'snapshotter', presence: 'found' },
      ],
    });
  });

  it('knows that a driver never had an attacher, and does not when the pods could not be read', () => {
    const attacher = (snapshot: Snapshot): string | undefined =>
      of('files.csi.example.com', snapshot).sidecars.find(({ role }) => role === 'attacher')?.presence;
    expect(attacher(demo)).toBe('absent');
    expect(attacher(blindTo('Pod'))).toBe('unknown');
    expect(attacher(blindTo('Lease'))).toBe('unknown');
  });

  it('leaves out what could not be read, and asks for it', () => {
    const blind = ask(blindTo('StorageClass', 'VolumeSnapshotClass', 'VolumeAttributesClass', 'CSINode', 'CSIDriver'));
    const { sidecars: _sidecars, onePodVolumes: _volumes, ...rest } = assumptionsOf(blind, 'disk.csi.example.com');
    expect(rest).toEqual({ driver: 'disk.csi.example.com' });
    expect(blind.unanswered.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['StorageClass', 'VolumeSnapshotClass', 'VolumeAttributesClass', 'CSINode', 'CSIDriver']),
    );
  });

  it('goes by the defaults of Kubernetes where there is no object', () => {
    const orphaned: Snapshot = { ...demo, objects: demo.objects.filter(({ kind }) => kind !== 'CSIDriver') };
    expect(of('files.csi.example.com', orphaned).object).toEqual({
      exists: false,
      attachRequired: true,
      storageCapacity: false,
      podInfoOnMount: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
    });
  });

  it('has volumes for one pod only, if any are at hand', () => {
    const without = of('disk.csi.example.com', blindTo('PersistentVolume')).onePodVolumes;
    expect(without).toEqual([]);
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'solo' },
      spec: { accessModes: ['ReadWriteOncePod'], csi: { driver: 'disk.csi.example.com', volumeHandle: 'x' } },
    };
    expect(of('disk.csi.example.com', { ...demo, objects: [...demo.objects, volume] }).onePodVolumes).toContain(
      'pv/solo',
    );
    expect(of('files.csi.example.com', { ...demo, objects: [...demo.objects, volume] }).onePodVolumes).toEqual([]);
  });
});
