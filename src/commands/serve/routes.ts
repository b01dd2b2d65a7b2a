import type { LiveView } from '../../html/live.ts';

/** What a request asks for. */
export type Route =
  | { readonly type: 'page'; readonly view: LiveView }
  | { readonly type: 'metrics' | 'healthz' | 'readyz' | 'events' }
  | { readonly type: 'document'; readonly name: DocumentName; readonly query: DocumentQuery }
  | { readonly type: 'redirect'; readonly to: string }
  | { readonly type: 'error'; readonly status: number; readonly message: string; readonly next?: string };

const documentNames = ['why', 'status', 'check', 'report', 'get'] as const;
export type DocumentName = (typeof documentNames)[number];

export interface DocumentQuery {
  /** Of `get`: the type. */
  readonly kind?: string;
  readonly namespace?: string;
  readonly target?: string;
  readonly name?: string;
  readonly selector?: string;
  /** Answer although the data are out of date. */
  readonly mayBeStale: boolean;
}

const parametersOf: Readonly<Record<DocumentName, readonly string[]>> = {
  why: ['target', 'namespace', 'stale'],
  status: ['stale'],
  check: ['stale'],
  report: ['stale'],
  get: ['namespace', 'name', 'selector', 'stale'],
};
const longestValue = 1000;
const views: Readonly<Record<string, LiveView>> = { '/': 'why', '/status': 'status', '/check': 'check' };
const plain = { '/metrics': 'metrics', '/healthz': 'healthz', '/readyz': 'readyz', '/events': 'events' } as const;

/** The route of a path below the base path, which has no slash at its end. Probes are answered with and without it. */
export function routeOf(target: string, basePath: string): Route {
  if (!target.startsWith('/') || target.length > 4000) return wrong('the request names no path of this server');
  const [written = '', search = ''] = splitOnce(target, '?');
  const decoded = decode(written);
  if (decoded === undefined) return wrong('the path is not valid percent-encoded text');
  if (decoded === basePath && basePath !== '')
    return { type: 'redirect', to: `${basePath.slice(basePath.lastIndexOf('/') + 1)}/` };
  const isProbe = decoded === '/healthz' || decoded === '/readyz';
  if (!isProbe && !decoded.startsWith(`${basePath}/`)) return notFound(decoded);
  return routeBelow(isProbe ? decoded : decoded.slice(basePath.length), search);
}

function routeBelow(path: string, search: string): Route {
  const view = Object.hasOwn(views, path) ? views[path] : undefined;
  if (view !== undefined) return { type: 'page', view };
  if (isPlain(path)) return { type: plain[path] };
  const document = /^\/api\/v1\/([a-z]+)(?:\/([A-Za-z.]+))?$/.exec(path);
  const name = documentNames.find((known) => known === document?.[1]);
  if (name === undefined) return notFound(path);
  return documentRoute(name, document?.[2], search);
}

function documentRoute(name: DocumentName, kind: string | undefined, search: string): Route {
  if (name === 'get' && kind === undefined)
    return wrong('the type of objects to list is missing', 'Ask for example for api/v1/get/pvc');
  if (name !== 'get' && kind !== undefined) return notFound(`/api/v1/${name}/${kind}`);
  const query = new URLSearchParams(search);
  const allowed = parametersOf[name];
  for (const [parameter, value] of query) {
    if (!allowed.includes(parameter))
      return wrong(`unknown parameter "${parameter.slice(0, 50)}"`, `The parameters are ${allowed.join(', ')}`);
    if (value.length > longestValue) return wrong(`the value of "${parameter}" is too long`);
    if (query.getAll(parameter).length > 1) return wrong(`"${parameter}" is given more than once`);
  }
  const stale = query.get('stale');
  if (stale !== null && stale !== 'allow') return wrong('stale must be allow', 'Write stale=allow');
  const given = (parameter: 'namespace' | 'target' | 'name' | 'selector'): object => {
    const value = query.get(parameter);
    return value === null || value === '' ? {} : { [parameter]: value };
  };
  return {
    type: 'document',
    name,
    query: {
      ...(kind !== undefined && { kind }),
      ...given('namespace'),
      ...given('target'),
      ...given('name'),
      ...given('selector'),
      mayBeStale: stale === 'allow',
    },
  };
}

/**
 * The URL path that a caller needs the right to `get`, as in `nonResourceURLs` of a ClusterRole; undefined for probes.
 */
export function guardedPath(route: Route): string | undefined {
  switch (route.type) {
    case 'healthz':
    case 'readyz':
      return undefined;
    case 'metrics':
      return '/metrics';
    case 'document':
      return `/kubectl-csi/api/v1/${route.name}`;
    default:
      return '/kubectl-csi';
  }
}

function isPlain(path: string): path is keyof typeof plain {
  return Object.hasOwn(plain, path);
}

function wrong(message: string, next?: string): Route {
  return { type: 'error', status: 400, message, ...(next !== undefined && { next }) };
}

function notFound(path: string): Route {
  return {
    type: 'error',
    status: 404,
    message: `there is nothing at ${path.slice(0, 200)}`,
    next: 'The paths are /, /status, /check, /metrics, /healthz, /readyz, /events and /api/v1/ with why, status, check, report or get/TYPE',
  };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
