import type { RawObject } from '../../src/core/kube/snapshot.ts';

const driver = 'other.example.net';

/** A second, healthy tenant with a driver of its own: nothing of it may change a verdict or appear in a report. */
export function noiseObjects(): RawObject[] {
  const made = { creationTimestamp: '2026-02-01T00:00:00Z' };
  const claims = ['one', 'two'].flatMap((name): RawObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...made,
        name,
        namespace: 'neighbour',
        uid: `noise-${name}`,
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
      },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '3Gi' } },
        storageClassName: 'neighbourly',
        volumeMode: 'Filesystem',
        volumeName: `noise-${name}`,
      },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        ...made,
        name: `noise-${name}`,
        uid: `noise-pv-${name}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': driver },
      },
      spec: {
        capacity: { storage: '3Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'neighbourly',
        volumeMode: 'Filesystem',
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'neighbour', name, uid: `noise-${name}` },
        csi: { driver, volumeHandle: `noise-${name}` },
      },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...made, name, namespace: 'neighbour', uid: `noise-pod-${name}` },
      spec: {
        nodeName: 'node-b',
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        containers: [{ name: 'main', image: 'example.org/other:1' }],
      },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
        containerStatuses: [
          { name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: '2026-02-01T00:00:00Z' } } },
        ],
      },
    },
  ]);
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...made, name: 'neighbour', uid: 'noise-ns' },
      status: { phase: 'Active' },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { ...made, name: 'neighbourly', uid: 'noise-sc' },
      provisioner: driver,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { ...made, name: driver, uid: 'noise-driver' },
      spec: { attachRequired: false },
    },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...made, name: 'other-example-net', namespace: 'neighbour', uid: 'noise-lease' },
      spec: { holderIdentity: 'noise', leaseDurationSeconds: 15, renewTime: '2026-03-01T11:59:58Z' },
    },
    ...claims,
  ];
}
