import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { resizerOf, storageResizerAnnotation } from './expansion.ts';
import { explainSilence, isForResizer } from './silent-resizer.ts';

/** CSI migration: the volume controller hands an in-tree volume over to the CSI driver's resizer by an annotation. */
export const resizeMigratedWaiting = claimRule({
  cause: 'resize-migrated-waiting',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const { driver, isMigrated } = resizerOf(c);
    if (!isMigrated || driver === undefined || !isForResizer(c)) return undefined;
    const silence = explainSilence(c, driver);
    if (!silence) return undefined;
    return {
      ...silence,
      summary: `pv/${c.volumeName} is an in-tree volume, and since CSI migration only ${driver} can grow it. ${silence.summary}`,
      evidence: withAnnotation(c, silence.evidence),
    };
  },
});

function withAnnotation(c: PresentClaim, [first, ...rest]: EvidenceList): EvidenceList {
  const value = c.annotation(storageResizerAnnotation) ?? 'not set';
  return [first, field(c.claim, `metadata.annotations[${storageResizerAnnotation}]`, value), ...rest];
}
