import { mergeObjects } from '../../core/kube/merge-objects.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the API server fills in if an object leaves it out; only the fields that this program or kubectl reads. */
const defaults: Readonly<Record<string, Json>> = {
  Pod: {
    spec: {
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
    },
  },
  PersistentVolumeClaim: { spec: { volumeMode: 'Filesystem' } },
  PersistentVolume: { spec: { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' } },
  StorageClass: { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  Deployment: { spec: { replicas: 1, strategy: { type: 'RollingUpdate' } } },
  ReplicaSet: { spec: { replicas: 1 } },
  StatefulSet: {
    spec: { replicas: 1, podManagementPolicy: 'OrderedReady', updateStrategy: { type: 'RollingUpdate' } },
  },
  DaemonSet: { spec: { updateStrategy: { type: 'RollingUpdate' } } },
  Namespace: { spec: { finalizers: ['kubernetes'] } },
  Secret: { type: 'Opaque' },
};
const firstStatus: Readonly<Record<string, Json>> = {
  Pod: { phase: 'Pending', qosClass: 'BestEffort' },
  PersistentVolumeClaim: { phase: 'Pending' },
  PersistentVolume: { phase: 'Pending' },
  Namespace: { phase: 'Active' },
};
/** Admission adds these to new objects (StorageObjectInUseProtection). */
const protection: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
  PersistentVolume: 'kubernetes.io/pv-protection',
};
/** Taken as it is: nothing else would ever write the status of these. */
const ownStatus: ReadonlySet<string> = new Set(['Event', 'Lease', 'CSIStorageCapacity']);

/** A new object as the API server would store it. */
export function withDefaults(object: RawObject, cluster: Cluster): RawObject {
  const { kind } = object;
  const { status: _status, ...rest } = object;
  const own = ownStatus.has(kind) ? object : rest;
  // The other way round, an explicit null would remove a default.
  const filled = mergeObjects(defaults[kind] ?? {}, dropNulls(own)) as RawObject;
  const finalizers = [...new Set([...listAt(object, 'metadata', 'finalizers'), protection[kind]])].filter(Boolean);
  const whole = {
    ...filled,
    metadata: { ...filled.metadata, ...(finalizers.length === 0 ? {} : { finalizers }) },
    ...(firstStatus[kind] === undefined ? {} : { status: firstStatus[kind] }),
  } as RawObject;
  if (kind === 'PersistentVolumeClaim') return withDefaultClass(whole, cluster);
  if (kind === 'Secret') return withEncodedTexts(whole);
  if (kind === 'Namespace')
    return mergeObjects(whole, {
      metadata: { labels: { 'kubernetes.io/metadata.name': whole.metadata.name } },
    }) as RawObject;
  return whole;
}

/** The class with the annotation; the latest if there are several (admission DefaultStorageClass). */
function defaultClass(cluster: Cluster): string | undefined {
  const isDefault = (candidate: RawObject): boolean =>
    ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'].some(
      (key) => textAt(candidate, 'metadata', 'annotations', key) === 'true',
    );
  const born = (candidate: RawObject): string => textAt(candidate, 'metadata', 'creationTimestamp');
  return cluster
    .list('StorageClass')
    .filter(isDefault)
    .toSorted((left, right) => (born(left) < born(right) ? 1 : -1))[0]?.metadata.name;
}

/** A claim without any class gets the default one; a claim with the class "" requests none. */
export function withDefaultClass(claim: RawObject, cluster: Cluster): RawObject {
  const isNamed =
    valueAt(claim, 'spec', 'storageClassName') !== undefined ||
    textAt(claim, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') !== '';
  const storageClassName = isNamed ? undefined : defaultClass(cluster);
  return storageClassName === undefined ? claim : (mergeObjects(claim, { spec: { storageClassName } }) as RawObject);
}

function withEncodedTexts({ stringData: _texts, ...secret }: RawObject & { stringData?: unknown }): RawObject {
  const encoded = entriesAt({ stringData: _texts }, 'stringData').map(
    ([key, value]) => [key, Buffer.from(String(value)).toString('base64')] as const,
  );
  return encoded.length === 0
    ? (secret as RawObject)
    : (mergeObjects(secret, { data: Object.fromEntries(encoded) }) as RawObject);
}

/** In an object, unlike in a patch, null means that the field is not set. */
export function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, dropNulls(member)]),
  );
}
