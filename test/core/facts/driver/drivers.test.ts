import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { findController, findDriver, logsFix } from '../../../../src/core/facts/driver/drivers.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import type { Kind } from '../../../../src/core/kube/kinds.ts';
import { resources } from '../../../../src/core/kube/resources.ts';
import type { RawObject } from '../../../../src/core/kube/snapshot.ts';

const now = '2026-03-01T12:00:00Z';

/** Everything was read but these kinds. */
function ask(objects: readonly RawObject[], denied: readonly Kind[] = []): Inquiry {
  return new Inquiry(
    new ClusterGraph({
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Snapshot',
      takenAt: now,
      source: { type: 'files', name: 'test' },
      objects,
      observations: resources.map(({ kind }) => ({
        kind,
        scope: {},
        state: denied.includes(kind) ? 'denied' : 'complete',
      })),
    }),
  );
}

function lease(name: string, spec: Record<string, unknown>, namespace = 'storage'): RawObject {
  return { kind: 'Lease', metadata: { name, namespace }, spec: { leaseDurationSeconds: 15, ...spec } };
}

function pod(
  name: string,
  containers: readonly Record<string, unknown>[],
  more: Record<string, unknown> = {},
  namespace = 'storage',
): RawObject {
  return { kind: 'Pod', metadata: { name, namespace, ...more }, spec: { containers }, status: { phase: 'Running' } };
}

const sidecars = [
  { name: 'csi-provisioner', image: 'example.org/sig-storage/csi-provisioner:v6.3.0' },
  { name: 'csi-attacher', image: 'example.org/sig-storage/csi-attacher:v4.12.0' },
  { name: 'csi-resizer', image: 'example.org/sig-storage/csi-resizer:v2.2.1' },
  { name: 'csi-snapshotter', image: 'example.org/sig-storage/csi-snapshotter:v8.6.0' },
];

describe('the lease of a sidecar', () => {
  const leaseOf = (objects: readonly RawObject[], denied: readonly Kind[] = []) =>
    findController(ask(objects, denied), 'disk.example.com', 'provisioner').lease;

  it('is fresh while it is renewed', () => {
    expect(
      leaseOf([lease('disk-example-com', { holderIdentity: 'a', renewTime: '2026-03-01T11:59:50.123456Z' })]).state,
    ).toBe('fresh');
  });

  it('is stale a few renewals later, measured by its own length', () => {
    expect(
      leaseOf([
        lease('disk-example-com', { holderIdentity: 'a', leaseDurationSeconds: 6, renewTime: '2026-03-01T11:59:09Z' }),
      ]).state,
    ).toBe('stale');
    expect(
      leaseOf([
        lease('disk-example-com', {
          holderIdentity: 'a',
          leaseDurationSeconds: 137,
          renewTime: '2026-03-01T11:58:00Z',
        }),
      ]).state,
    ).toBe('fresh');
  });

  it('is stale when its holder gave it back and nobody took it', () => {
    expect(
      leaseOf([
        lease('disk-example-com', { holderIdentity: '', leaseDurationSeconds: 1, renewTime: '2026-03-01T11:59:00Z' }),
      ]).state,
    ).toBe('stale');
  });

  it('counts the freshest of several namespaces', () => {
    const found = leaseOf([
      lease('disk-example-com', { holderIdentity: 'a', renewTime: '2026-01-01T00:00:00Z' }, 'old'),
      lease('disk-example-com', { holderIdentity: 'b', renewTime: '2026-03-01T11:59:58Z' }, 'new'),
    ]);
    expect([found.state, found.object?.metadata.namespace]).toEqual(['fresh', 'new']);
  });

  it('is missing only where all leases were read', () => {
    expect(leaseOf([]).state).toBe('missing');
    expect(leaseOf([], ['Lease']).state).toBe('unknown');
  });

  it('is measured by the time at which the leases were read, where a dump took its time', () => {
    const others = ['node-a', 'node-b', 'kube-scheduler'].map((name) =>
      lease(name, { holderIdentity: name, renewTime: '2026-03-01T11:57:00Z' }, 'kube-system'),
    );
    expect(
      leaseOf([...others, lease('disk-example-com', { holderIdentity: 'a', renewTime: '2026-03-01T11:56:55Z' })]).state,
    ).toBe('fresh');
  });

  it('has another name for each role', () => {
    const name = (role: 'attacher' | 'resizer' | 'snapshotter') =>
      findController(ask([]), 'disk.example.com', role).lease.name;
    expect([name('attacher'), name('resizer'), name('snapshotter')]).toEqual([
      'external-attacher-leader-disk-example-com',
      'external-resizer-disk-example-com',
      'external-snapshotter-leader-disk-example-com',
    ]);
  });

  it('is asked for by name, not by a list of all leases', () => {
    const inquiry = ask([], ['Lease']);
    findController(inquiry, 'disk.example.com', 'attacher');
    expect(inquiry.unanswered.filter(({ kind }) => kind === 'Lease').map(({ scope }) => scope)).toEqual([
      { fieldSelector: 'metadata.name=external-attacher-leader-disk-example-com' },
    ]);
  });
});

