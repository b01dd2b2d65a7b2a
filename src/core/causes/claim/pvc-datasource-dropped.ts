import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';

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
    const text = c.annotation(appliedAnnotation);
    const source = text === undefined ? undefined : appliedSource(text);
    if (!source) return undefined;
    const why =
      source.namespace !== undefined
        ? 'a source in another namespace needs the feature gate CrossNamespaceVolumeDataSource'
        : source.field === 'dataSource'
          ? 'dataSource takes only a PersistentVolumeClaim or a VolumeSnapshot'
          : 'the server does not take dataSourceRef';
    const outcome = c.isBound ? 'so its volume was made empty' : 'so its volume will be empty';
    return {
      confidence: 'likely',
      summary: `the claim was applied with ${source.field} ${source.kind}/${source.name} and has no source now: ${why}, ${outcome}`,
      evidence: [
        field(
          c.claim,
          `metadata.annotations[${appliedAnnotation}]`,
          `spec.${source.field}: ${source.kind}/${source.name}${source.namespace === undefined ? '' : ` in namespace ${source.namespace}`}`,
        ),
        field(c.claim, 'spec.dataSource', 'not set'),
        field(c.claim, 'spec.dataSourceRef', 'not set'),
      ],
      fix: [
        fix(
          `${source.namespace === undefined ? 'name the source in dataSourceRef' : 'have the feature gate enabled, or copy the source into the namespace'}, then make the claim again; what was written to it since is lost with it`,
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          c.isBound ? 'data-loss' : 'disruptive',
        ),
      ].map((step) => (step.risk === 'data-loss' ? { ...step, text: `data-loss: ${step.text}` } : step)),
    };
  },
});

/** What the user wrote; anyone can write anything into an annotation, so every step is checked. */
function appliedSource(text: string): AppliedSource | undefined {
  if (!text.includes('dataSource')) return undefined;
  let applied: unknown;
  try {
    applied = JSON.parse(text);
  } catch {
    return undefined;
  }
  const spec = member(applied, 'spec');
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

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
