import { describe, expect, it } from 'vitest';
import { ask, claim, serve } from './cluster.ts';

const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';
const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

describe('faults', () => {
  it('denies in the words of the server', async () => {
    const server = await serve([claim('shop', 'data')], {
      user: 'viewer',
      faults: { deny: (kind, verb) => kind !== 'PersistentVolumeClaim' || verb === 'watch' },
    });
    const message = async (path: string): Promise<string> => (await ask(server, path)).body.message;
    expect(await message('/api/v1/namespaces/x/pods')).toBe(
      'pods is forbidden: User "viewer" cannot list resource "pods" in API group "" in the namespace "x"',
    );
    expect(await message('/apis/storage.k8s.io/v1/csinodes/node-a')).toBe(
      'csinodes.storage.k8s.io "node-a" is forbidden: User "viewer" cannot get resource "csinodes" in API group "storage.k8s.io" at the cluster scope',
    );
    expect((await ask(server, '/api/v1/persistentvolumes')).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { kind: 'persistentvolumes' },
    });
    expect((await ask(server, `${claims}?watch=true`)).status).toBe(403);
    expect((await ask(server, claims)).status).toBe(200);
  });

  it('answers access reviews by the same rules', async () => {
    const server = await serve([], {
      faults: { deny: (kind, _verb, namespace) => kind === 'Lease' && namespace === undefined },
    });
    const may = async (resourceAttributes: Record<string, string>): Promise<boolean> => {
      const { status, body } = await ask(server, reviews, 'application/json', {
        method: 'POST',
        body: JSON.stringify({ spec: { resourceAttributes } }),
      });
      expect(status).toBe(201);
      return body.status.allowed;
    };
    expect(await may({ verb: 'list', resource: 'leases', group: 'coordination.k8s.io' })).toBe(false);
    expect(
      await may({ verb: 'list', resource: 'leases', group: 'coordination.k8s.io', namespace: 'kube-system' }),
    ).toBe(true);
    expect(await may({ verb: 'delete', resource: 'persistentvolumeclaims' })).toBe(false);
    expect((await ask(server, reviews, 'application/json', { method: 'POST', body: 'what?' })).status).toBe(400);
  });

  it('asks for patience at first', async () => {
    const server = await serve([], { faults: { tooManyRequests: { first: 2, retryAfterSeconds: 3 } } });
    const first = await ask(server, claims);
    expect(first.body).toMatchObject({ code: 429, reason: 'TooManyRequests' });
    expect(first.headers.get('retry-after')).toBe('3');
    expect([(await ask(server, claims)).status, (await ask(server, claims)).status]).toEqual([429, 200]);
  });

  it('breaks for some paths only', async () => {
    const server = await serve([], { faults: { serverErrors: { first: 1, code: 503, paths: /csinodes/ } } });
    expect((await ask(server, claims)).status).toBe(200);
    expect((await ask(server, '/apis/storage.k8s.io/v1/csinodes')).body).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
    });
    expect((await ask(server, '/apis/storage.k8s.io/v1/csinodes')).status).toBe(200);
  });

  it('wants the right token', async () => {
    const server = await serve([], { faults: { token: 'let-me-in' } });
    expect((await ask(server, claims)).body).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect(
      (await ask(server, claims, 'application/json', { headers: { authorization: 'Bearer let-me-in' } })).status,
    ).toBe(200);
  });

  it('answers like a login page, hangs, and hangs up', async () => {
    const server = await serve([], {
      faults: { html: /pods/, hang: /csidrivers/, disconnect: /nodes/, latencyMs: () => 1 },
    });
    expect((await ask(server, '/api/v1/pods')).body).toContain('<html>');
    await expect(ask(server, '/api/v1/nodes')).rejects.toThrow();
    await expect(
      ask(server, '/apis/storage.k8s.io/v1/csidrivers', 'application/json', { signal: AbortSignal.timeout(50) }),
    ).rejects.toThrow();
    expect(server.requests.at(-1)).toMatchObject({ status: 0 });
  });
});
