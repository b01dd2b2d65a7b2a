import type { Evidence } from '../../report/report.ts';
import type { Kind } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { ruleForBoth } from './snapshot-rule.ts';

const kinds = ['VolumeSnapshot', 'VolumeSnapshotContent', 'VolumeSnapshotClass'] as const satisfies readonly Kind[];

/** The snapshot controller ends itself when one of the three kinds is not served in v1 (cmd/snapshot-controller ensureCustomResourceDefinitionsExist). */
export const snapCrdsMissing = ruleForBoth({
  cause: 'snap-crds-missing',
  severity: 'blocking',
  explain(s) {
    const missing = kinds.flatMap((kind) => missingKind(s, kind));
    const [first, ...others] = missing;
    if (!first) return undefined;
    const names = missing.map(({ kind }) => kind);
    return {
      about: 'snapshot.storage.k8s.io',
      summary: `the snapshot API is not${names.length < kinds.length ? ' wholly' : ''} installed: the cluster does not serve ${names.join(', ')} in snapshot.storage.k8s.io/v1, so no snapshot can be taken`,
      evidence: [first.evidence, ...others.map(({ evidence }) => evidence)],
      fix: [
        fix(
          'install the CRDs of external-snapshotter, then the snapshot controller',
          'kubectl get crd | grep snapshot.storage.k8s.io',
        ),
      ],
    };
  },
});

/** The server says so; in a dump the definitions tell, if the dump holds those of the group at all. */
function missingKind(
  s: SnapshotCase,
  kind: (typeof kinds)[number],
): { readonly kind: string; readonly evidence: Evidence }[] {
  const { coverage } = s.ask.graph;
  const name = `${resourceOf(kind).name}.snapshot.storage.k8s.io`;
  const definitions = s.ask
    .seen('CustomResourceDefinition')
    .filter(({ spec }) => spec?.group === 'snapshot.storage.k8s.io');
  const definition = definitions.find(({ metadata }) => metadata.name === name);
  const isServed = definition?.spec?.versions?.some((version) => version.name === 'v1' && version.served !== false);
  if (definition?.spec?.versions && !isServed)
    return [
      {
        kind,
        evidence: field(
          definition,
          'spec.versions',
          definition.spec.versions.map((version) => version.name).join(', ') || 'none',
        ),
      },
    ];
  if (definition) return [];
  const isUndefined = definitions.length > 0 && coverage.answers('CustomResourceDefinition', {});
  return coverage.of(kind, {}).state === 'absentApi' || isUndefined || isAbsentHere(s, kind)
    ? [{ kind, evidence: absent('CustomResourceDefinition', name) }]
    : [];
}

/** What was read by name tells as well. */
function isAbsentHere(s: SnapshotCase, kind: (typeof kinds)[number]): boolean {
  const { coverage } = s.ask.graph;
  const { name, namespace } = s.subject.metadata;
  switch (kind) {
    case 'VolumeSnapshot':
      return (
        s.subject.kind === kind &&
        coverage.of(kind, { ...(namespace !== undefined && { namespace }), name }).state === 'absentApi'
      );
    case 'VolumeSnapshotContent':
      return s.contentLookup !== undefined && coverage.of(kind, { name: s.contentName ?? '' }).state === 'absentApi';
    default:
      return s.classLookup?.state === 'missing' && coverage.of(kind, { name: s.className ?? '' }).state === 'absentApi';
  }
}
