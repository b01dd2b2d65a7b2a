import type * as upstream from '@kubernetes/client-node';
import type { Condition, Kind, ObjectOf, PodVolume, Reference } from '../../../src/core/kube/kinds.ts';

/**
 * Compares our shapes with the types that Kubernetes generates from its OpenAPI description (`@kubernetes/client-node`), at
 * compile time only: `tsc` checks this file and nothing runs it. A field that upstream does not have, or has with another
 * type, fails to compile as "Property '"PersistentVolumeClaim.spec.storageClasName"' is missing" unless it is listed in
 * `ownFields` with a reason. A listed field that upstream has by now fails too.
 */

/** The four share one shape, so a field of any of them will do. */
type Workload = upstream.V1StatefulSet & upstream.V1Deployment & upstream.V1ReplicaSet & upstream.V1DaemonSet;

interface Upstream {
  PersistentVolumeClaim: upstream.V1PersistentVolumeClaim;
  PersistentVolume: upstream.V1PersistentVolume;
  StorageClass: upstream.V1StorageClass;
  VolumeAttributesClass: upstream.V1VolumeAttributesClass;
  CSIDriver: upstream.V1CSIDriver;
  CSINode: upstream.V1CSINode;
  CSIStorageCapacity: upstream.V1CSIStorageCapacity;
  VolumeAttachment: upstream.V1VolumeAttachment;
  Pod: upstream.V1Pod;
  Node: upstream.V1Node;
  Namespace: upstream.V1Namespace;
  /** Read from either API group. */
  Event: upstream.CoreV1Event & upstream.EventsV1Event;
  Lease: upstream.V1Lease;
  ResourceQuota: upstream.V1ResourceQuota;
  LimitRange: upstream.V1LimitRange;
  PodDisruptionBudget: upstream.V1PodDisruptionBudget;
  StatefulSet: Workload;
  Deployment: Workload;
  ReplicaSet: Workload;
  DaemonSet: Workload;
  Job: upstream.V1Job;
  CronJob: upstream.V1CronJob;
  Secret: upstream.V1Secret;
  ConfigMap: upstream.V1ConfigMap;
  CustomResourceDefinition: upstream.V1CustomResourceDefinition;
  MutatingWebhookConfiguration: upstream.V1MutatingWebhookConfiguration;
  ValidatingWebhookConfiguration: upstream.V1ValidatingWebhookConfiguration;
  ClusterRole: upstream.V1ClusterRole;
  ClusterRoleBinding: upstream.V1ClusterRoleBinding;
  Role: upstream.V1Role;
  RoleBinding: upstream.V1RoleBinding;
}

/** Shapes that we use in several places, against everything that they stand for. */
type SharedShapes = [
  [Reference, upstream.V1ObjectReference & upstream.V1TypedObjectReference & upstream.V1TypedLocalObjectReference],
  [Condition, upstream.V1PersistentVolumeClaimCondition & upstream.V1PodCondition & upstream.V1NodeCondition],
  [
    NonNullable<PodVolume['secret']>,
    upstream.V1SecretVolumeSource & upstream.V1ConfigMapVolumeSource & upstream.V1SecretProjection,
  ],
];

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Shared<Ours, Theirs, Shapes = SharedShapes> = Shapes extends [[infer Shape, infer Whole], ...infer Rest]
  ? IsSame<Ours, Shape> extends true
    ? Whole
    : Shared<Ours, Theirs, Rest>
  : Theirs;

/** How upstream types a value that we read as text, as a number or as a boolean. */
type Written<Ours> = Ours extends string ? string | number | Date : Ours;

type StrangeList<Item, Theirs, Path extends string> = Theirs extends readonly (infer T)[]
  ? Strange<Item, T, `${Path}[]`>
  : Path;
type StrangeMap<Item, Theirs, Path extends string> = string extends keyof Theirs
  ? Strange<Item, Theirs[string & keyof Theirs], `${Path}.*`>
  : Path;
type StrangeField<Ours, Theirs, Name extends keyof Ours & string, Path extends string> = Name extends keyof Theirs
  ? Strange<NonNullable<Ours[Name]>, NonNullable<Theirs[Name]>, `${Path}.${Name}`>
  : `${Path}.${Name}`;
