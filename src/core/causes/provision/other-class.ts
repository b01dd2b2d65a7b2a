import type { StorageClass } from '../../kube/kinds.ts';
import { compareText } from '../../graph/cluster-graph.ts';
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
 * The classes that provision, other than the claim's own, the best first: one with bound volumes is known to work; then the
 * default class; then one whose driver is installed.
 */
export function otherClasses(
  c: PresentClaim,
  isFit: (storageClass: StorageClass) => boolean = () => true,
): OtherClass[] {
  const bound = boundByClass(c);
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

/** `StorageClass "fast" (3 volumes bound)` */
export function classText({ name, bound }: OtherClass): string {
  return `StorageClass "${name}"${bound === 0 ? '' : ` (${bound} volume${bound === 1 ? '' : 's'} bound)`}`;
}

function boundByClass(c: PresentClaim): ReadonlyMap<string, number> {
  return c.ask.graph.remember('bound volumes by class', () => {
    const counts = new Map<string, number>();
    for (const { spec, status } of c.ask.seen('PersistentVolume'))
      if (status?.phase === 'Bound' && spec?.storageClassName)
        counts.set(spec.storageClassName, (counts.get(spec.storageClassName) ?? 0) + 1);
    return counts;
  });
}
