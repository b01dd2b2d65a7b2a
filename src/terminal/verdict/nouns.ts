import type { ObjectRef } from '../../core/report/report.ts';
import { shortNameOf } from '../../core/kube/resources.ts';

const nouns: Readonly<Record<string, readonly [one: string, many: string]>> = {
  PersistentVolumeClaim: ['claim', 'claims'],
  PersistentVolume: ['volume', 'volumes'],
  Pod: ['pod', 'pods'],
  Node: ['node', 'nodes'],
  Namespace: ['namespace', 'namespaces'],
  StorageClass: ['storage class', 'storage classes'],
  VolumeAttachment: ['attachment', 'attachments'],
  VolumeSnapshot: ['snapshot', 'snapshots'],
  BucketClaim: ['bucket claim', 'bucket claims'],
  BucketAccess: ['bucket access', 'bucket accesses'],
  Bucket: ['bucket', 'buckets'],
  CSIDriver: ['driver', 'drivers'],
};

/** `40 claims`, `3 claims and 1 pod`; more than two kinds, or unknown ones, are objects. */
export function countObjects(objects: readonly Pick<ObjectRef, 'kind'>[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const known = [...counts].filter(([kind]) => Object.hasOwn(nouns, kind));
  if (known.length !== counts.size || known.length === 0 || known.length > 2)
    return `${objects.length} ${objects.length === 1 ? 'object' : 'objects'}`;
  return known.map(([kind, count]) => `${count} ${nouns[kind]?.[count === 1 ? 0 : 1] ?? kind}`).join(' and ');
}

/** `pvc/data-0`, as one types it. */
export function objectName(object: ObjectRef): string {
  return `${shortNameOf(object.kind)}/${object.name}`;
}

/** The object, with its namespace if that is not `home`. */
export function objectNameFrom(object: ObjectRef, home: string | undefined): string {
  return object.namespace === undefined || object.namespace === home
    ? objectName(object)
    : `${objectName(object)} in ${object.namespace}`;
}

export function objectKey(object: ObjectRef): string {
  return `${object.kind}|${object.namespace ?? ''}|${object.name}|${object.context ?? ''}`;
}

/** `pvc/data in prod` where the objects are of several clusters. */
export function objectNameIn(object: ObjectRef): string {
  return object.context === undefined ? objectName(object) : `${objectName(object)} in ${object.context}`;
}

/** The clusters of these objects, in their order. */
export function contextsOf(objects: readonly { readonly context?: string | undefined }[]): string[] {
  return [...new Set(objects.flatMap(({ context }) => context ?? []))];
}

/** The namespace of all these objects, if it is the same. */
export function sharedNamespace(objects: readonly ObjectRef[]): string | undefined {
  const namespaces = new Set(objects.map((object) => object.namespace));
  return namespaces.size === 1 ? objects[0]?.namespace : undefined;
}
