import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { note } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { deletedWords, holdingFinalizersOf, policyEvidence, waitAtFirst } from './claim-deletion.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';
import { removeFinalizerFix, startControllerFix } from './finalizer-fixes.ts';
import {
  cloningProtection,
  deletionEvidence,
  isOfGarbageCollector,
  kindsBehind,
  populatorSuffix,
  pvcProtection,
  snapshotSourceProtection,
  waitWords,
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
      summary: `${deletedWords(c)} and ${waitWords(finalizer)}${traceWords(c, finalizer)}`,
      evidence: evidenceOf(c, foreign),
      fix: fixesFor(c, finalizer),
    };
  },
});

function fixesFor(c: PresentClaim, finalizer: string): Fix[] {
  const volume = volumeAtRisk(c);
  const start = startControllerFix(c.ask, finalizer, 'It then removes the finalizer, and the claim goes.');
  const repair = dataFirst(volume, [start], 'Its volume is then deleted with the data.');
  if (isOfGarbageCollector(finalizer)) return repair;
  return [...repair, removeFinalizerFix(c.claim, finalizer, volume, 'its controller was uninstalled for good')];
}

/** What is installed of the controller's API group. */
function traceWords(c: PresentClaim, finalizer: string): string {
  const kinds = kindsBehind(c.ask, finalizer);
  if (kinds === undefined) return '';
  return kinds.length === 0
    ? ' No CustomResourceDefinition of that domain exists here, so the controller may have been uninstalled.'
    : ` Its CustomResourceDefinitions exist: ${kinds.slice(0, 3).join(', ')}.`;
}

function evidenceOf(c: PresentClaim, foreign: readonly string[]): Explanation['evidence'] {
  const { claim } = c;
  const owners = (claim.metadata.ownerReferences ?? []).filter(({ kind, name }) => kind && name);
  return [
    ...deletionEvidence(claim),
    ...foreign.flatMap((name) => writtenBy(claim, name)),
    ...owners.slice(0, 2).map(({ kind, name }) => note(claim, `is owned by ${kind ?? ''} ${name ?? ''}`)),
    ...policyEvidence(c),
  ];
}
