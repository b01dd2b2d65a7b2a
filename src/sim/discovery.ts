import type { Wanted } from './accept.ts';
import { scalable } from './changes/scale.ts';
import { apiVersionOf } from './request-path.ts';
import type { ServedKind } from './served-kinds.ts';

const readingVerbs = ['get', 'list', 'watch'];
const allVerbs = ['create', 'delete', 'deletecollection', ...readingVerbs, 'patch', 'update'];

/** A server that takes no changes still lets a probe create and delete its pods. */
export function verbsOf(served: ServedKind, isWritable: boolean): readonly string[] {
  if (isWritable) return allVerbs;
  return served.kind === 'Pod' && served.group === ''
    ? ['create', 'delete', 'deletecollection', ...readingVerbs]
    : readingVerbs;
}

/**
 * Answers /api, /apis, /api/v1, /apis/GROUP and /apis/GROUP/VERSION; undefined for any other path or an unknown group.
 */
export function discover(
  path: string,
  kinds: readonly ServedKind[],
  wanted: Wanted,
  isWritable = false,
): Record<string, unknown> | undefined {
  const [root, group, version, ...beyond] = path.split('/').filter((segment) => segment !== '');
  if (beyond.length > 0) return undefined;
  if (root === 'api') {
    if (group === undefined)
      return wanted.form === 'discovery'
        ? aggregated([''], kinds, wanted.version, isWritable)
        : { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    return group === 'v1' && version === undefined ? resourceList('', 'v1', kinds, isWritable) : undefined;
  }
  if (root !== 'apis') return undefined;
  const groups = groupsOf(kinds);
  if (group === undefined) {
    if (wanted.form === 'discovery') return aggregated(groups, kinds, wanted.version, isWritable);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupOf(name, kinds)) };
  }
  if (!groups.includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, kinds) };
  return versionsOf(group, kinds).includes(version) ? resourceList(group, version, kinds, isWritable) : undefined;
}

/** Reviews of the user's own rights are created, and never stored. */
const accessReview = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
} as const;
const rulesReview = { plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' } as const;
const reviewsOf = (isWritable: boolean): readonly { readonly plural: string; readonly kind: string }[] =>
  isWritable ? [accessReview, rulesReview] : [accessReview];

interface Subresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** kubectl looks here before it scales or evicts. */
function subresourcesOf({ kind, group }: ServedKind): readonly Subresource[] {
  if (scalable.has(kind))
    return [
      { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
      { name: 'status', group, version: 'v1', kind, verbs: ['get', 'patch', 'update'] },
    ];
  if (kind === 'Pod')
    return [
      { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
      { name: 'log', group: '', version: 'v1', kind: 'Pod', verbs: ['get'] },
    ];
  return [];
}

function groupsOf(kinds: readonly ServedKind[]): string[] {
  return [...new Set([...kinds.map((served) => served.group).filter((group) => group !== ''), accessReview.group])];
}

function versionsOf(group: string, kinds: readonly ServedKind[]): string[] {
  if (group === accessReview.group) return [accessReview.version];
  return [...new Set(kinds.filter((served) => served.group === group).flatMap((served) => served.versions))];
}

function groupOf(group: string, kinds: readonly ServedKind[]): Record<string, unknown> {
  const versions = versionsOf(group, kinds).map((version) => ({ groupVersion: apiVersionOf(group, version), version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function servedIn(group: string, version: string, kinds: readonly ServedKind[]): readonly ServedKind[] {
  return kinds.filter((served) => served.group === group && served.versions.includes(version));
}

function resourceList(
  group: string,
  version: string,
  kinds: readonly ServedKind[],
  isWritable: boolean,
): Record<string, unknown> {
  const resources: Record<string, unknown>[] = servedIn(group, version, kinds).flatMap((served) => [
    {
      name: served.plural,
      singularName: served.kind.toLowerCase(),
      namespaced: served.namespaced,
      kind: served.kind,
      verbs: verbsOf(served, isWritable),
      ...(served.shortNames.length === 0 ? {} : { shortNames: served.shortNames }),
      ...(served.categories.length === 0 ? {} : { categories: served.categories }),
    },
    ...(isWritable ? subresourcesOf(served) : []).map((sub) => ({
      ...sub,
      name: `${served.plural}/${sub.name}`,
      singularName: '',
      namespaced: served.namespaced,
    })),
  ]);
  if (group === accessReview.group)
    for (const review of reviewsOf(isWritable))
      resources.push({
        name: review.plural,
        singularName: review.kind.toLowerCase(),
        namespaced: false,
        kind: review.kind,
        verbs: ['create'],
      });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(group, version), resources };
}

/** Everything in one answer (KEP-3352), which is what kubectl requests first. */
function aggregated(
  groups: readonly string[],
  kinds: readonly ServedKind[],
  apiVersion: string,
  isWritable: boolean,
): Record<string, unknown> {
  const resource = (
    group: string,
    version: string,
    kind: string,
    plural: string,
    namespaced: boolean,
  ): Record<string, unknown> => ({
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.toLowerCase(),
  });
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${apiVersion}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
      versions: (group === '' ? ['v1'] : versionsOf(group, kinds)).map((version) => ({
        version,
        freshness: 'Current',
        resources: [
          ...servedIn(group, version, kinds).map((served) => ({
            ...resource(group, version, served.kind, served.plural, served.namespaced),
            verbs: verbsOf(served, isWritable),
            ...(isWritable && subresourcesOf(served).length > 0
              ? { subresources: subresourcesOf(served).map(aggregatedSubresource) }
              : {}),
            ...(served.shortNames.length === 0 ? {} : { shortNames: served.shortNames }),
            ...(served.categories.length === 0 ? {} : { categories: served.categories }),
          })),
          ...(group === accessReview.group ? reviewsOf(isWritable) : []).map(({ kind, plural }) => ({
            ...resource(group, version, kind, plural, false),
            verbs: ['create'],
          })),
        ],
      })),
    })),
  };
}

function aggregatedSubresource({ name, group, version, kind, verbs }: Subresource): Record<string, unknown> {
  return { subresource: name, responseKind: { group, version, kind }, verbs };
}
