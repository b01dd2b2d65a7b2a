import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';

const appliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

interface AppliedSource {
  readonly field: 'dataSource' | 'dataSourceRef';
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly apiGroup: string | undefined;
}

/**
 * The API server drops such a source without a word (pkg/api/persistentvolumeclaim util.go DropDisabledFields): the
 * volume comes out empty.
 */
export const pvcDatasourceDropped = claimRule({
  cause: 'pvc-datasource-dropped',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    if (c.claim.spec?.dataSource ?? c.claim.spec?.dataSourceRef) return undefined;
    const source = appliedSource(c.annotation(appliedAnnotation) ?? '');
    if (!source) return undefined;
    const outcome = c.isBound ? 'Its volume was created empty.' : 'Its volume will be empty.';
    return {
      confidence: 'likely',
      summary:
        `${claimText(c)} was applied with ${source.field} ${source.kind} "${source.name}", and the API server ` +
        `dropped it: ${reasonOf(source)}. ${outcome}`,
      evidence: [
        appliedEvidence(c, source),
        field(c.claim, 'spec.dataSource', 'not set'),
        field(c.claim, 'spec.dataSourceRef', 'not set'),
      ],
      fix: [advise(c, source)],
    };
  },
});

/** What the user applied. An annotation may hold anything, so every step is checked. */
function appliedSource(text: string): AppliedSource | undefined {
  if (!text.includes('dataSource')) return undefined;
  const spec = member(parseJson(text), 'spec');
  for (const name of ['dataSourceRef', 'dataSource'] as const) {
    const source = member(spec, name);
    const kind = member(source, 'kind');
    const named = member(source, 'name');
    const namespace = member(source, 'namespace');
    const apiGroup = member(source, 'apiGroup');
    if (typeof kind === 'string' && typeof named === 'string')
      return {
        field: name,
        kind,
        name: named,
        namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
        apiGroup: typeof apiGroup === 'string' && apiGroup !== '' ? apiGroup : undefined,
      };
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function reasonOf(source: AppliedSource): string {
  if (source.namespace !== undefined)
    return 'a source in another namespace needs the feature gate CrossNamespaceVolumeDataSource';
  return source.field === 'dataSource'
    ? 'dataSource accepts only a PersistentVolumeClaim or a VolumeSnapshot'
    : 'this server does not accept dataSourceRef';
}

function appliedEvidence(c: PresentClaim, source: AppliedSource): Evidence {
  const place = source.namespace === undefined ? '' : ` in namespace ${source.namespace}`;
  const applied = `spec.${source.field}: ${source.kind}/${source.name}${place}`;
  return field(c.claim, `metadata.annotations[${appliedAnnotation}]`, applied);
}

/** A source in another namespace needs a feature gate, or a copy; any other kind belongs into dataSourceRef. */
function advise(c: PresentClaim, source: AppliedSource): Fix {
  const reference = {
    ...(source.apiGroup !== undefined && { apiGroup: source.apiGroup }),
    kind: source.kind,
    name: source.name,
  };
  const how =
    source.namespace === undefined
      ? `with dataSourceRef ${source.kind} "${source.name}"`
      : `with dataSourceRef ${source.kind} "${source.name}", once a copy of it exists in namespace ${c.namespace}`;
  const change = { spec: { dataSourceRef: reference } };
  if (!c.isBound) return recreateClaim(c, how, change, 'Its volume is then filled from the source.');
  return steps(
    `Stop the pods of the claim and recreate it ${how}. ` +
      'Its present volume, with what was written to it since, is deleted if its policy is Delete.',
    recreateCommands(c.claim, { spec: { volumeName: null, ...change.spec } }),
    'data-loss',
  );
}
