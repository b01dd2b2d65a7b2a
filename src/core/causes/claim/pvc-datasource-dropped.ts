import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { deleteClaimCommand } from './delete-claim.ts';

const appliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

interface AppliedSource {
  readonly field: 'dataSource' | 'dataSourceRef';
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The API server drops such a source without a word (pkg/api/persistentvolumeclaim util.go DropDisabledFields): the volume comes out empty. */
export const pvcDatasourceDropped = claimRule({
  cause: 'pvc-datasource-dropped',
  stage: 'claim',
  severity: 'warning',
  explain(c) {
    if (c.claim.spec?.dataSource ?? c.claim.spec?.dataSourceRef) return undefined;
    const source = appliedSource(c.annotation(appliedAnnotation) ?? '');
    if (!source) return undefined;
    const outcome = c.isBound ? 'so its volume was made empty' : 'so its volume will be empty';
    return {
      confidence: 'likely',
      summary: `the claim was applied with ${source.field} ${source.kind}/${source.name} and has no source now: ${reasonOf(source)}, ${outcome}`,
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
    if (typeof kind === 'string' && typeof named === 'string')
      return {
        field: name,
        kind,
        name: named,
        namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
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
    ? 'dataSource takes only a PersistentVolumeClaim or a VolumeSnapshot'
    : 'the server does not take dataSourceRef';
}

function appliedEvidence(c: PresentClaim, source: AppliedSource): Evidence {
  const place = source.namespace === undefined ? '' : ` in namespace ${source.namespace}`;
  const applied = `spec.${source.field}: ${source.kind}/${source.name}${place}`;
  return field(c.claim, `metadata.annotations[${appliedAnnotation}]`, applied);
}

function advise(c: PresentClaim, source: AppliedSource): Fix {
  const how =
    source.namespace === undefined
      ? 'name the source in dataSourceRef'
      : 'have the feature gate enabled, or copy the source into the namespace';
  const text = `${how}, then make the claim again; what was written to it since is lost with it`;
  return c.isBound
    ? fix(`data-loss: ${text}`, deleteClaimCommand(c), 'data-loss')
    : fix(text, deleteClaimCommand(c), 'disruptive');
}
