import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { holdingFinalizersOf, waitAtFirst } from './claim-deletion.ts';
import {
  cloningProtection,
  controllerBehind,
  deletionEvidence,
  kindsBehind,
  populatorSuffix,
  pvcProtection,
  removeFinalizerFix,
  searchFix,
  snapshotSourceProtection,
  writtenBy,
} from './finalizers.ts';

/** Finalizers that have a cause of their own. */
const known = [pvcProtection, cloningProtection, snapshotSourceProtection];

/** Any other finalizer: only its controller knows what it waits for. */
export const pvcTerminatingForeignFinalizer = claimRule({
  cause: 'pvc-terminating-foreign-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    const foreign = holdingFinalizersOf(c).filter(
      (finalizer) => !known.includes(finalizer) && !finalizer.endsWith(populatorSuffix),
    );
    const [finalizer] = foreign;
    if (finalizer === undefined) return undefined;
    return {
      ...waitAtFirst(c),
      summary: `pvc/${c.name} is being deleted and waits for ${controllerBehind(finalizer)} to take ${finalizer} off${traceWords(c, finalizer)}`,
      evidence: evidenceOf(c, foreign),
      fix: [
        searchFix(finalizer),
        removeFinalizerFix(
          c.claim,
          finalizer,
          'only if that controller is gone for good, take the finalizer off by hand; what it would have cleaned up stays',
        ),
      ],
    };
  },
});

/** What is installed of the controller's API group. */
function traceWords(c: PresentClaim, finalizer: string): string {
  const kinds = kindsBehind(c.ask, finalizer);
  if (kinds === undefined) return '';
  return kinds.length === 0
    ? '; nothing of that domain is installed here any more'
    : `, which looks after ${kinds.slice(0, 3).join(', ')}`;
}

function evidenceOf({ claim }: PresentClaim, foreign: readonly string[]): Explanation['evidence'] {
  const owners = (claim.metadata.ownerReferences ?? []).filter(({ kind, name }) => kind && name);
  return [
    ...deletionEvidence(claim),
    ...foreign.flatMap((name) => writtenBy(claim, name)),
    ...owners.slice(0, 2).map(({ kind, name }) => note(claim, `is owned by ${kind ?? ''} ${name ?? ''}`)),
  ];
}
