import type { Diagnosis } from '../../core/engine/diagnose.ts';

/** A prediction is worth a moment, not a whole rehearsal: each round is a wait for a distant server. */
const mostRounds = { near: 6, distant: 4 };

/**
 * Adds to a diagnosis what has to be read to state the outcome of its fixes. Once the causes are certain, that is read
 * together with what the diagnosis still needs, and afterwards for a few rounds. A round costs nothing where the server
 * is near: there, fixes are played through when the diagnosis is complete, which often shows that the cluster is too
 * large for it.
 */
export function foreseer(isDistant: () => boolean = () => true): (diagnosis: Diagnosis) => Promise<Diagnosis> {
  let rounds = 0;
  return async (diagnosis) => {
    const isComplete = diagnosis.needs.length === 0;
    const limit = isDistant() ? mostRounds.distant : mostRounds.near;
    if (rounds >= limit || !showsFixes(diagnosis) || !(isComplete || isCertain(diagnosis))) return diagnosis;
    if (isComplete) rounds += 1;
    const { needsOfFixes, namesForFixes } = await import('../../core/engine/fixes/fix-needs.ts');
    const needs = isComplete || isDistant() ? needsOfFixes(diagnosis) : namesForFixes(diagnosis);
    return { ...diagnosis, needs: [...diagnosis.needs, ...needs] };
  };
}

/** Of more stuck objects than this a table of causes is printed, and no fix. */
const mostItems = 3;

function showsFixes({ report }: Diagnosis): boolean {
  const { blocked } = report.summary;
  return blocked > 0 && blocked <= mostItems;
}

/** What else is read seldom changes a cause that the objects prove. */
function isCertain({ report }: Diagnosis): boolean {
  return report.items
    .filter(({ status }) => status === 'blocked')
    .every(({ findings }) => findings.some(({ role, confidence }) => role === 'cause' && confidence === 'certain'));
}
