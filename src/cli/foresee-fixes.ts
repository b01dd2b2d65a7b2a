import type { Diagnosis } from '../core/engine/diagnose.ts';

/** A prediction is worth a moment, not the wait for a whole rehearsal: each round is a wait for the server. */
const mostRounds = 4;

/** Adds to a diagnosis that is complete what has to be read to say what its fixes lead to, for a few rounds. */
export function foreseer(): (diagnosis: Diagnosis) => Promise<Diagnosis> {
  let rounds = 0;
  return async (diagnosis) => {
    if (diagnosis.needs.length > 0 || rounds >= mostRounds) return diagnosis;
    rounds += 1;
    const { needsOfFixes } = await import('../core/engine/fixes/fix-needs.ts');
    return { ...diagnosis, needs: needsOfFixes(diagnosis) };
  };
}
