import type { Evidence } from '../../report/report.ts';
import type { Kind, ObjectOf } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import { absent, field } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { installApi } from './install.ts';
import { ruleForBoth } from './snapshot-rule.ts';

const group = 'snapshot.storage.k8s.io';
const kinds = ['VolumeSnapshot', 'VolumeSnapshotContent', 'VolumeSnapshotClass'] as const satisfies readonly Kind[];

type SnapshotKind = (typeof kinds)[number];

/**
 * The snapshot controller exits when one of the three kinds is not served in v1 (ensureCustomResourceDefinitionsExist).
 */
export const snapCrdsMissing = ruleForBoth({
  cause: 'snap-crds-missing',
  severity: 'blocking',
  explain(s) {
    const missing = kinds.flatMap((kind) => findMissingKind(s, kind) ?? []);
    const [first, ...others] = missing;
    if (!first) return undefined;
    const names = missing.map(({ kind }) => kind);
    return {
      about: group,
      summary:
        `The snapshot API is ${names.length < kinds.length ? 'incomplete' : 'not installed'}: ` +
        `the cluster does not serve ${nameAll(names)} in ${group}/v1. No snapshot can be taken.`,
      evidence: [first.evidence, ...others.map(({ evidence }) => evidence)],
      fix: [installApi],
    };
  },
});

interface MissingKind {
  readonly kind: SnapshotKind;
  readonly evidence: Evidence;
}

/** A live server reports it; in a dump the definitions show it, if the dump has any of the group. */
function findMissingKind(s: SnapshotCase, kind: SnapshotKind): MissingKind | undefined {
  const { coverage } = s.ask.graph;
  const name = `${resourceOf(kind).name}.${group}`;
  const definitions = s.ask.seen('CustomResourceDefinition').filter(({ spec }) => spec?.group === group);
  const definition = definitions.find(({ metadata }) => metadata.name === name);
  if (definition) {
    const evidence = findUnservedVersion(definition);
    return evidence && { kind, evidence };
  }
  const isUndefined = definitions.length > 0 && coverage.answers('CustomResourceDefinition', {});
  return coverage.of(kind, {}).state === 'absentApi' || isUndefined || isAbsentByName(s, kind)
    ? { kind, evidence: absent('CustomResourceDefinition', name) }
    : undefined;
}

function findUnservedVersion(definition: ObjectOf<'CustomResourceDefinition'>): Evidence | undefined {
  const versions = definition.spec?.versions;
  if (!versions || versions.some(({ name, served }) => name === 'v1' && served !== false)) return undefined;
  return field(definition, 'spec.versions', versions.map(({ name }) => name).join(', ') || 'none');
}

/** A read of a single object by its name shows it too. */
function isAbsentByName(s: SnapshotCase, kind: SnapshotKind): boolean {
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
    case 'VolumeSnapshotClass':
      return s.classLookup?.state === 'missing' && coverage.of(kind, { name: s.className ?? '' }).state === 'absentApi';
  }
}
