import type { Wanted } from './accept.ts';
import { apiVersionOf } from './request-path.ts';
import type { ServedKind } from './served-kinds.ts';

const readingVerbs = ['get', 'list', 'watch'];

/** Pods can also be made and deleted, as a probe does; nothing else can be changed. */
export function verbsOf(served: ServedKind): readonly string[] {
  return served.kind === 'Pod' && served.group === ''
    ? ['create', 'delete', 'deletecollection', ...readingVerbs]
    : readingVerbs;
}

/** Answers /api, /apis, /api/v1, /apis/GROUP and /apis/GROUP/VERSION; undefined for any other path or an unknown group. */
export function discover(
  path: string,
  kinds: readonly ServedKind[],
  wanted: Wanted,
): Record<string, unknown> | undefined {
  const [root, group, version, ...beyond] = path.split('/').filter((segment) => segment !== '');
  if (beyond.length > 0) return undefined;
  if (root === 'api') {
    if (group === undefined)
      return wanted.form === 'discovery'
        ? aggregated([''], kinds, wanted.version)
        : { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    return group === 'v1' && version === undefined ? resourceList('', 'v1', kinds) : undefined;
  }
  if (root !== 'apis') return undefined;
  const groups = groupsOf(kinds);
  if (group === undefined) {
    if (wanted.form === 'discovery') return aggregated(groups, kinds, wanted.version);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupOf(name, kinds)) };
  }
  if (!groups.includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, kinds) };
  return versionsOf(group, kinds).includes(version) ? resourceList(group, version, kinds) : undefined;
}

/** A question about rights is created, and never kept. */
const accessReview = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
} as const;

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

function resourceList(group: string, version: string, kinds: readonly ServedKind[]): Record<string, unknown> {
  const resources: Record<string, unknown>[] = servedIn(group, version, kinds).map((served) => ({
    name: served.plural,
    singularName: served.kind.toLowerCase(),
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: verbsOf(served),
    ...(served.shortNames.length === 0 ? {} : { shortNames: served.shortNames }),
    ...(served.categories.length === 0 ? {} : { categories: served.categories }),
  }));
  if (group === accessReview.group)
    resources.push({
      name: accessReview.plural,
      singularName: accessReview.kind.toLowerCase(),
      namespaced: false,
      kind: accessReview.kind,
      verbs: ['create'],
    });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersionOf(group, version), resources };
}

/** Everything in one answer (KEP-3352), which is what kubectl asks for first. */
function aggregated(
  groups: readonly string[],
  kinds: readonly ServedKind[],
  apiVersion: string,
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
            verbs: verbsOf(served),
            ...(served.shortNames.length === 0 ? {} : { shortNames: served.shortNames }),
            ...(served.categories.length === 0 ? {} : { categories: served.categories }),
          })),
          ...(group === accessReview.group
            ? [{ ...resource(group, version, accessReview.kind, accessReview.plural, false), verbs: ['create'] }]
            : []),
        ],
      })),
    })),
  };
}
