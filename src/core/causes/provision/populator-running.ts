import type { KubeEvent } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { sourceEvidence } from './data-source.ts';
import { findFailure } from './populator-failed.ts';
import { findMissingSource } from './populator-source-missing.ts';
import { isRecent, populationOf } from './populator.ts';
import type { Population } from './populator.ts';

/** The populator is at work: the claim gets its volume when it is done. */
export const populatorRunning = claimRule({
  cause: 'populator-running',
  stage: 'provision',
  severity: 'info',
  explain(c) {
    const population = populationOf(c);
    if (!population || findMissingSource(c, population) || findFailure(c, population)) return undefined;
    const last = population.events.findLast((event) => isRecent(c, event));
    if (!isAtWork(c, population, last)) return undefined;
    const { source } = population;
    return {
      severity: 'info',
      confidence: population.prime.items.length > 0 ? 'certain' : 'likely',
      summary:
        `A populator is filling the volume of ${claimText(c)} from ${source.kind} ` +
        `"${source.name}"${durationText(c, population)}. This is expected; the claim binds when it is done.`,
      evidence: evidenceOf(c, population, last),
      fix: [],
    };
  },
});

/** By what the populator left behind; where claims cannot be read, its finalizer on the claim is enough. */
function isAtWork(c: PresentClaim, { prime, pod }: Population, last: KubeEvent | undefined): boolean {
  if (prime.items.length > 0 || pod || last) return true;
  const finalizers = c.claim.metadata.finalizers ?? [];
  return !prime.complete && finalizers.some((finalizer) => finalizer.endsWith('/populate-target-protection'));
}

function durationText(c: PresentClaim, { pod, prime }: Population): string {
  const since = parseTime((pod ?? prime.items[0])?.metadata.creationTimestamp);
  return since === undefined ? '' : ` (for ${ageText(since, c.now)})`;
}

function evidenceOf(
  c: PresentClaim,
  { source, prime, pod }: Population,
  last: KubeEvent | undefined,
): Explanation['evidence'] {
  return [
    sourceEvidence(c, source),
    ...prime.items.slice(0, 1).map((claim) => field(claim, 'status.phase')),
    ...(pod ? [field(pod, 'status.phase')] : []),
    ...(last ? [eventSaid(c.claim, last)] : []),
  ];
}
