import type { StorageClass } from '../../kube/kinds.ts';
import { mergeObjects } from '../../kube/merge-objects.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import { betaClassAnnotation, defaultClassOf } from '../../facts/class/storage-class.ts';
import { member } from './templates.ts';

type Loose = Readonly<Record<string, unknown>>;

/** Only the server, and controllers through it, write these. */
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

/** The object as the API server would store it when it is made: the user's fields, and what it fills in by itself. */
export function madeNew(object: RawObject, madeAt: string): RawObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(
      ([name]) => !serverFields.includes(name) || (name === 'uid' && object.kind === 'Pod'),
    ),
  );
  const { status: _status, ...rest } = object;
  const plain = { ...rest, metadata: { ...metadata, creationTimestamp: madeAt } } as unknown as RawObject;
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
        spec: { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain', ...(plain['spec'] as Loose) },
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

/** The two fields for a source are kept alike (NormalizeDataSources); the old one takes a claim or a snapshot only, and is dropped otherwise. */
function sourcesOf(spec: unknown): Loose {
  const { dataSource, dataSourceRef, ...rest } = (spec ?? {}) as Loose;
  const isOld = (source: unknown): boolean =>
    ['PersistentVolumeClaim', 'VolumeSnapshot'].includes(String(member(source, 'kind')));
  const named = dataSourceRef ?? (isOld(dataSource) ? dataSource : undefined);
  const isAbroad = member(named, 'namespace') !== undefined;
  return {
    ...rest,
    ...(named !== undefined && { dataSourceRef: named, ...(isOld(named) && !isAbroad && { dataSource: named }) }),
  };
}

/** What the old field would lose: the server drops it without a word, and the volume comes out empty. */
export function droppedSource(object: RawObject): string | undefined {
  const source = member(object, 'spec', 'dataSource');
  if (source === undefined || source === null || member(object, 'spec', 'dataSourceRef') !== undefined)
    return undefined;
  const kind = String(member(source, 'kind'));
  return kind === 'PersistentVolumeClaim' || kind === 'VolumeSnapshot'
    ? undefined
    : `${kind}/${String(member(source, 'name'))}`;
}

/** The DefaultStorageClass admission: a claim that names no class gets the default one, whatever else it asks for. */
export function withDefaultClass(claim: RawObject, classes: readonly StorageClass[]): RawObject {
  const spec = claim['spec'] as Loose;
  if (spec['storageClassName'] !== undefined && spec['storageClassName'] !== null) return claim;
  if (member(claim, 'metadata', 'annotations', betaClassAnnotation) !== undefined) return claim;
  const fallback = defaultClassOf(classes);
  return fallback ? { ...claim, spec: { ...spec, storageClassName: fallback.metadata.name } } : claim;
}

/** An apply: what the manifest sets goes over what is there, all else stays. */
export function applied(existing: RawObject, manifest: RawObject): RawObject {
  const { status: _status, ...rest } = manifest;
  const metadata = Object.fromEntries(
    Object.entries(manifest.metadata).filter(([name]) => !serverFields.includes(name)),
  );
  return mergeObjects(existing, { ...rest, metadata }) as RawObject;
}
