import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { readOptions } from '../../../src/commands/serve/options.ts';
import { isLoopback, isOwnHost } from '../../../src/commands/serve/addresses.ts';
import { kubernetesAdmission } from '../../../src/commands/serve/run/authenticate.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { fetchRaw, serveHere } from '../../kit/serve.ts';
import type { Served } from '../../kit/serve.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const callers = {
  'scraper-token': { username: 'system:serviceaccount:monitoring:prometheus', mayGet: ['/metrics'] },
  'reader-token': { username: 'jane', mayGet: ['/kubectl-csi', '/kubectl-csi/*'] },
  'program-token': { username: 'ci', mayGet: ['/kubectl-csi/api/v1/why'] },
  'nobody-token': { username: 'joe', mayGet: [] },
} as const;

/** All addresses of the machine are open here, and asked for by the one of a network: this machine only talks to itself. */
const own = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && one.family === 'IPv4' && !one.internal)?.address;

async function cluster(faults = {}): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(new Date()), { callers, faults });
  opened.push(() => server.close());
  return server;
}

async function serve(flags: Parameters<typeof serveHere>[0]): Promise<Served> {
  const served = await serveHere(flags);
  opened.push(() => served.close());
  return served;
}

const reviews = (server: ApiServer): number => server.requests.filter(({ method }) => method === 'POST').length;

describe.skipIf(own === undefined)('callers from elsewhere (skipped where the machine has no network address)', () => {
  it('are let in by their rights in the cluster, path by path', async () => {
    const server = await cluster();
    const served = await serve({ server: server.url, address: ['127.0.0.1', own!], auth: 'kubernetes' });
    await served.until(({ freshness }) => expect(freshness.state).toBe('live'));
    const [local = '', remote = ''] = served.service.addresses;
    const statusOf = async (path: string, token?: string, host = remote): Promise<number> =>
      (await fetchRaw(`http://${host}${path}`, token === undefined ? {} : { authorization: `Bearer ${token}` })).status;
    const matrix = async (token?: string): Promise<number[]> => [
      await statusOf('/', token),
      await statusOf('/status', token),
      await statusOf('/metrics', token),
      await statusOf('/api/v1/why', token),
      await statusOf('/api/v1/get/pvc', token),
      await statusOf('/nothing', token),
    ];
    expect(await matrix()).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await matrix('wrong-token')).toEqual([401, 401, 401, 401, 401, 401]);
    expect(await matrix('nobody-token')).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await matrix('scraper-token')).toEqual([403, 403, 200, 403, 403, 403]);
    expect(await matrix('program-token')).toEqual([403, 403, 403, 200, 403, 403]);
    expect(await matrix('reader-token')).toEqual([200, 200, 403, 200, 200, 404]);
    // Probes carry no token, and tell nothing.
    expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
    // kubectl port-forward arrives here: whoever may use it was let in by the API server.
    expect(await statusOf('/', undefined, local)).toBe(200);
  });

  it('are told what is missing', async () => {
    const served = await serve({ server: (await cluster()).url, address: [own!], auth: 'kubernetes' });
    const unknown = await served.get('/metrics');
    expect(unknown.headers['www-authenticate']).toBe('Bearer realm="kubectl-csi"');
    const refused = await served.get('/metrics', { authorization: 'Bearer nobody-token' });
    expect(JSON.parse(refused.text)).toMatchObject({
      message: 'this user may not get /metrics',
      next: 'Grant the verb get on the nonResourceURL /metrics',
    });
  });

  it('are not let in while the API server cannot be asked', async () => {
    const server = await cluster({ disconnect: /reviews/ });
    const served = await serve({ server: server.url, address: [own!], auth: 'kubernetes' });
    expect((await served.get('/metrics', { authorization: 'Bearer scraper-token' })).status).toBe(503);
  });

  it('are all let in with --auth none', async () => {
    const server = await cluster();
    const served = await serve({ server: server.url, address: [own!], auth: 'none' });
    expect((await served.get('/metrics')).status).toBe(200);
    expect(reviews(server)).toBe(0);
  });
});

