import type { KindRegistry, ServedKind } from './served-kinds.ts';

/** What a path requests. */
export interface ResourcePath {
  readonly served: ServedKind;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
  /** What follows `proxy`, for the server behind it. */
  readonly beyond: string;
}

const namespaceSubresources = new Set(['status', 'finalize']);

/** Reads /api/v1/… and /apis/GROUP/VERSION/…; undefined for a path that no server would know. */
export function readResourcePath(path: string, kinds: KindRegistry): ResourcePath | undefined {
  let segments: string[];
  try {
    segments = path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
  const root = segments.shift();
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'api' ? '' : (segments.shift() ?? '');
  const version = segments.shift() ?? '';
  const inNamespace =
    segments[0] === 'namespaces' && segments.length >= 3 && !namespaceSubresources.has(segments[2] ?? '');
  const namespace = inNamespace ? segments[1] : undefined;
  const [plural = '', name = '', subresource = '', ...beyond] = inNamespace ? segments.slice(2) : segments;
  const served = kinds.resource(group, version, plural);
  if (served === undefined || (beyond.length > 0 && subresource !== 'proxy')) return undefined;
  if (!served.namespaced && namespace !== undefined) return undefined;
  // A namespaced object has no path outside its namespace; only the list has.
  if (served.namespaced && namespace === undefined && name !== '') return undefined;
  return { served, version, namespace, name, subresource, beyond: `/${beyond.map(encodeURIComponent).join('/')}` };
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
