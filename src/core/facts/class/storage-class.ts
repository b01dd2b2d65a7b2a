import type { Claim, StorageClass, Volume } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { parseTime } from '../../kube/time.ts';

export const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
export const noProvisioner = 'kubernetes.io/no-provisioner';

/**
 * The class of a claim or volume, and where it is set: the beta annotation overrides the field (component-helpers
 * GetPersistentVolumeClaimClass).
 */
export interface ResolvedClass {
  readonly name: string;
  /** none: neither is set, which is not the same as an empty name. */
  readonly source: 'annotation' | 'spec' | 'none';
}

export function resolveClass(object: Claim | Volume): ResolvedClass {
  const annotated = object.metadata.annotations?.[betaClassAnnotation];
  if (annotated !== undefined) return { name: annotated, source: 'annotation' };
  const named = object.spec?.storageClassName;
  return named === undefined ? { name: '', source: 'none' } : { name: named, source: 'spec' };
}

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export function isDefaultClass(storageClass: StorageClass): boolean {
  return defaultAnnotationOf(storageClass) !== undefined;
}

/** The annotation of the two that marks it as the default class. */
export function defaultAnnotationOf(storageClass: StorageClass): string | undefined {
  const { annotations } = storageClass.metadata;
  return annotations && defaultAnnotations.find((annotation) => annotations[annotation] === 'true');
}

/** The default class that admission picks: the latest, then by name (1.26 and later). */
export function defaultClassOf(classes: readonly StorageClass[]): StorageClass | undefined {
  const created = (storageClass: StorageClass): number => parseTime(storageClass.metadata.creationTimestamp) ?? 0;
  return classes
    .filter(isDefaultClass)
    .sort((a, b) => created(b) - created(a) || compareText(a.metadata.name, b.metadata.name))[0];
}

/** The latest time at which the class can have become the default, which may be long after its creation. */
export function defaultSince({ metadata }: StorageClass): string | undefined {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  return times.reduce(
    (latest, time) => ((parseTime(time) ?? 0) > (parseTime(latest) ?? 0) ? time : latest),
    metadata.creationTimestamp,
  );
}

export function isDelayed(storageClass: StorageClass): boolean {
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer';
}
