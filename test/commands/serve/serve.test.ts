import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoBackend } from '../../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { parseExposition } from '../../kit/exposition.ts';
import { serveHere } from '../../kit/serve.ts';
import type { Served } from '../../kit/serve.ts';

const dump = join(import.meta.dirname, '../../truth', 'attacher-down', 'cluster.yaml');
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function cluster(
  options: ApiServerOptions = {},
  snapshot: Snapshot = demoSnapshot(new Date()),
): Promise<ApiServer> {
  const server = await startApiServer(snapshot, options);
  opened.push(() => server.close());
  return server;
}

async function serve(flags: Parameters<typeof serveHere>[0]): Promise<Served> {
  const served = await serveHere(flags);
  opened.push(() => served.close());
  return served;
}

/** One cluster and one server for the tests that only look at them. */
let shared: Promise<{ readonly server: ApiServer; readonly served: Served }> | undefined;
afterAll(async () => {
  const both = await shared;
  await both?.served.close();
  await both?.server.close();
});
async function usual(): Promise<Served> {
  shared ??= (async () => {
    const server = await startApiServer(demoSnapshot(new Date()));
    return { server, served: await serveHere({ server: server.url }) };
  })();
  const { served } = await shared;
  await served.until(isLive);
  return served;
}

const isLive = ({ freshness }: { readonly freshness: { readonly state: string } }): void =>
  expect(freshness.state).toBe('live');

/** Reads a stream of events until it is closed. */
async function follow(served: Served): Promise<{ readonly events: any[]; readonly isClosed: () => boolean }> {
  const events: any[] = [];
  const ending = new AbortController();
  let isClosed = false;
  opened.push(async () => ending.abort());
  const answer = await fetch(`${served.url}/events`, { signal: ending.signal });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  void (async () => {
    let text = '';
    try {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
          if (data !== undefined) events.push(JSON.parse(data));
          text = text.slice(end + 2);
        }
      }
    } catch {
      // The server has cut the connection.
    }
    isClosed = true;
  })();
  return { events, isClosed: () => isClosed };
}

const waitFor = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 240_000, interval: 30 });

