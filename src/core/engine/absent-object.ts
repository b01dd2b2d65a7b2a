import type { Claim, Kind } from '../kube/kinds.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { selectedNodeAnnotations } from '../facts/claim/claim-case.ts';
import { resolveClass } from '../facts/class/storage-class.ts';

/** How a claim says that it waits for an object of the cluster; a bound claim keeps the names of its class and of its node, and needs neither. */
const waysToName: Readonly<Partial<Record<Kind, (claim: Claim, name: string) => boolean>>> = {
  StorageClass: (claim, name) => isWaiting(claim) && resolveClass(claim).name === name,
  PersistentVolume: (claim, name) => claim.spec?.volumeName === name,
  Node: (claim, name) =>
    isWaiting(claim) && selectedNodeAnnotations.some((annotation) => claim.metadata.annotations?.[annotation] === name),
};

export function isNamedByClaims(kind: Kind): boolean {
  return waysToName[kind] !== undefined;
}

/** Of the claims at hand, the first that waits for something that does not exist: what keeps it is the answer to whoever asks about that. */
export function claimWaitingFor(ask: Inquiry, kind: Kind, name: string): Claim | undefined {
  const isNamedBy = waysToName[kind];
  return (
    isNamedBy &&
    ask
      .seen('PersistentVolumeClaim')
      .find((claim) => claim.metadata.deletionTimestamp === undefined && isNamedBy(claim, name))
  );
}

/** Whoever may not read claims cannot say that none waits for it. */
export function mayBeNamedUnseen(ask: Inquiry, kind: Kind): boolean {
  return (
    isNamedByClaims(kind) && ['denied', 'failed'].includes(ask.graph.coverage.of('PersistentVolumeClaim', {}).state)
  );
}

function isWaiting({ status }: Claim): boolean {
  return status?.phase !== 'Bound' && status?.phase !== 'Lost';
}
