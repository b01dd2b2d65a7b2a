import { stringify } from 'yaml';

type Fields = Record<string, unknown>;

/** A claim whose class does not exist: proven stuck, exit code 1, as long as both lists are read. */
export const claim = (changes: Fields = {}, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data',
    namespace: 'shop',
    uid: '0b1c2d3e-0000-4000-8000-000000000001',
    resourceVersion: '1000',
    creationTimestamp: '2026-03-01T11:00:00Z',
    ...metadata,
  },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'absent', resources: { requests: { storage: '1Gi' } } },
  status: { phase: 'Pending' },
  ...changes,
});

export const storageClass = (name = 'fast'): Fields => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' },
  provisioner: 'csi.example.com',
});

/** The clock: the cluster was alive at this time. */
export const lease: Fields = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'controller', namespace: 'kube-system', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { renewTime: '2026-03-01T12:00:00.000000Z' },
};

export const listOf = (items: readonly unknown[], more: Fields = {}): Fields => ({
  apiVersion: 'v1',
  items,
  kind: 'List',
  metadata: { resourceVersion: '' },
  ...more,
});

export const stuck = (own: unknown = claim(), ...more: readonly unknown[]): Fields =>
  listOf([own, storageClass(), lease, ...more]);

export const json = (value: unknown): string => JSON.stringify(value, null, 4);
export const yaml = (value: unknown): string => stringify(value, { indentSeq: false });
