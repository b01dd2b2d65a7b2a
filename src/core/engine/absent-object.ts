import type { Claim, Kind } from '../kube/kinds.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { selectedNodeAnnotations } from '../facts/claim/claim-annotations.ts';
import { resolveClass } from '../facts/class/storage-class.ts';

/**
 * How a claim names a cluster object it waits for. A bound claim still names its class and its node, but needs neither.
 */
const namingTests: Readonly<Partial<Record<Kind, (claim: Claim, name: string) => boolean>>> = {
  StorageClass: (claim, name) => isWaiting(claim) && resolveClass(claim).name === name,
  PersistentVolume: (claim, name) => claim.spec?.volumeName === name,
  Node: (claim, name) =>
    isWaiting(claim) && selectedNodeAnnotations.some((annotation) => claim.metadata.annotations?.[annotation] === name),
};

export function isNamedByClaims(kind: Kind): boolean {
  return namingTests[kind] !== undefined;
}

/**
 * The first claim in the snapshot that waits for an object that does not exist: its journey answers a question about
 * that object.
 */
export function claimWaitingFor(ask: Inquiry, kind: Kind, name: string): Claim | undefined {
  const isNamedBy = namingTests[kind];
  return (
    isNamedBy &&
    ask
      .seen('PersistentVolumeClaim')
      .find((claim) => claim.metadata.deletionTimestamp === undefined && isNamedBy(claim, name))
  );
}

/** Whether claims could not be read, so that one of them may wait for the object. */
export function mayBeNamedByUnreadClaim(ask: Inquiry, kind: Kind): boolean {
  return (
    isNamedByClaims(kind) && ['denied', 'failed'].includes(ask.graph.coverage.of('PersistentVolumeClaim', {}).state)
  );
}

function isWaiting({ status }: Claim): boolean {
  return status?.phase !== 'Bound' && status?.phase !== 'Lost';
}
