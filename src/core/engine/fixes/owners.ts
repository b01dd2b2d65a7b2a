import type { RawObject } from '../../kube/snapshot.ts';

export function isOfDaemonSet({ metadata }: RawObject): boolean {
  const owners = metadata['ownerReferences'];
  return (
    Array.isArray(owners) && owners.some((owner: { readonly kind?: string } | null) => owner?.kind === 'DaemonSet')
  );
}

/** The pods of a Deployment belong to its ReplicaSets, which are named after it. */
export function isOwnedBy({ metadata }: RawObject, kind: string, name: string): boolean {
  const owners = metadata['ownerReferences'];
  return (
    Array.isArray(owners) &&
    owners.some((owner: { readonly kind?: string; readonly name?: string } | null) =>
      kind === 'Deployment'
        ? owner?.kind === 'ReplicaSet' && owner.name?.replace(/-[^-]+$/, '') === name
        : owner?.kind === kind && owner.name === name,
    )
  );
}
