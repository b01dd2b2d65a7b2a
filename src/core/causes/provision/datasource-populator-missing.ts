import type { Workload } from '../../facts/driver/driver-pods.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { sourceEvidence } from './data-source.ts';
import { isRecent, kindIsInstalled, populationOf } from './populator.ts';
import type { Population } from './populator.ts';
import type { DataSource } from './data-source.ts';
import { waitedSeconds } from './provisioner.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';
import { leftToPopulatorText } from '../lib/driver-error/sentences/provisioner.ts';

/** Before that a populator may simply not have come to the claim yet. */
const graceSeconds = 120;

/** The provisioner leaves the claim to a populator (prepareProvision), and none takes it up. */
export const datasourcePopulatorMissing = claimRule({
  cause: 'datasource-populator-missing',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const population = populationOf(c);
    if (!population || hasShownItself(c, population)) return undefined;
    const { source } = population;
    // A kind that the cluster does not know has no populator either; any other may have one that has not come to the claim yet.
    const isUninstalled = kindIsInstalled(c, source) === false;
    if (!isUninstalled && waitedSeconds(c) < graceSeconds) return undefined;
    const said = newestMatch(c.events.items, 'Provisioning', leftToPopulatorText);
    return {
      confidence: confidenceOf(c, population, said),
      about: `${source.group}/${source.kind}`,
      summary:
        `The volume of ${claimText(c)} is to be filled from ${source.kind} "${source.name}", and no ` +
        'populator for that kind has acted on the ' +
        `claim.${isUninstalled ? ` The cluster does not know the kind ${source.kind} (${source.group}).` : ''}`,
      evidence: evidenceOf(
        c,
        population,
        isUninstalled,
        said ?? newestMatch(c.events.items, 'UnrecognizedDataSourceKind', /^/),
      ),
      fix: [startPopulator(c, source), recreateWithout(c)],
    };
  },
});

/** A populator that is deployed and scaled down is named; otherwise there is none to start. */
function startPopulator(c: PresentClaim, { kind, group }: DataSource): Fix {
  const idle = (['Deployment', 'StatefulSet'] as const)
    .flatMap((each): readonly Workload[] => c.ask.seen(each))
    .filter(
      ({ metadata, spec }) => /populat/i.test(metadata.name) && spec && 'replicas' in spec && spec.replicas === 0,
    );
  const [only] = idle;
  if (only && idle.length === 1) {
    const { namespace, name } = only.metadata;
    const type = only.kind.toLowerCase();
    return fix(
      `Scale up ${type}/${name} in namespace ${namespace ?? ''}, which is scaled to 0, if it is the ` +
        `populator for ${kind}. The claim then continues automatically.`,
      `kubectl ${inNamespace(namespace)}scale ${type} ${shellWord(name)} --replicas=1`,
    );
  }
  return fix(
    `Install the populator for ${kind} (API group ${group || 'core'}), or repair it if it is deployed: its ` +
      'log then mentions this claim. The claim continues automatically.',
  );
}

function recreateWithout(c: PresentClaim): Fix {
  return recreateClaim(
    c,
    'without the data source, if an empty volume will do',
    sourceChange(c, null),
    'The new volume is empty.',
  );
}

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
  const noPrime = `no populator works on the claim: no pvc/prime-${c.claim.metadata.uid ?? ''} exists in any namespace`;
  const noKind = `no CustomResourceDefinition for ${source.kind} in group ${source.group} was found`;
  return [
    sourceEvidence(c, source),
    ...(prime.complete ? [note(c.claim, noPrime)] : []),
    ...(isUninstalled ? [note(c.claim, noKind)] : []),
    ...saidOnClaim(c, said),
  ];
}
