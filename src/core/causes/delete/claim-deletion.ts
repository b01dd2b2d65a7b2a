import { field } from '../../facts/evidence.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { pvcProtection } from './finalizers.ts';

/** The protection controller reacts to each change of a pod; a minute is ample. */
export const protectionSeconds = 60;

/** The finalizers of a claim that is being deleted. */
export function holdingFinalizersOf({ claim }: PresentClaim): readonly string[] {
  return claim.metadata.deletionTimestamp === undefined ? [] : (claim.metadata.finalizers ?? []);
}

export function isHeldBy(c: PresentClaim, finalizer: string): boolean {
  return holdingFinalizersOf(c).includes(finalizer);
}

/** It is being deleted, and the protection controller has not released it. */
export function isProtected(c: PresentClaim): boolean {
  return isHeldBy(c, pvcProtection);
}

export function secondsSinceDeletion(c: PresentClaim): number {
  const since = parseTime(c.claim.metadata.deletionTimestamp);
  return since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (c.now - since) / 1000);
}

const updateSeconds = 30;

/** Removing a finalizer takes an update and a moment: until then it is a wait whose reason is known. */
export function waitAtFirst(c: PresentClaim): { readonly severity?: 'info' } {
  return secondsSinceDeletion(c) < updateSeconds ? { severity: 'info' } : {};
}

/** A dump that has nodes and not a single pod was most likely taken where no pod was. */
export function looksUnused(c: PresentClaim): boolean {
  const observed = c.ask.graph.coverage.of('Pod', { namespace: c.namespace });
  return (
    observed.state === 'unread' &&
    observed.message !== undefined &&
    c.ask.seen('Pod').length === 0 &&
    c.ask.seen('Node').length > 0
  );
}

/** `pvc/data was deleted 20m ago`, to begin a sentence. */
export function deletedWords(c: PresentClaim): string {
  const since = parseTime(c.claim.metadata.deletionTimestamp);
  return `pvc/${c.name} was deleted${since === undefined ? '' : ` ${ageText(since, c.now)} ago`}`;
}

/** What becomes of the data when the claim goes. */
export function policyEvidence({ volume }: PresentClaim): Evidence[] {
  return volume?.state === 'found' ? [field(volume.object, 'spec.persistentVolumeReclaimPolicy')] : [];
}