type StrangeFields<Ours, Theirs, Path extends string> = {
  [Name in keyof Ours & string]-?: StrangeField<Ours, Theirs, Name, Path>;
}[keyof Ours & string];
type StrangeObject<Ours, Theirs, Path extends string> = string extends keyof Ours
  ? StrangeMap<Ours[string & keyof Ours], Theirs, Path>
  : StrangeFields<Ours, Shared<Ours, Theirs>, Path>;
/** `never`: several upstream types were merged that contradict each other here. */
type StrangeScalar<Ours, Theirs, Path extends string> = [Theirs] extends [never]
  ? Path
  : [Theirs] extends [Written<Ours>]
    ? never
    : Path;

/** The paths of what `Ours` reads and `Theirs` does not have; `unknown` reads anything. */
type Strange<Ours, Theirs, Path extends string> = unknown extends Ours
  ? never
  : [Ours] extends [readonly (infer Item)[]]
    ? StrangeList<Item, Theirs, Path>
    : [Ours] extends [object]
      ? StrangeObject<Ours, Theirs, Path>
      : StrangeScalar<Ours, Theirs, Path>;

type StrangeOfKinds = { [K in keyof Upstream & Kind]: Strange<ObjectOf<K>, Upstream[K], K> }[keyof Upstream & Kind];

/** Fields that upstream does not have yet, and why we read them all the same. */
export const ownFields = {
  'CSINode.status': 'KEP-1432, alpha ≥1.37: the health of the storage behind a driver',
  'PersistentVolumeClaim.status.healthStatus': 'KEP-1432, alpha ≥1.37: the health of a volume',
  'Pod.status.volumeHealth': 'KEP-1432, alpha ≥1.37: the health of a volume as its node sees it',
} as const satisfies Record<StrangeOfKinds, string>;

/** Kinds that come from CustomResourceDefinitions, so that no type of them is published with Kubernetes. */
export const ownKinds = {
  VolumeSnapshot: 'kubernetes-csi/external-snapshotter',
  VolumeSnapshotContent: 'kubernetes-csi/external-snapshotter',
  VolumeSnapshotClass: 'kubernetes-csi/external-snapshotter',
  VolumeGroupSnapshot: 'kubernetes-csi/external-snapshotter',
  VolumeGroupSnapshotContent: 'kubernetes-csi/external-snapshotter',
  BucketClaim: 'kubernetes-sigs/container-object-storage-interface',
  Bucket: 'kubernetes-sigs/container-object-storage-interface',
  BucketClass: 'kubernetes-sigs/container-object-storage-interface',
  BucketAccess: 'kubernetes-sigs/container-object-storage-interface',
  BucketAccessClass: 'kubernetes-sigs/container-object-storage-interface',
  VolumePopulator: 'kubernetes-csi/volume-data-source-validator',
  ReferenceGrant: 'kubernetes-sigs/gateway-api',
} as const satisfies Record<Exclude<Kind, keyof Upstream>, string>;

/** The comparison itself: each of these mistakes is found, under its path. If it were not, this would not compile. */
export const mistakes = {
  'claim.spec.storageClasName': 'a misspelt field',
  'claim.spec.resources.request': 'a misspelt field further down',
  'claim.spec.accessModes': 'a list read as text',
  'claim.spec.selector.matchExpressions[].valuse': 'a misspelt field inside a list',
  'claim.status.capacity.*': 'a number where upstream has text',
} as const satisfies Record<
  Strange<
    {
      readonly spec?: {
        readonly storageClasName?: string;
        readonly volumeName?: string;
        readonly resources?: { readonly request?: { readonly [key: string]: string } };
        readonly accessModes?: string;
        readonly selector?: {
          readonly matchExpressions?: readonly { readonly key?: string; readonly valuse?: string }[];
        };
      };
      readonly status?: { readonly phase?: string; readonly capacity?: { readonly [key: string]: number } };
    },
    upstream.V1PersistentVolumeClaim,
    'claim'
  >,
  string
>;
