import type { Confidence } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, note } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { sourceEvidence } from './data-source.ts';
import { isRecent, kindIsInstalled, populationOf } from './populator.ts';
import type { Population } from './populator.ts';
import { waitedSeconds } from './provisioner.ts';
import { remakeClaim } from './remake-claim.ts';

/** Before that a populator may simply not have come to the claim yet. */
const graceSeconds = 120;

/** The provisioner leaves the claim to a populator (prepareProvision), and none takes it up. */
export const datasourcePopulatorMissing = claimRule({
  cause: 'datasource-populator-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const population = populationOf(c);
    if (!population || hasShownItself(c, population) || waitedSeconds(c) < graceSeconds) return undefined;
    const { source } = population;
    const said = newestMatch(
      c.events.items,
      'Provisioning',
      /Assuming an external populator will provision the volume/,
    );
    const isUninstalled = kindIsInstalled(c, source) === false;
    return {
      confidence: confidenceOf(c, population, said),
      about: `${source.group}/${source.kind}`,
      summary: `the volume is to be filled from ${source.kind} ${source.name}, and no populator for that kind has taken the claim up${isUninstalled ? ': the kind is not even installed' : ''}`,
      evidence: evidenceOf(c, population, isUninstalled, said),
      fix: [
        fix(
          `look for the populator for ${source.kind} (${source.group || 'core'}), and install or repair it`,
          'kubectl get pods -A | grep -i populat',
        ),
        remakeClaim(c, 'without the data source, or from a snapshot or a claim'),
      ],
    };
  },
});

/** A populator is there: it left objects behind, or reported something recently. */
function hasShownItself(c: PresentClaim, { prime, pod, events }: Population): boolean {
  return prime.items.length > 0 || pod !== undefined || events.some((event) => isRecent(c, event));
}

/** A populator that misses its source creates no claim either and only reports it, so the events count too. */
function confidenceOf(c: PresentClaim, { prime }: Population, said: EventMatch | undefined): Confidence {
  if (prime.complete) return c.events.complete ? 'certain' : 'likely';
  return said && c.events.complete ? 'likely' : 'possible';
}

function evidenceOf(
  c: PresentClaim,
  { source, prime }: Population,
  isUninstalled: boolean,
  said: EventMatch | undefined,
): Explanation['evidence'] {
  const noPrime = `no populator works on the claim: there is no pvc prime-${c.claim.metadata.uid ?? ''} in any namespace`;
  const noKind = `no CustomResourceDefinition for ${source.kind} in group ${source.group} was found`;
  return [
    sourceEvidence(c, source),
    ...(prime.complete ? [note(c.claim, noPrime)] : []),
    ...(isUninstalled ? [note(c.claim, noKind)] : []),
    ...saidOnClaim(c, said),
  ];
}
