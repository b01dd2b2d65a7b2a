import type { StorageClass } from '../../kube/kinds.ts';
import { mergeObjects } from '../../kube/merge-objects.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { betaClassAnnotation, defaultClassOf } from '../../facts/class/storage-class.ts';
import { member, recordOf } from './templates.ts';

/** Metadata that only the server and controllers write. */
const serverFields = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
];

/** The object as the API server would store it on creation: the user's fields and the server's defaults. */
export function madeNew(object: RawObject, madeAt: string): RawObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(
      ([name]) => !serverFields.includes(name) || (name === 'uid' && object.kind === 'Pod'),
    ),
  );
  const { status: _status, ...rest } = object;
  const plain: RawObject = {
    ...rest,
    kind: object.kind,
    metadata: { ...metadata, name: object.metadata.name, creationTimestamp: madeAt },
  };
  switch (object.kind) {
    case 'PersistentVolumeClaim':
      return {
        ...plain,
        spec: { volumeMode: 'Filesystem', ...sourcesOf(plain['spec']) },
        status: { phase: 'Pending' },
      };
    case 'PersistentVolume':
      return {
        ...plain,
        spec: { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain', ...recordOf(plain['spec']) },
        status: { phase: 'Available' },
      };
    case 'StorageClass':
      return {
        ...plain,
        reclaimPolicy: plain['reclaimPolicy'] ?? 'Delete',
        volumeBindingMode: plain['volumeBindingMode'] ?? 'Immediate',
      };
    case 'Pod':
      return { ...plain, status: { phase: 'Pending' } };
    case 'Namespace':
      return { ...plain, status: { phase: 'Active' } };
    case 'Secret':
    case 'ConfigMap':
      return { apiVersion: object.apiVersion ?? 'v1', kind: object.kind, metadata: plain.metadata };
    default:
      return plain;
  }
}

/**
 * The two fields for a data source are synchronised (NormalizeDataSources); the old one allows only a claim or a
 * snapshot, and is dropped otherwise.
 */
function sourcesOf(spec: unknown): object {
  const { dataSource, dataSourceRef, ...rest } = recordOf(spec);
  const isOld = (source: unknown): boolean =>
    ['PersistentVolumeClaim', 'VolumeSnapshot'].includes(String(member(source, 'kind')));
  const named = dataSourceRef ?? (isOld(dataSource) ? dataSource : undefined);
  const isInOtherNamespace = member(named, 'namespace') !== undefined;
  return {
    ...rest,
    ...(named !== undefined && {
      dataSourceRef: named,
      ...(isOld(named) && !isInOtherNamespace && { dataSource: named }),
    }),
  };
}

/** A data source of another kind in the old field: the server drops it silently, and the volume is created empty. */
export function droppedSource(object: RawObject): string | undefined {
  const source = member(object, 'spec', 'dataSource');
  if (source === undefined || source === null || member(object, 'spec', 'dataSourceRef') !== undefined)
    return undefined;
  const kind = String(member(source, 'kind'));
  return kind === 'PersistentVolumeClaim' || kind === 'VolumeSnapshot'
    ? undefined
    : `${kind}/${String(member(source, 'name'))}`;
}

/** Neither the field nor the old annotation. */
export function namesNoClass(claim: RawObject): boolean {
  const className = member(claim, 'spec', 'storageClassName') ?? undefined;
  return className === undefined && member(claim, 'metadata', 'annotations', betaClassAnnotation) === undefined;
}

/** The DefaultStorageClass admission plugin: a claim that names no class gets the default one. */
export function withDefaultClass(claim: RawObject, classes: readonly StorageClass[]): RawObject {
  const fallback = namesNoClass(claim) ? defaultClassOf(classes) : undefined;
  if (!fallback) return claim;
  return { ...claim, spec: { ...recordOf(claim['spec']), storageClassName: fallback.metadata.name } };
}

/** As `kubectl apply` does: fields of the manifest replace those of the object, all others stay. */
export function applied(existing: RawObject, manifest: RawObject): RawObject {
  const { status: _status, ...rest } = manifest;
  const metadata = Object.fromEntries(
    Object.entries(manifest.metadata).filter(([name]) => !serverFields.includes(name)),
  );
  const merged = recordOf(mergeObjects(existing, { ...rest, metadata }));
  const { name } = existing.metadata;
  return { ...merged, kind: existing.kind, metadata: { ...recordOf(merged['metadata']), name } };
}
