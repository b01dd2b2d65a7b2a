import { apiVersionOf } from './request-path.ts';
import type { ServedKind } from './served-kinds.ts';

/**
 * The part of OpenAPI v3 that kubectl needs: that the server validates fields itself, so that apply and create request
 * no schema. Schemas are left out: kubectl then merges by the types it was built with.
 */
export function openApi(path: string, kinds: readonly ServedKind[]): Record<string, unknown> | undefined {
  if (path === '/openapi/v3') {
    const roots = [...new Set(kinds.flatMap((served) => served.versions.map((version) => rootOf(served, version))))];
    return { paths: Object.fromEntries(roots.map((root) => [root, { serverRelativeURL: `/openapi/v3/${root}` }])) };
  }
  const root = path.startsWith('/openapi/v3/') ? path.slice('/openapi/v3/'.length) : '';
  const served = kinds.filter((kind) => kind.versions.some((version) => rootOf(kind, version) === root));
  if (served.length === 0) return undefined;
  const version = root.split('/').at(-1) ?? '';
  return {
    openapi: '3.0.0',
    info: { title: 'kubectl csi demo', version: 'v1' },
    paths: Object.fromEntries(served.flatMap((kind) => pathsOf(kind, version))),
    components: { schemas: {} },
  };
}

const rootOf = ({ group }: ServedKind, version: string): string =>
  group === '' ? `api/${version}` : `apis/${apiVersionOf(group, version)}`;

function pathsOf(served: ServedKind, version: string): [string, unknown][] {
  const { group, kind, plural, namespaced } = served;
  const base = `/${rootOf(served, version)}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const operation = (action: string): Record<string, unknown> => ({
    parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
      name,
      in: 'query',
      schema: { type: 'string', uniqueItems: true },
    })),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  });
  return [
    [base, { post: operation('post') }],
    [`${base}/{name}`, { put: operation('put'), patch: operation('patch') }],
  ];
}
