import type { Kind } from './kinds.ts';

/** Where the API serves a kind, and how users name it. */
export interface Resource {
  readonly kind: Kind;
  /** The plural in the path, e.g. persistentvolumeclaims. */
  readonly name: string;
  readonly group: string;
  /** Served versions, the preferred one first. */
  readonly versions: readonly string[];
  readonly namespaced: boolean;
  /** Singular and short names, as kubectl accepts them. */
  readonly aliases: readonly string[];
  /** The contents never leave the server: only PartialObjectMetadata is requested. */
  readonly metadataOnly?: boolean;
  /** There is at least one for each node, claim or pod. */
  readonly isMany?: true;
  /**
   * Some servers do not have it: a custom resource, or an API that came late. Every other kind exists on every server.
   */
  readonly isOptional?: true;
  /** Few servers have its API group, so the list of groups is read before the kind is asked for. */
  readonly isRare?: true;
  /** What this kind shows; printed when it could not be read. */
  readonly tells: string;
}

const core = { group: '', versions: ['v1'] } as const;
const storage = { group: 'storage.k8s.io', versions: ['v1'] } as const;
const batch = { group: 'batch', versions: ['v1'] } as const;
const apps = { group: 'apps', versions: ['v1'] } as const;
const snapshot = { group: 'snapshot.storage.k8s.io', versions: ['v1'], isOptional: true } as const;
const groupSnapshot = {
  group: 'groupsnapshot.storage.k8s.io',
  versions: ['v1', 'v1beta2', 'v1beta1'],
  isOptional: true,
} as const;
/** Container Object Storage Interface (COSI). v1alpha1 is what drivers use; v1alpha2 is its successor. */
const objectStorage = {
  group: 'objectstorage.k8s.io',
  versions: ['v1alpha1', 'v1alpha2'],
  isOptional: true,
  isRare: true,
} as const;
const admission = { group: 'admissionregistration.k8s.io', versions: ['v1'] } as const;