describe('a server of this machine alone', () => {
  it('sends nothing but reads', async () => {
    const server = await cluster();
    const served = await serve({ server: server.url });
    await served.until(({ freshness }) => expect(freshness.state).toBe('live'));
    await served.get('/metrics', { authorization: 'Bearer scraper-token' });
    expect(server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('the review of a caller', () => {
  it('is remembered for a while, and asked again after it', async () => {
    let asked = 0;
    let now = 0;
    const admit = kubernetesAdmission(
      {
        send: async (path) => {
          asked += 1;
          const status = path.includes('token')
            ? { authenticated: true, user: { username: 'jane' } }
            : { allowed: true };
          return { status: 201, body: { status }, message: '' };
        },
      },
      () => now,
    );
    for (let turn = 0; turn < 5; turn += 1) expect(await admit('Bearer one-token', '/metrics')).toBe('allowed');
    expect(asked).toBe(2);
    now = 60_001;
    expect(await admit('Bearer one-token', '/metrics')).toBe('allowed');
    expect(asked).toBe(4);
  });

  it('lets nobody in for an answer that is none', async () => {
    const answers = [
      { status: 201, body: {}, message: '' },
      { status: 403, body: { status: { authenticated: true, user: { username: 'x' } } }, message: '' },
      { state: 'failed', message: 'no' },
    ] as const;
    for (const answer of answers)
      expect(await kubernetesAdmission({ send: () => Promise.resolve(answer) })('Bearer token', '/metrics')).toBe(
        'busy',
      );
    const strange = [
      { authenticated: 'yes', user: { username: 'x' } },
      { authenticated: true, user: {} },
      { authenticated: true },
    ];
    for (const status of strange)
      expect(
        await kubernetesAdmission({ send: () => Promise.resolve({ status: 201, body: { status }, message: '' }) })(
          'Bearer token',
          '/metrics',
        ),
      ).toBe('unknown caller');
    for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer a b', `Bearer ${'x'.repeat(20_000)}`])
      expect(await kubernetesAdmission({ send: () => Promise.reject(new Error('not asked')) })(header, '/')).toBe(
        'unknown caller',
      );
  });
});

describe('the flags', () => {
  const usual = { port: '0', 'notify-after': '30s' };
  const refused = (flags: object): string => {
    try {
      readOptions({ ...usual, ...flags });
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('never open a door by accident', () => {
    expect(refused({})).toBe('accepted');
    expect(refused({ address: ['0.0.0.0'] })).toBe(
      'listening on 0.0.0.0 needs --auth: others than this machine can reach it',
    );
    expect(refused({ address: ['::'] })).toMatch(/needs --auth/);
    expect(refused({ address: ['127.0.0.1', '10.0.0.1'] })).toMatch(/^listening on 10\.0\.0\.1 needs --auth/);
    expect(refused({ address: ['0.0.0.0'], auth: 'kubernetes' })).toBe('accepted');
    expect(refused({ auth: 'kubernetes' })).toBe('--auth kubernetes has no effect on addresses of this machine alone');
    expect(refused({ address: ['example.com'], auth: 'none' })).toBe(
      '--address must be an IP address, not "example.com"',
    );
    expect(refused({ from: ['x'], address: ['0.0.0.0'], auth: 'kubernetes' })).toMatch(
      /cannot be combined with --from/,
    );
  });

  it('must make sense together', () => {
    expect(refused({ state: 'x' })).toBe('--state needs --notify or --notify-file');
    expect(refused({ lease: 'x' })).toBe('--lease needs --notify or --notify-file');
    expect(refused({ notify: 'https://a', lease: 'x', state: 'y' })).toBe('--state cannot be combined with --lease');
    expect(refused({ notify: 'https://a', from: ['x'] })).toBe('--notify cannot be combined with --from');
    expect(refused({ notify: 'https://a', lease: 'a/b/c' })).toBe(
      '--lease must be NAME or NAMESPACE/NAME, not "a/b/c"',
    );
    expect(refused({ 'tls-cert': 'x' })).toBe('--tls-cert and --tls-key belong together');
    expect(refused({ port: '99999' })).toBe('--port must be a number from 0 to 65535, not "99999"');
    expect(refused({ 'base-path': 'a/b' })).toBe('--base-path must be a path such as /storage, not "a/b"');
    expect(refused({ 'base-path': '/a/../b' })).toMatch(/must be a path/);
  });

  it('know which hosts are their own', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'].map(isLoopback)).toEqual(
      Array(6).fill(true),
    );
    expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', 'localhost.evil.example'].map(isLoopback)).toEqual(
      Array(5).fill(false),
    );
    const own = (header: string | undefined): boolean => isOwnHost(header, ['storage.example.com']);
    expect(
      ['localhost', 'localhost:8080', '[::1]:80', 'storage.example.com:443', 'STORAGE.example.com'].map(own),
    ).toEqual(Array(5).fill(true));
    expect(
      [
        undefined,
        '',
        'evil.example',
        'localhost.evil.example',
        'evil.example@localhost',
        'localhost:x',
        '127.0.0.1:80:80',
      ].map(own),
    ).toEqual(Array(7).fill(false));
  });
});
