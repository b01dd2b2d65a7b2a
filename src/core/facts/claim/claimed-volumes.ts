import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { resolveClass } from '../class/storage-class.ts';
import { namesClaim, reservationOf } from '../volume/volume-match.ts';

/** The volumes of a class in the snapshot. */
export function volumesOfClass(ask: Inquiry, name: string): readonly Volume[] {
  return ask.graph.group('PersistentVolume', 'class', (volume) => [resolveClass(volume).name]).get(name) ?? [];
}

/** The volumes in the snapshot whose claimRef has the claim's name. */
export function volumesNaming(ask: Inquiry, claim: Claim): readonly Volume[] {
  const byClaim = ask.graph.group('PersistentVolume', 'claimRef', (volume) =>
    volume.spec?.claimRef?.name ? [`${volume.spec.claimRef.namespace ?? ''}/${volume.spec.claimRef.name}`] : [],
  );
  return byClaim.size === 0
    ? []
    : chosen(byClaim.get(`${claim.metadata.namespace ?? ''}/${claim.metadata.name}`) ?? [], (volume) =>
        namesClaim(volume, claim),
      );
}

/** Those of them that no other claim of that name has taken. */
export function volumesReservedFor(ask: Inquiry, claim: Claim): readonly Volume[] {
  return chosen(volumesNaming(ask, claim), (volume) => reservationOf(volume, claim) === 'this');
}

/** As filter, but without a new list for an empty one: nearly no claim has a volume that names it. */
function chosen<T>(all: readonly T[], isChosen: (one: T) => boolean): readonly T[] {
  return all.length === 0 ? all : all.filter(isChosen);
}
