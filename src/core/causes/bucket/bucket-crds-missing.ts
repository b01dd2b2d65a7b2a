import type { Evidence } from '../../report/report.ts';
import type { Kind, ObjectOf } from '../../kube/kinds.ts';
import { resourceOf } from '../../kube/resources.ts';
import { absent, field } from '../../facts/evidence.ts';
import { apiGroup } from '../../facts/bucket/versions.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { installBucketApi } from './bucket-install.ts';

const cause = 'bucket-crds-missing';
const kinds = [
  'BucketClaim',
  'Bucket',
  'BucketClass',
  'BucketAccess',
  'BucketAccessClass',
] as const satisfies readonly Kind[];

type Subject = ObjectCase<'BucketClaim'> | ObjectCase<'BucketAccess'> | ObjectCase<'Bucket'>;

/** Controller and sidecars list all five kinds in one version, and do nothing until each is served in it. */
function explain({ ask, object }: Subject): Explanation | undefined {
  const missing = kinds.flatMap((kind) => findMissingKind(ask, kind) ?? []);
  const [first, ...others] = missing;
  if (!first) return explainMixture(ask, object);
  const names = missing.map(({ kind }) => kind);
  return {
    about: apiGroup,
    summary:
      `The API for object storage (COSI) is ${isPartlyServed(ask) ? 'incomplete' : 'not installed'}: ` +
      `the cluster does not serve ${nameAll(names)} in ${apiGroup}. No bucket can be created.`,
    evidence: [first.evidence, ...others.map(({ evidence }) => evidence)],
    fix: [installBucketApi(object, 'the CRDs and the controller')],
  };
}

export const bucketCrdsMissing = [
  objectRule('BucketClaim', { cause, stage: 'claim', severity: 'blocking', explain }),
  objectRule('BucketAccess', { cause, stage: 'claim', severity: 'blocking', explain }),
  objectRule('Bucket', { cause, stage: 'provision', severity: 'blocking', explain }),
];

/** Some of the kinds are known to be there. */
function isPartlyServed(ask: Inquiry): boolean {
  return definitionsOf(ask).length > 0 || kinds.some((kind) => ask.seen(kind).length > 0);
}

interface MissingKind {
  readonly kind: Kind;
  readonly evidence: Evidence;
}

/** A live server reports it; in a dump the definitions show it, if the dump has any of the group. */
function findMissingKind(ask: Inquiry, kind: Kind): MissingKind | undefined {
  const { coverage } = ask.graph;
  const name = `${resourceOf(kind).name}.${apiGroup}`;
  const definitions = definitionsOf(ask);
  if (definitions.some(({ metadata }) => metadata.name === name) || ask.seen(kind).length > 0) return undefined;
  const isUndefined = definitions.length > 0 && coverage.answers('CustomResourceDefinition', {});
  return coverage.of(kind, {}).state === 'absentApi' || isUndefined
    ? { kind, evidence: absent('CustomResourceDefinition', name) }
    : undefined;
}

function definitionsOf(ask: Inquiry): readonly ObjectOf<'CustomResourceDefinition'>[] {
  return ask.seen('CustomResourceDefinition').filter(({ spec }) => spec?.group === apiGroup);
}

function readDefinition(ask: Inquiry, kind: Kind): readonly ObjectOf<'CustomResourceDefinition'>[] {
  const name = `${resourceOf(kind).name}.${apiGroup}`;
  const lookup = ask.get('CustomResourceDefinition', undefined, name, `in which versions ${kind} is served`);
  return lookup.state === 'found' ? [lookup.object] : [];
}

/** CRDs of two releases: a controller reads one version only, and the kinds of the other do not exist for it. */
function explainMixture(ask: Inquiry, object: Subject['object']): Explanation | undefined {
  const own = object.apiVersion;
  // A controller that has taken the object up reads its kinds; definitions are large, and read one by one only where it has not.
  const isTaken = (object.metadata.finalizers ?? []).length > 0;
  const definitions = isTaken ? definitionsOf(ask) : kinds.flatMap((kind) => readDefinition(ask, kind));
  const odd = definitions.filter(({ spec }) => !spec?.versions?.some(isServedIn(own)));
  const [first, ...others] = odd;
  if (!first || own === undefined || !definitions.some(({ spec }) => spec?.versions?.some(isServedIn(own))))
    return undefined;
  return {
    about: apiGroup,
    summary:
      'The API for object storage (COSI) is installed in two versions that do not work together: ' +
      `${nameAll(odd.map(({ spec, metadata }) => spec?.names?.kind ?? metadata.name))} ` +
      `${odd.length === 1 ? 'is' : 'are'} not served in ${own}, in which ${object.kind} ` +
      `"${object.metadata.name}" is read.`,
    evidence: [versionsOf(first), ...others.map(versionsOf)],
    fix: [installBucketApi(object, 'the CRDs and the controller of one version')],
  };
}

function isServedIn(apiVersion: string | undefined) {
  return ({ name, served }: { readonly name?: string; readonly served?: boolean }): boolean =>
    served !== false && `${apiGroup}/${name ?? ''}` === apiVersion;
}

function versionsOf(definition: ObjectOf<'CustomResourceDefinition'>): Evidence {
  const names = (definition.spec?.versions ?? []).map(({ name }) => name).join(', ');
  return field(definition, 'spec.versions', names || 'none');
}