describe('a served cluster', () => {
  it('shows pages that say what is stuck, with relative addresses and a policy', async () => {
    const served = await usual();
    const why = await served.get('/');
    expect(why.status).toBe(200);
    expect(why.headers['content-security-policy']).toMatch(
      /^default-src 'none'.*connect-src 'self'.*frame-ancestors 'none'$/,
    );
    expect(why.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
    expect(why.headers).not.toHaveProperty('access-control-allow-origin');
    expect(why.text).toContain('sc-missing');
    expect(why.text).toContain('<span role="status">Live</span>');
    expect(why.text).toContain('Load again');
    expect((await served.get('/status')).text).toContain('files.csi.example.com');
    expect((await served.get('/check')).text).toContain('volume-slots-near-limit');
    for (const page of ['/', '/status', '/check'])
      expect((await served.get(page)).text).not.toMatch(/(?:href|src|action)="(?:\/|https?:)/);
  });

  it('answers with the documents of the commands', async () => {
    const served = await usual();
    expect(await served.json('/api/v1/why')).toMatchObject({ kind: 'Report', apiVersion: 'csi.kubectl.dev/v1' });
    expect(await served.json('/api/v1/status')).toMatchObject({ kind: 'Status' });
    expect(await served.json('/api/v1/check')).toMatchObject({ kind: 'CheckReport', result: 'failed' });
    const all = await served.json('/api/v1/report');
    expect(all.items.map(({ kind }: any) => kind)).toEqual(['Report', 'Status', 'CheckReport']);
    expect(new Set(all.items.map(({ takenAt }: any) => takenAt)).size).toBe(1);
    const one = await served.json('/api/v1/why?target=pvc/cart&namespace=shop');
    expect(one.items).toMatchObject([{ cause: 'sc-missing', target: { name: 'cart' } }]);
    const rows = await served.json('/api/v1/get/pvc?namespace=shop');
    expect(rows).toMatchObject({ kind: 'ClaimList' });
    expect(rows.items.find(({ name }: any) => name === 'cart')).toMatchObject({ cause: 'sc-missing' });
  });

  it('refuses what it does not have, in one clear document', async () => {
    const served = await usual();
    const refused = async (path: string, headers = {}, method = 'GET'): Promise<[number, string]> => {
      const { status, text } = await served.get(path, headers, method);
      const error = JSON.parse(text) as { readonly kind: string; readonly code: number; readonly message: string };
      expect(error).toMatchObject({ kind: 'Error', code: status });
      return [status, error.message];
    };
    expect(await refused('/nothing')).toEqual([404, 'there is nothing at /nothing']);
    expect(await refused('/api/v1/nothing')).toEqual([404, 'there is nothing at /api/v1/nothing']);
    expect(await refused('/api/v1/get')).toEqual([400, 'the type of objects to list is missing']);
    expect(await refused('/api/v1/get/teapots')).toEqual([400, 'there is no type "teapots"']);
    expect(await refused('/api/v1/why?colour=red')).toEqual([400, 'unknown parameter "colour"']);
    expect(await refused('/api/v1/why?target=pvc/none&namespace=shop')).toEqual([
      404,
      'pvc/none does not exist in namespace shop',
    ]);
    expect(await refused('/api/v1/get/pvc?namespace=shopp')).toEqual([404, 'namespace "shopp" does not exist']);
    expect(await refused('/%zz')).toEqual([400, 'the path is not valid percent-encoded text']);
    expect(await refused('/', {}, 'POST')).toEqual([405, 'POST is not allowed']);
    expect((await served.get('/', {}, 'DELETE')).headers.allow).toBe('GET, HEAD');
    expect(await refused('/', { host: 'evil.example' })).toEqual([
      421,
      'this server does not answer as "evil.example"',
    ]);
    expect(await refused('/events', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).toEqual([
      403,
      'requests from other sites are refused',
    ]);
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:80'])
      expect((await served.get('/', { host })).status).toBe(200);
    expect((await served.get('/', {}, 'HEAD')).text).toBe('');
  });

  it('updates open pages when the cluster heals', async () => {
    const server = await cluster({ controllers: { backend: demoBackend, stepMs: 20 } });
    const served = await serve({ server: server.url });
    await served.until(isLive);
    const { events } = await follow(served);
    await waitFor(() => expect(events.length).toBeGreaterThan(0));
    const before = events[0].revision;
    expect((await served.get('/')).text).toContain('sc-missing');
    server.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: (await classOf(served)) ?? '' },
      provisioner: 'disk.csi.example.com',
      volumeBindingMode: 'Immediate',
    });
    await waitFor(async () => {
      expect(events.at(-1)).not.toMatchObject({ revision: before });
      expect((await served.json('/api/v1/why')).items.map(({ cause }: any) => cause)).not.toContain('sc-missing');
    });
    expect((await served.get('/')).text).not.toContain('sc-missing');
  });

  it('is served under a prefix', async () => {
    const served = await serve({ server: (await cluster()).url, 'base-path': '/tools/storage/' });
    await served.until(isLive);
    expect((await served.get('/tools/storage')).headers.location).toBe('storage/');
    expect((await served.get('/tools/storage/')).status).toBe(200);
    expect((await served.get('/tools/storage/api/v1/why')).status).toBe(200);
    expect((await served.get('/')).status).toBe(404);
    expect((await served.get('/tools/storagex/')).status).toBe(404);
    for (const path of ['/healthz', '/readyz']) expect((await served.get(path)).status).toBe(200);
  });

  it('keeps to its namespace', async () => {
    const served = await serve({ server: (await cluster()).url, namespace: 'shop' });
    await served.until(isLive);
    const report = await served.json('/api/v1/why');
    expect(new Set(report.items.map(({ target }: any) => target.namespace))).toEqual(new Set(['shop']));
    expect((await served.get('/api/v1/why?namespace=data')).status).toBe(400);
    expect((await served.get('/api/v1/get/pvc?namespace=data')).status).toBe(400);
  });

  it('reports a namespace that does not exist, and serves nothing', async () => {
    const served = await serve({ server: (await cluster()).url, namespace: 'shopp' });
    await expect(served.service.ended).rejects.toThrow('namespace "shopp" does not exist');
  });
});