export const resources: readonly Resource[] = [
  {
    kind: 'PersistentVolumeClaim',
    name: 'persistentvolumeclaims',
    ...core,
    namespaced: true,
    aliases: ['persistentvolumeclaim', 'pvc', 'claim'],
    isMany: true,
    tells: 'which claims exist and whether they are bound',
  },
  {
    kind: 'PersistentVolume',
    name: 'persistentvolumes',
    ...core,
    namespaced: false,
    aliases: ['persistentvolume', 'pv', 'volume'],
    isMany: true,
    tells: 'which volumes exist and which of them would fit',
  },
  {
    kind: 'Pod',
    name: 'pods',
    ...core,
    namespaced: true,
    aliases: ['pod', 'po'],
    isMany: true,
    tells: 'which pods use the claim, and whether the driver runs',
  },
  {
    kind: 'Node',
    name: 'nodes',
    ...core,
    namespaced: false,
    aliases: ['node', 'no'],
    isMany: true,
    tells: 'which nodes could take the pod and the volume',
  },
  {
    kind: 'Namespace',
    name: 'namespaces',
    ...core,
    namespaced: false,
    aliases: ['namespace', 'ns'],
    tells: 'whether the namespace is being deleted',
  },
  {
    kind: 'Event',
    name: 'events',
    ...core,
    namespaced: true,
    aliases: ['event', 'ev'],
    isMany: true,
    tells: 'what the controllers said',
  },
  {
    kind: 'ResourceQuota',
    name: 'resourcequotas',
    ...core,
    namespaced: true,
    aliases: ['resourcequota', 'quota'],
    tells: 'whether a quota is full',
  },
  {
    kind: 'LimitRange',
    name: 'limitranges',
    ...core,
    namespaced: true,
    aliases: ['limitrange', 'limits'],
    tells: 'whether a limit range forbids the size',
  },
  {
    kind: 'Secret',
    name: 'secrets',
    ...core,
    namespaced: true,
    aliases: ['secret'],
    isMany: true,
    metadataOnly: true,
    tells: 'whether a secret that the class names exists',
  },
  {
    kind: 'ConfigMap',
    name: 'configmaps',
    ...core,
    namespaced: true,
    aliases: ['configmap', 'cm'],
    isMany: true,
    metadataOnly: true,
    tells: 'whether a config map that the pod names exists',
  },
  {
    kind: 'StorageClass',
    name: 'storageclasses',
    ...storage,
    namespaced: false,
    aliases: ['storageclass', 'sc', 'class'],
    tells: 'whether the class exists and how it binds',
  },
  {
    kind: 'CSIDriver',
    name: 'csidrivers',
    ...storage,
    namespaced: false,
    aliases: ['csidriver', 'driver'],
    tells: 'whether the driver is installed',
  },
  {
    kind: 'CSINode',
    name: 'csinodes',
    ...storage,
    namespaced: false,
    aliases: ['csinode'],
    isMany: true,
    tells: 'on which nodes the driver is registered',
  },
  {
    kind: 'CSIStorageCapacity',
    name: 'csistoragecapacities',
    ...storage,
    versions: ['v1', 'v1beta1'],
    namespaced: true,
    aliases: ['csistoragecapacity', 'capacity'],
    isOptional: true,
    isMany: true,
    tells: 'how much space the driver has where',
  },
  {
    kind: 'VolumeAttachment',
    name: 'volumeattachments',
    ...storage,
    namespaced: false,
    aliases: ['volumeattachment', 'va', 'attachment'],
    isMany: true,
    tells: 'which volumes are attached to which nodes',
  },
  {
    kind: 'VolumeAttributesClass',
    name: 'volumeattributesclasses',
    ...storage,
    versions: ['v1', 'v1beta1'],
    namespaced: false,
    aliases: ['volumeattributesclass', 'vac'],
    isOptional: true,
    tells: 'whether the volume attributes class exists',
  },
  {
    kind: 'Lease',
    name: 'leases',
    group: 'coordination.k8s.io',
    versions: ['v1'],
    namespaced: true,
    aliases: ['lease'],
    isMany: true,
    tells: 'whether the controllers are alive',
  },
  {
    kind: 'StatefulSet',
    name: 'statefulsets',
    ...apps,
    namespaced: true,
    aliases: ['statefulset', 'sts'],
    tells: 'which claims a StatefulSet expects',
  },
  {
    kind: 'Deployment',
    name: 'deployments',
    ...apps,
    namespaced: true,
    aliases: ['deployment', 'deploy'],
    tells: 'where the driver controller is deployed',
  },
  {
    kind: 'ReplicaSet',
    name: 'replicasets',
    ...apps,
    namespaced: true,
    aliases: ['replicaset', 'rs'],
    isMany: true,
    tells: 'which pods a Deployment makes',
  },
  {
    kind: 'DaemonSet',
    name: 'daemonsets',
    ...apps,
    namespaced: true,
    aliases: ['daemonset', 'ds'],
    tells: 'where the node plugin is deployed',
  },
  {
    kind: 'Job',
    name: 'jobs',
    ...batch,
    namespaced: true,
    aliases: ['job'],
    isMany: true,
    tells: 'whether the Job exists',
  },
  {
    kind: 'CronJob',
    name: 'cronjobs',
    ...batch,
    namespaced: true,
    aliases: ['cronjob', 'cj'],
    isMany: true,
    tells: 'whether the CronJob exists',
  },
  {
    kind: 'PodDisruptionBudget',
    name: 'poddisruptionbudgets',
    group: 'policy',
    versions: ['v1'],
    namespaced: true,
    aliases: ['poddisruptionbudget', 'pdb'],
    tells: 'whether a disruption budget blocks an eviction',
  },
  {
    kind: 'VolumeSnapshot',
    name: 'volumesnapshots',
    ...snapshot,
    namespaced: true,
    aliases: ['volumesnapshot', 'vs', 'snapshot'],
    tells: 'whether the snapshot exists and is ready',
  },
  {
    kind: 'VolumeSnapshotContent',
    name: 'volumesnapshotcontents',
    ...snapshot,
    namespaced: false,
    aliases: ['volumesnapshotcontent', 'vsc'],
    tells: 'whether the content of the snapshot exists',
  },
  {
    kind: 'VolumeSnapshotClass',
    name: 'volumesnapshotclasses',
    ...snapshot,
    namespaced: false,
    aliases: ['volumesnapshotclass', 'vsclass'],
    tells: 'whether the snapshot class exists',
  },
  {
    kind: 'VolumeGroupSnapshot',
    name: 'volumegroupsnapshots',
    ...groupSnapshot,
    namespaced: true,
    aliases: ['volumegroupsnapshot', 'vgs'],
    tells: 'whether the group of snapshots exists and is ready',
  },
  {
    kind: 'VolumeGroupSnapshotContent',
    name: 'volumegroupsnapshotcontents',
    ...groupSnapshot,
    namespaced: false,
    aliases: ['volumegroupsnapshotcontent', 'vgsc'],
    tells: 'whether the content of the group of snapshots exists',
  },
  {
    kind: 'BucketClaim',
    name: 'bucketclaims',
    ...objectStorage,
    namespaced: true,
    aliases: ['bucketclaim'],
    tells: 'which bucket claims exist and whether they are ready',
  },
  {
    kind: 'Bucket',
    name: 'buckets',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucket'],
    tells: 'whether the Bucket exists and is ready',
  },
  {
    kind: 'BucketClass',
    name: 'bucketclasses',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucketclass'],
    tells: 'whether the bucket class exists',
  },
  {
    kind: 'BucketAccess',
    name: 'bucketaccesses',
    ...objectStorage,
    namespaced: true,
    aliases: ['bucketaccess'],
    tells: 'which accesses to buckets exist and whether they are granted',
  },
  {
    kind: 'BucketAccessClass',
    name: 'bucketaccessclasses',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucketaccessclass'],
    tells: 'whether the class of an access to a bucket exists',
  },
  {
    kind: 'ReferenceGrant',
    name: 'referencegrants',
    group: 'gateway.networking.k8s.io',
    versions: ['v1', 'v1beta1'],
    namespaced: true,
    aliases: ['referencegrant'],
    isOptional: true,
    tells: 'whether another namespace may be used as a source',
  },
  {
    kind: 'VolumePopulator',
    name: 'volumepopulators',
    group: 'populator.storage.k8s.io',
    versions: ['v1beta1'],
    namespaced: false,
    aliases: ['volumepopulator'],
    isOptional: true,
    tells: 'which kinds a volume populator serves',
  },
  {
    kind: 'CustomResourceDefinition',
    name: 'customresourcedefinitions',
    group: 'apiextensions.k8s.io',
    versions: ['v1'],
    namespaced: false,
    aliases: ['customresourcedefinition', 'crd'],
    tells: 'whether the kind of the data source is installed',
  },
  {
    kind: 'MutatingWebhookConfiguration',
    name: 'mutatingwebhookconfigurations',
    ...admission,
    namespaced: false,
    aliases: ['mutatingwebhookconfiguration'],
    tells: 'which webhooks may refuse a claim',
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    name: 'validatingwebhookconfigurations',
    ...admission,
    namespaced: false,
    aliases: ['validatingwebhookconfiguration'],
    tells: 'which webhooks may refuse a claim',
  },
];

