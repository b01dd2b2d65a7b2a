import { createHash } from 'node:crypto';
import type { ApiClient } from '../../../io/cluster/api-client.ts';
import type { Admission } from './server.ts';

/** A right that was taken away, and a token that was revoked, count for this long at most. */
const allowedMs = 60_000;
const refusedMs = 10_000;
const mostRemembered = 1000;
const mostAtOnce = 8;
const longestToken = 16_384;

interface Known {
  readonly admission: Promise<Admission>;
  until: number;
}

/** What two reviews need of a client. */
export type ReviewClient = Pick<ApiClient, 'send'>;

/**
 * Asks the API server which user sends a bearer token (TokenReview) and whether that user may `get` the path
 * (SubjectAccessReview). If it does not answer, access is refused.
 */
export function kubernetesAdmission(
  client: ReviewClient,
  clock: () => number = () => performance.now(),
): (authorization: string | undefined, path: string) => Promise<Admission> {
  const known = new Map<string, Known>();
  let asking = 0;
  return async (authorization, path) => {
    const token = tokenOf(authorization);
    if (token === undefined) return 'unknown caller';
    const key = createHash('sha256').update(`${path}\n${token}`).digest('base64');
    const now = clock();
    const entry = known.get(key);
    if (entry !== undefined && entry.until > now) return entry.admission;
    if (asking >= mostAtOnce) return 'busy';
    makeRoom(known, now);
    asking += 1;
    const admission = review(client, token, path)
      .catch((): Admission => 'busy')
      .finally(() => (asking -= 1));
    const fresh: Known = { admission, until: Number.POSITIVE_INFINITY };
    known.set(key, fresh);
    const result = await admission;
    fresh.until = clock() + lifetimeMs(result);
    return result;
  };
}

function lifetimeMs(admission: Admission): number {
  if (admission === 'allowed') return allowedMs;
  return admission === 'busy' ? 0 : refusedMs;
}

/** The oldest go first: a flood of wrong tokens uses no more memory. */
function makeRoom(known: Map<string, Known>, now: number): void {
  if (known.size < mostRemembered) return;
  for (const [key, { until }] of known) if (until <= now) known.delete(key);
  for (const key of known.keys()) {
    if (known.size < mostRemembered) return;
    known.delete(key);
  }
}

function tokenOf(authorization: string | undefined): string | undefined {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '')?.[1];
  return token === undefined || token.length > longestToken ? undefined : token;
}

interface User {
  readonly username: string;
  readonly uid?: unknown;
  readonly groups?: unknown;
  readonly extra?: unknown;
}

async function review(client: ReviewClient, token: string, path: string): Promise<Admission> {
  const identity = await statusOf(client, '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  });
  if (identity === undefined) return 'busy';
  const user = identity['user'] as Partial<User> | undefined;
  if (identity['authenticated'] !== true || typeof user?.username !== 'string' || user.username === '')
    return 'unknown caller';
  const access = await statusOf(client, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: user.username,
      ...(user.uid !== undefined && { uid: user.uid }),
      ...(user.groups !== undefined && { groups: user.groups }),
      ...(user.extra !== undefined && { extra: user.extra }),
      nonResourceAttributes: { path, verb: 'get' },
    },
  });
  if (access === undefined) return 'busy';
  return access['allowed'] === true && access['denied'] !== true ? 'allowed' : 'forbidden';
}

/** The status of a review; undefined unless the server has really made one. */
async function statusOf(
  client: ReviewClient,
  path: string,
  body: object,
): Promise<Record<string, unknown> | undefined> {
  const answer = await client.send(path, { method: 'POST', body });
  if (!('status' in answer) || answer.status < 200 || answer.status > 299) return undefined;
  const { status } = answer.body;
  return typeof status === 'object' && status !== null ? (status as Record<string, unknown>) : undefined;
}
