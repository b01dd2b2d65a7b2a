import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { newestMatch } from '../../graph/events.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { resizerOf, storageResizerAnnotation } from './expansion.ts';
import { explainSilence, isForResizer } from './silent-resizer.ts';
import { inTreeResizeText } from '../lib/driver-error/sentences/resizer.ts';

/** CSI migration: the volume controller hands an in-tree volume over to the CSI driver's resizer by an annotation. */
export const resizeMigratedWaiting = claimRule({
  cause: 'resize-migrated-waiting',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const { driver, isMigrated } = resizerOf(c);
    if (!isMigrated || driver === undefined || !isForResizer(c) || hasInTreeAnswered(c)) return undefined;
    const silence = explainSilence(c, driver);
    if (!silence) return undefined;
    return {
      ...silence,
      summary: `pv/${c.volumeName} is an in-tree volume, and since CSI migration only ${driver} can grow it. ${silence.summary}`,
      evidence: withAnnotation(c, silence.evidence),
    };
  },
});

/** The volume controller calls the in-tree plugin itself: the volume is not handed over (expand_controller.go). */
function hasInTreeAnswered({ events, claim }: PresentClaim): boolean {
  if (claim.metadata.annotations?.[storageResizerAnnotation] !== undefined) return false;
  return newestMatch(events.items, 'VolumeResizeFailed', inTreeResizeText) !== undefined;
}

function withAnnotation(c: PresentClaim, [first, ...rest]: EvidenceList): EvidenceList {
  const value = c.annotation(storageResizerAnnotation) ?? 'not set';
  return [first, field(c.claim, `metadata.annotations[${storageResizerAnnotation}]`, value), ...rest];
}
