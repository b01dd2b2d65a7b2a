import type { Volume } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, delayedClaims } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import type { Explanation } from '../lib/rule.ts';

/**
 * Explains the first claim for which the scheduler finds nothing to bind: one sentence of its covers three different
 * faults (binder checkVolumeProvisions). `isBlamed`: the scheduler itself reports it.
 */
export function explainFirstUnbound(
  p: PodCase,
  explain: (claim: PresentClaim, isBlamed: boolean) => Explanation | undefined,
): Explanation | undefined {
  const blamed = blames(p, storageTexts.nothingToBind);
  if (p.isScheduled || blamed === false) return undefined;
  for (const claim of delayedClaims(p)) {
    const explanation = claim.selectedNode === undefined ? explain(claim, blamed === true) : undefined;
    if (explanation) return explanation;
  }
  return undefined;
}

/** The volumes of the class that the claim names. */
export function volumesOfItsClass(claim: PresentClaim): Listing<Volume> {
  const className = claim.class.name;
  const { items, complete } = claim.ask.volumesFor(className, `whether a volume of class ${className} is free`);
  return { items: items.filter((volume) => resolveClass(volume).name === className), complete };
}
