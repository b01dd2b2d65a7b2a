import { textAt, valueAt } from './fields.ts';

/**
 * The owner of a token, and the URL paths that this user may get; a path that ends in * matches all that begin with it.
 */
interface Caller {
  readonly username: string;
  readonly groups?: readonly string[];
  readonly mayGet: readonly string[];
}
export type Callers = Readonly<Record<string, Caller>>;

/**
 * TokenReview and SubjectAccessReview, by which a server in the cluster finds out who calls it. Undefined for other
 * paths.
 */
export function reviewCaller(path: string, asked: unknown, callers: Callers): Record<string, unknown> | undefined {
  if (path === '/apis/authentication.k8s.io/v1/tokenreviews') return reviewToken(asked, callers);
  if (path === '/apis/authorization.k8s.io/v1/subjectaccessreviews') return reviewAccess(asked, callers);
  return undefined;
}

function reviewToken(asked: unknown, callers: Callers): Record<string, unknown> {
  const token = textAt(asked, 'spec', 'token');
  const caller = Object.hasOwn(callers, token) ? callers[token] : undefined;
  return {
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: null },
    spec: valueAt(asked, 'spec'),
    status:
      caller === undefined
        ? { user: {}, error: '[invalid bearer token]' }
        : {
            authenticated: true,
            user: { username: caller.username, groups: caller.groups ?? ['system:authenticated'] },
          },
  };
}

function reviewAccess(asked: unknown, callers: Callers): Record<string, unknown> {
  const user = textAt(asked, 'spec', 'user');
  const path = textAt(asked, 'spec', 'nonResourceAttributes', 'path');
  const verb = textAt(asked, 'spec', 'nonResourceAttributes', 'verb');
  const caller = Object.values(callers).find(({ username }) => username === user);
  const isGranted = (granted: string): boolean =>
    granted.endsWith('*') ? path.startsWith(granted.slice(0, -1)) : path === granted;
  return {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: { creationTimestamp: null },
    spec: valueAt(asked, 'spec'),
    status: { allowed: verb === 'get' && caller?.mayGet.some(isGranted) === true },
  };
}