const byKind = new Map<string, Resource>(resources.map((resource) => [resource.kind, resource]));
const byAlias = new Map<string, Resource>(
  resources.flatMap((resource) => [resource.name, ...resource.aliases].map((alias) => [alias, resource] as const)),
);

export function resourceOf(kind: Kind): Resource {
  return byKind.get(kind) as Resource;
}

/** The resource that a user means by `pvc`, `persistentvolumeclaims` or `PVC`. */
export function resourceNamed(word: string): Resource | undefined {
  const [name] = word.toLowerCase().split('.', 1);
  return byAlias.get(name ?? '');
}

/** The prefix of an object's name in output: pvc/data, pod/web-0. */
export function shortNameOf(kind: string): string {
  const shortest: Record<string, string> = {
    PersistentVolumeClaim: 'pvc',
    PersistentVolume: 'pv',
    StorageClass: 'storageclass',
    VolumeAttachment: 'volumeattachment',
  };
  return shortest[kind] ?? kind.toLowerCase();
}

/** The short name that users type: `va`, not `volumeattachment`. */
export function typedNameOf(kind: Kind): string {
  const { aliases, name } = resourceOf(kind);
  const [singular = name] = aliases;
  return singular.length <= 4 ? singular : (aliases.find((alias) => alias.length <= 4) ?? singular);
}