describe('metrics', () => {
  it('are valid in both formats, and say the same', async () => {
    const served = await usual();
    const text = await served.get('/metrics');
    expect(text.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const plain = parseExposition(text.text);
    const accept =
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
    const open = await served.get('/metrics', { accept });
    expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const parsed = parseExposition(open.text, true);
    expect([...parsed.keys()].sort()).toEqual([...plain.keys()].map((name) => name.replace(/_total$/, '')).sort());
    expect(plain.get('kubectl_csi_up')?.samples).toEqual([{ name: 'kubectl_csi_up', labels: {}, value: 1 }]);
    expect(plain.get('kubectl_csi_stuck')?.samples).toContainEqual({
      name: 'kubectl_csi_stuck',
      labels: { cause: 'sc-missing', namespace: 'shop', kind: 'PersistentVolumeClaim' },
      value: 1,
    });
    const ages = plain.get('kubectl_csi_stuck_oldest_age_seconds')?.samples ?? [];
    expect(ages.find(({ labels }) => labels['cause'] === 'sc-missing')?.value).toBeGreaterThan(60);
    expect(
      plain.get('kubectl_csi_driver_up')?.samples.map(({ labels, value }) => [labels['driver'], value]),
    ).toContainEqual(['files.csi.example.com', 0]);
    expect(plain.get('kubectl_csi_sidecar_has_leader')?.samples.length).toBeGreaterThan(3);
    expect(plain.get('kubectl_csi_volume_slots_used')?.samples[0]?.value).toBeGreaterThan(0);
    expect(plain.get('kubectl_csi_capacity_largest_bytes')?.samples[0]?.value).toBe(812 * 2 ** 30);
    expect(plain.get('kubectl_csi_serve_requests_total')?.type).toBe('counter');
    expect(plain.get('kubectl_csi_api_requests_total')?.samples.length).toBeGreaterThan(0);
  });

  it('name no node, claim or holder unless that was asked for', async () => {
    const server = await cluster();
    // What was asked of a server becomes labels too.
    const plain = await serve({ server: server.url });
    const named = await serve({ server: server.url, 'object-labels': true });
    await plain.until(isLive);
    await named.until(isLive);
    const names = new Set(
      [...parseExposition((await plain.get('/metrics')).text).values()].flatMap(({ samples }) =>
        samples.flatMap(({ labels }) => Object.keys(labels)),
      ),
    );
    expect([...names].sort()).toEqual([
      'cause',
      'code',
      'driver',
      'kind',
      'level',
      'method',
      'namespace',
      'role',
      'severity',
      'state',
      'storageclass',
      'version',
    ]);
    const more = parseExposition((await named.get('/metrics')).text);
    expect(more.get('kubectl_csi_driver_node')?.samples[0]?.labels).toHaveProperty('node');
    expect(more.get('kubectl_csi_sidecar_leader_info')?.samples[0]?.labels).toHaveProperty('holder');
  });

  it('are down where something needed may not be read', async () => {
    const server = await cluster({ faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    const served = await serve({ server: server.url });
    await served.until(({ revision }) => expect(revision).not.toBe(''));
    expect(parseExposition((await served.get('/metrics')).text).get('kubectl_csi_up')?.samples[0]?.value).toBe(0);
    expect((await served.get('/')).text).not.toMatch(/nothing is stuck/i);
  });
});

describe('a cluster that does not answer', () => {
  it('is not ready, not up and not healthy, and keeps being tried', async () => {
    const server = await cluster();
    const port = server.port;
    await server.close();
    const served = await serve({ server: `http://127.0.0.1:${port}` });
    await served.until(({ freshness }) => expect(freshness).toMatchObject({ state: 'stale' }));
    expect((await served.get('/healthz')).status).toBe(200);
    expect(await served.get('/readyz')).toMatchObject({
      status: 503,
      text: 'not ready: the cluster has not been read yet\n',
    });
    expect(parseExposition((await served.get('/metrics')).text).get('kubectl_csi_up')?.samples[0]?.value).toBe(0);
    const page = await served.get('/');
    expect(page.status).toBe(503);
    expect(page.text).toContain('Nothing is known yet');
    expect(page.text).not.toMatch(/nothing is stuck/i);
    expect((await served.get('/api/v1/why')).status).toBe(503);
    await cluster({ port });
    await served.until(isLive);
    expect((await served.get('/readyz')).status).toBe(200);
  });

  it('that was there before, is shown as it was, with its age, and never as healthy', async () => {
    const server = await cluster();
    const served = await serve({ server: server.url });
    await served.until(isLive);
    const { events } = await follow(served);
    await server.close();
    await served.until(({ freshness }) => expect(freshness.state).toBe('stale'));
    await waitFor(() => expect(events.at(-1)).toMatchObject({ state: 'stale' }));
    expect((await served.get('/readyz')).text).toMatch(/^not ready: the data are out of date since /);
    const metrics = parseExposition((await served.get('/metrics')).text);
    expect(metrics.get('kubectl_csi_up')?.samples[0]?.value).toBe(0);
    expect(metrics.get('kubectl_csi_fresh')?.samples[0]?.value).toBe(0);
    // Alerts about what is stuck stay.
    expect(metrics.get('kubectl_csi_stuck')?.samples.length).toBeGreaterThan(5);
    const { status, text } = await served.get('/');
    expect(status).toBe(200);
    expect(text).toMatch(/Out of date: the cluster could not be read since .* what is stuck now is not known\./s);
    expect(text).toContain('<span role="status">Out of date</span>');
    expect((await served.get('/api/v1/why')).status).toBe(503);
    expect((await served.get('/api/v1/why?stale=allow')).headers['x-kubectl-csi-state']).toBe('stale');
    await cluster({ port: server.port });
    await served.until(isLive);
    expect((await served.get('/')).text).toContain('<span role="status">Live</span>');
  });
});

describe('a cluster that cannot be judged', () => {
  it('is out of date after a while, although the server is there', async () => {
    let hangs = false;
    const isHeld = { test: (path: string) => hangs && !path.startsWith('/version') };
    const server = await cluster({ faults: { hang: isHeld } });
    const served = await serveHere({ server: server.url }, { quietMs: 1000 });
    opened.push(() => served.close());
    await served.until(isLive);
    hangs = true;
    await served.until(({ freshness }) => expect(freshness).toMatchObject({ state: 'stale' }));
    expect((await served.get('/readyz')).status).toBe(503);
    const metrics = parseExposition((await served.get('/metrics')).text);
    expect(metrics.get('kubectl_csi_up')?.samples[0]?.value).toBe(0);
    expect(metrics.get('kubectl_csi_fresh')?.samples[0]?.value).toBe(0);
    expect((await served.get('/api/v1/why')).status).toBe(503);
  });
});

describe('two replicas', () => {
  it('give the same answers', async () => {
    const server = await cluster({ renewsLeases: false });
    const [one, other] = [await serve({ server: server.url }), await serve({ server: server.url })];
    await one.until(isLive);
    await other.until(isLive);
    await waitFor(() => expect(one.pictures.at(-1)?.revision).toBe(other.pictures.at(-1)?.revision));
    const figures = async (served: Served): Promise<unknown> => {
      const metrics = parseExposition((await served.get('/metrics')).text);
      return ['kubectl_csi_stuck', 'kubectl_csi_driver_nodes', 'kubectl_csi_claims', 'kubectl_csi_up'].map((name) =>
        metrics.get(name),
      );
    };
    expect(await figures(one)).toEqual(await figures(other));
    const items = async (served: Served): Promise<unknown> =>
      (await served.json('/api/v1/why')).items.map(({ target, status, cause }: any) => [target, status, cause]);
    expect(await items(one)).toEqual(await items(other));
  });
});

describe('a dump', () => {
  it('is served as it is, and says so', async () => {
    const served = await serve({ from: [dump] });
    await served.until(({ freshness }) => expect(freshness.state).toBe('dump'));
    const { text } = await served.get('/');
    expect(text).toContain('a dump does not change');
    expect(text).not.toContain('EventSource');
    expect((await served.get('/readyz')).status).toBe(200);
    expect(await served.json('/api/v1/why')).toMatchObject({ source: { type: 'files' } });
    parseExposition((await served.get('/metrics')).text);
  });
});

describe('clients that behave badly', () => {
  it('are bounded in number', async () => {
    const served = await serve({ server: (await cluster()).url, 'max-pages': '2' });
    await served.until(isLive);
    await follow(served);
    await follow(served);
    const refused = await served.get('/events');
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('30');
  });

  it('get a short answer when they speak no HTTP, or too much of it', async () => {
    const served = await usual();
    const say = (text: string): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (chunk) => (answer += String(chunk)));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(answer));
      });
    expect(await say('EHLO there\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await say(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    expect(await say('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 (400|421) /);
  });

  it('are closed with the server', async () => {
    const served = await serveHere({ server: (await cluster()).url });
    await served.until(isLive);
    const { isClosed } = await follow(served);
    await served.close();
    await waitFor(() => expect(isClosed()).toBe(true));
    await expect(served.get('/healthz')).rejects.toThrow();
  });
});

async function classOf(served: Served): Promise<string | undefined> {
  const rows = await served.json('/api/v1/get/pvc?namespace=shop&name=cart');
  return rows.items[0]?.storageClass as string | undefined;
}