describe('the controller of a driver', () => {
  it('is the pod that holds the lease, though nothing in it names the driver', () => {
    const found = findController(
      ask([
        lease(
          'external-attacher-leader-ebs-csi-aws-com',
          { holderIdentity: 'ebs-csi-controller-5f-abc', renewTime: '2026-03-01T11:59:58Z' },
          'kube-system',
        ),
        pod(
          'ebs-csi-controller-5f-abc',
          [
            {
              name: 'ebs-plugin',
              image: 'example.org/aws-ebs-csi-driver:v1',
              args: ['controller', '--endpoint=unix:/csi.sock'],
            },
            ...sidecars,
          ],
          { ownerReferences: [{ kind: 'ReplicaSet', name: 'ebs-csi-controller-5f', uid: 'rs', controller: true }] },
          'kube-system',
        ),
        pod(
          'ebs-csi-controller-5f-def',
          [{ name: 'ebs-plugin', image: 'example.org/aws-ebs-csi-driver:v1' }, ...sidecars],
          { ownerReferences: [{ kind: 'ReplicaSet', name: 'ebs-csi-controller-5f', uid: 'rs', controller: true }] },
          'kube-system',
        ),
        pod(
          'efs-csi-controller-6a-abc',
          [{ name: 'efs-plugin', image: 'example.org/aws-efs-csi-driver:v1' }, ...sidecars],
          {},
          'kube-system',
        ),
      ]),
      'ebs.csi.aws.com',
      'attacher',
    );
    expect(found.leader?.metadata.name).toBe('ebs-csi-controller-5f-abc');
    expect(found.pods.items.map(({ metadata }) => metadata.name)).toEqual([
      'ebs-csi-controller-5f-abc',
      'ebs-csi-controller-5f-def',
    ]);
    expect([found.container, found.driverContainer]).toEqual(['csi-attacher', 'ebs-plugin']);
    expect(found.workload).toMatchObject({ kind: 'Deployment', namespace: 'kube-system', name: 'ebs-csi-controller' });
    expect(logsFix(found).command).toBe(
      'kubectl -n kube-system logs ebs-csi-controller-5f-abc -c csi-attacher --tail=50',
    );
    expect(logsFix(found, 'driver').command).toBe(
      'kubectl -n kube-system logs ebs-csi-controller-5f-abc -c ebs-plugin --tail=50',
    );
  });

  it('is told from a neighbour in the same namespace by the name in its arguments', () => {
    const objects = ['rbd', 'cephfs'].map((type) =>
      pod(`csi-${type}plugin-provisioner-0`, [
        ...sidecars,
        {
          name: `csi-${type}plugin`,
          image: 'example.org/cephcsi:v3',
          args: [`--drivername=rook.${type}.csi.ceph.com`],
        },
      ]),
    );
    const found = findController(ask(objects), 'rook.cephfs.csi.ceph.com', 'resizer');
    expect(found.pods.items.map(({ metadata }) => metadata.name)).toEqual(['csi-cephfsplugin-provisioner-0']);
    expect(findController(ask(objects), 'rbd.csi.ceph.com', 'resizer').pods.items).toEqual([]);
  });

  it('is found by the name of its container where the image is a digest', () => {
    const found = findController(
      ask([
        pod('disk-controller-0', [
          { name: 'csi-driver', image: 'example.org/release@sha256:aa', args: ['--driver-name', 'disk.example.com'] },
          { name: 'csi-provisioner', image: 'example.org/release@sha256:bb' },
        ]),
      ]),
      'disk.example.com',
      'provisioner',
    );
    expect([found.container, found.driverContainer]).toEqual(['csi-provisioner', 'csi-driver']);
  });

  it('is found by its workload when it has no pods', () => {
    const deployment: RawObject = {
      kind: 'Deployment',
      metadata: { name: 'disk-controller', namespace: 'storage' },
      spec: {
        replicas: 0,
        template: {
          spec: {
            containers: [
              { name: 'driver', image: 'example.org/disk:1', args: ['--drivername=disk.example.com'] },
              ...sidecars,
            ],
          },
        },
      },
    };
    const found = findController(ask([deployment]), 'disk.example.com', 'provisioner');
    expect(found.pods).toEqual({ items: [], complete: true });
    expect(found.workload).toMatchObject({ kind: 'Deployment', name: 'disk-controller' });
    expect(logsFix(found).command).toBe('kubectl -n storage logs deploy/disk-controller -c csi-provisioner --tail=50');
  });

  it('is unknown, not absent, where nothing could be read', () => {
    const found = findController(
      ask([], ['Lease', 'Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'CSIDriver']),
      'disk.example.com',
      'provisioner',
    );
    expect(found.pods).toEqual({ items: [], complete: false });
    expect(logsFix(found).command).toContain('kubectl get pods -A');
  });

  it('is looked for step by step on a cluster: no list of workloads while the lease may still tell', () => {
    const inquiry = new Inquiry(
      new ClusterGraph({
        apiVersion: 'csi.kubectl.dev/v1',
        kind: 'Snapshot',
        takenAt: now,
        source: { type: 'cluster', name: 'test' },
        objects: [],
        observations: [],
      }),
    );
    findController(inquiry, 'disk.example.com', 'provisioner');
    expect(inquiry.unanswered.map(({ kind }) => kind)).toEqual(['Lease']);
  });

  it('never lets a name become a piece of shell', () => {
    const found = findController(
      ask([
        pod('x; rm -rf ~', [
          { name: 'csi-provisioner', image: 'csi-provisioner', args: ['--drivername=disk.example.com'] },
        ]),
      ]),
      'disk.example.com',
      'provisioner',
    );
    expect(logsFix(found).command).toBe("kubectl -n storage logs 'x; rm -rf ~' -c csi-provisioner --tail=50");
  });
});

describe('the traces of a driver', () => {
  it('asks for the nodes only when someone looks', () => {
    const inquiry = ask([], ['CSIDriver', 'CSINode']);
    const traces = findDriver(inquiry, 'disk.example.com');
    expect(inquiry.unanswered.map(({ kind }) => kind)).toEqual(['CSIDriver']);
    expect(traces.nodes.complete).toBe(false);
    expect(inquiry.unanswered.map(({ kind }) => kind)).toEqual(['CSIDriver', 'CSINode']);
  });
});
