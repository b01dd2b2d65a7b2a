import type { StorageClass } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { isDefaultClass, noProvisioner } from '../../facts/class/storage-class.ts';

/** A class that could be used instead. */
export interface OtherClass {
  readonly name: string;
  readonly provisioner: string;
  /** How many volumes of it are bound, among those that were read. */
  readonly bound: number;
}

/**
 * The classes that provision, other than the claim's own, the best first: one with bound volumes is known to work; then
 * the default class; then one whose driver is installed.
 */
export function otherClasses(
  c: PresentClaim,
  isFit: (storageClass: StorageClass) => boolean = () => true,
): OtherClass[] {
  const bound = boundByClass(c.ask);
  const drivers = new Set(c.ask.seen('CSIDriver').map(({ metadata }) => metadata.name));
  const rank = (storageClass: StorageClass): number => {
    if ((bound.get(storageClass.metadata.name) ?? 0) > 0) return 0;
    if (isDefaultClass(storageClass)) return 1;
    return drivers.has(storageClass.provisioner ?? '') ? 2 : 3;
  };
  return c.ask
    .list('StorageClass', undefined, 'which other classes there are')
    .items.filter(
      (storageClass) =>
        storageClass.metadata.name !== c.class.name &&
        storageClass.provisioner !== undefined &&
        storageClass.provisioner !== noProvisioner &&
        isFit(storageClass),
    )
    .toSorted(
      (a, b) =>
        rank(a) - rank(b) ||
        (bound.get(b.metadata.name) ?? 0) - (bound.get(a.metadata.name) ?? 0) ||
        compareText(a.metadata.name, b.metadata.name),
    )
    .map(({ metadata: { name }, provisioner = '' }) => ({ name, provisioner, bound: bound.get(name) ?? 0 }));
}

/** `StorageClass "fast" (in use)`: how many volumes it has is not known, since only some were read. */
export function classText({ name, bound }: OtherClass): string {
  return `StorageClass "${name}"${bound === 0 ? '' : ' (in use)'}`;
}

/** How many volumes of each class are bound, among the volumes and claims that were read. */
export function boundByClass(ask: Inquiry): ReadonlyMap<string, number> {
  return ask.graph.remember('bound volumes by class', () => {
    const bound = new Map<string, string>();
    for (const { metadata, spec, status } of ask.seen('PersistentVolume'))
      if (status?.phase === 'Bound' && spec?.storageClassName) bound.set(metadata.name, spec.storageClassName);
    for (const { spec, status } of ask.seen('PersistentVolumeClaim'))
      if (status?.phase === 'Bound' && spec?.storageClassName && spec.volumeName)
        bound.set(spec.volumeName, spec.storageClassName);
    const counts = new Map<string, number>();
    for (const name of bound.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  });
}

/** Where classes could not be read: the classes that created volumes of claims that were read, the one with most first. */
export function classesInUse(c: PresentClaim): string[] {
  const counts = new Map<string, number>();
  for (const { spec, status, metadata } of c.ask.seen('PersistentVolumeClaim')) {
    const name = spec?.storageClassName;
    const isProvisioned =
      metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined ||
      metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'] !== undefined ||
      /^pvc-/.test(spec?.volumeName ?? '');
    if (name && name !== c.class.name && status?.phase === 'Bound' && isProvisioned)
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, x], [b, y]) => y - x || compareText(a, b)).map(([name]) => name);
}
