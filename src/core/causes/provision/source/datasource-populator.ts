import { newestMatch } from '../../../graph/events.ts';
import { eventSaid, field, fix, note } from '../../../facts/evidence.ts';
import type { PresentClaim } from '../../../facts/claim/claim-case.ts';
import { claimRule } from '../../lib/rule.ts';
import { waitedSeconds } from '../provisioner.ts';
import { dataSourceOf, isPopulated, rulesOf, sourceEvidence } from './data-source.ts';
import type { DataSource, Outcome } from './data-source.ts';
import { judgePopulator, hasShownItself } from './populator-state.ts';
import { kindIsInstalled, populationOf } from './populator.ts';
import { remakeFix } from './remake.ts';

/** Before that a populator may simply not have come to it (the grace of provisioning). */
const graceSeconds = 120;

/** The provisioner leaves the claim to a populator (prepareProvision), and none takes it up. */
function judgeAbsence(c: PresentClaim): Outcome | undefined {
  const population = populationOf(c);
  if (!population || hasShownItself(c, population) || waitedSeconds(c) < graceSeconds) return undefined;
  const { source, prime } = population;
  const said = newestMatch(c.events.items, 'Provisioning', /Assuming an external populator will provision the volume/);
  const isInstalled = kindIsInstalled(c, source);
  const nothing = `no populator works on the claim: there is no pvc prime-${c.claim.metadata.uid ?? ''} in any namespace`;
  return {
    cause: 'datasource-populator-missing',
    // A populator that misses its source makes no claim of its own either, and only says so.
    confidence: prime.complete
      ? c.events.complete
        ? 'certain'
        : 'likely'
      : said && c.events.complete
        ? 'likely'
        : 'possible',
    about: `${source.group}/${source.kind}`,
    summary: `the volume is to be filled from ${nameOf(source)}, and no populator for that kind has taken the claim up${isInstalled === false ? ': the kind is not even installed' : ''}`,
    evidence: [
      sourceEvidence(c, source),
      ...(prime.complete ? [note(c.claim, nothing)] : []),
      ...(isInstalled === false
        ? [note(c.claim, `no CustomResourceDefinition for ${source.kind} in group ${source.group} was found`)]
        : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      fix(
        `look for the populator for ${source.kind} (${source.group || 'core'}), and install or repair it`,
        'kubectl get pods -A | grep -i populat',
      ),
      remakeFix(c, 'without the data source, or from a snapshot or a claim'),
    ],
  };
}

function nameOf(source: DataSource): string {
  return `${source.kind} ${source.name}`;
}

/** volume-data-source-validator: only where it runs does anybody look at the registrations. */
export const populatorUnregistered = claimRule({
  cause: 'datasource-populator-unregistered',
  stage: 'provision',
  severity: 'warning',
  explain(c) {
    const source = dataSourceOf(c);
    if (!source || !isPopulated(source) || c.isBound) return undefined;
    const registered = c.ask.list('VolumePopulator', undefined, `whether a populator for ${source.kind} is registered`);
    const isRegistered = registered.items.some(
      ({ sourceKind }) => sourceKind?.kind === source.kind && (sourceKind.group ?? '') === source.group,
    );
    const said = newestMatch(
      c.events.items,
      'UnrecognizedDataSourceKind',
      /does not match any registered VolumePopulator/,
    );
    if (isRegistered || (!said && (!registered.complete || registered.items.length === 0))) return undefined;
    return {
      confidence: registered.complete ? 'certain' : 'likely',
      about: `${source.group}/${source.kind}`,
      summary: `no VolumePopulator is registered for ${source.kind} of ${source.group || 'the core group'}: misspelt, or its populator is not installed`,
      evidence: [
        sourceEvidence(c, source),
        ...registered.items
          .slice(0, 5)
          .map((populator) =>
            field(populator, 'sourceKind', `${populator.sourceKind?.group ?? ''}/${populator.sourceKind?.kind ?? ''}`),
          ),
        ...(said ? [eventSaid(c.claim, said.event)] : []),
      ],
      fix: [
        fix(
          'look which populators are registered, and register this one, or correct the kind and group of the data source',
          'kubectl get volumepopulators',
        ),
      ],
    };
  },
});

export const populatorRules = [
  ...rulesOf(['populator-source-missing', 'populator-failed'], judgePopulator),
  ...rulesOf(['populator-running'], judgePopulator).map((rule) => ({ ...rule, severity: 'info' as const })),
  // Before the proof that nobody came, after which nothing more is asked.
  populatorUnregistered,
  ...rulesOf(['datasource-populator-missing'], judgeAbsence),
];
