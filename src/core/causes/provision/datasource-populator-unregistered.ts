import type { ObjectOf } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { dataSourceOf, isPopulated, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { noPopulatorText } from '../lib/driver-error/sentences/provisioner.ts';

const mostShown = 5;

/** Only the volume-data-source-validator looks at the registrations; a populator works without one. */
export const datasourcePopulatorUnregistered = claimRule({
  cause: 'datasource-populator-unregistered',
  stage: 'provision',
  severity: 'warning',
  explain(c) {
    const source = dataSourceOf(c);
    if (!source || !isPopulated(source) || c.isBound) return undefined;
    const populators = c.ask.list('VolumePopulator', undefined, `whether a populator for ${source.kind} is registered`);
    const said = newestMatch(c.events.items, 'UnrecognizedDataSourceKind', noPopulatorText);
    // Where nothing is registered at all, registrations are not in use.
    const isChecked = said !== undefined || (populators.complete && populators.items.length > 0);
    if (!isChecked || populators.items.some((populator) => isFor(populator, source))) return undefined;
    return {
      confidence: populators.complete ? 'certain' : 'likely',
      about: `${source.group}/${source.kind}`,
      summary:
        `No VolumePopulator is registered for ${source.kind} (API group ${source.group || 'core'}), from which ` +
        `${claimText(c)} is to be filled. The kind is misspelt, or its populator is not ` +
        'installed or not registered.',
      evidence: [
        sourceEvidence(c, source),
        ...populators.items.slice(0, mostShown).map(registeredKind),
        ...saidOnClaim(c, said),
      ],
      fix: [register(source)],
    };
  },
});

function register({ group, kind }: DataSource): Fix {
  const manifest = {
    apiVersion: 'populator.storage.k8s.io/v1beta1',
    kind: 'VolumePopulator',
    metadata: { name: `${kind.toLowerCase()}-populator` },
    sourceKind: { group, kind },
  };
  return steps(
    `If a populator for ${kind} is installed, register it. A populator works without the registration; the validator then stops warning.`,
    [applyCommand(manifest)],
  );
}

function isFor({ sourceKind }: ObjectOf<'VolumePopulator'>, source: DataSource): boolean {
  return sourceKind?.kind === source.kind && (sourceKind.group ?? '') === source.group;
}

function registeredKind(populator: ObjectOf<'VolumePopulator'>): Evidence {
  const { group = '', kind = '' } = populator.sourceKind ?? {};
  return field(populator, 'sourceKind', `${group}/${kind}`);
}
