import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messageOf, newsOf } from '../../../src/commands/serve/notice.ts';
import { headersOf, receiverOf } from '../../../src/commands/serve/options.ts';
import { emptyPicture } from '../../../src/commands/serve/picture.ts';
import type { Picture } from '../../../src/commands/serve/picture.ts';
import { LeaseHolder } from '../../../src/commands/serve/run/lease.ts';
import { Notifier } from '../../../src/commands/serve/run/notifier.ts';
import { decodeMemory, encodeMemory } from '../../../src/commands/serve/run/state-file.ts';
import { connectBoth } from '../../../src/io/cluster/connect.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoBackend } from '../../../src/sim/demo/demo-backend.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { serveHere } from '../../kit/serve.ts';
import type { Served } from '../../kit/serve.ts';

const opened: (() => unknown)[] = [];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

const waitFor = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 240_000, interval: 30 });

interface Receiver {
  readonly url: string;
  readonly messages: any[];
  readonly headers: IncomingHttpHeaders[];
  /** What is answered next; 200 when nothing is left. */
  readonly answers: number[];
}

async function receiver(): Promise<Receiver> {
  const messages: any[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const status = answers.shift() ?? 200;
      headers.push(request.headers);
      if (status === 200) messages.push(JSON.parse(text));
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`, messages, headers, answers };
}

async function cluster(): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(new Date()), { controllers: { backend: demoBackend, stepMs: 20 } });
  opened.push(() => server.close());
  return server;
}

async function serve(flags: Parameters<typeof serveHere>[0]): Promise<Served> {
  const served = await serveHere(flags);
  opened.push(() => served.close());
  return served;
}

const causesOf = (message: any): string[] => message.details.appeared.map(({ cause }: any) => cause);

/** A claim of its own cause. */
const lonely = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: `absent-${name}`,
    resources: { requests: { storage: '1Gi' } },
  },
  status: { phase: 'Pending' },
});

describe('notifications', () => {
  it('begin with one summary, then say once what appears and once what clears', async () => {
    const [to, server] = [await receiver(), await cluster()];
    await serve({ server: server.url, notify: to.url });
    await waitFor(() => expect(to.messages.length).toBe(1));
    const [first] = to.messages;
    expect(first.text).toMatch(/^Storage is stuck for \d+ causes \(/);
    expect(first.details).toMatchObject({ kind: 'StorageNotice', first: true, cleared: [] });
    expect(causesOf(first)).toContain('sc-missing');
    server.apply(lonely('late'));
    await waitFor(() => expect(to.messages.length).toBe(2));
    expect(to.messages[1].text).toMatch(/^Storage is stuck: sc-missing \(/);
    expect(to.messages[1].attachments).toMatchObject([{ title: 'sc-missing', color: 'danger' }]);
    expect(to.messages[1].attachments[0].text).toContain('absent-late');
    server.remove('PersistentVolumeClaim', 'shop', 'late');
    await waitFor(() => expect(to.messages.length).toBe(3));
    expect(to.messages[2]).toMatchObject({
      text: expect.stringMatching(/^Cleared: sc-missing \(/),
      details: { cleared: [{ cause: 'sc-missing' }] },
    });
    await sleep(1000);
    expect(to.messages.length).toBe(3);
  });

  it('are not repeated after a restart, and what happened in between is told', async () => {
    const [to, server] = [await receiver(), await cluster()];
    const state = join(folder, 'announced.json');
    const first = await serveHere({ server: server.url, notify: to.url, state });
    await waitFor(() => expect(to.messages.length).toBe(1));
    await waitFor(() => expect(decodeMemory(readFileSync(state, 'utf8'))?.length).toBeGreaterThan(5));
    await first.close();
    server.apply(lonely('between'));
    await serve({ server: server.url, notify: to.url, state });
    await waitFor(() => expect(to.messages.length).toBe(2));
    expect(causesOf(to.messages[1])).toEqual(['sc-missing']);
    expect(to.messages[1].details.first).toBe(false);
  });

  it('are sent again until they arrive, without the address in what is said', async () => {
    const to = await receiver();
    to.answers.push(500, 429, 302);
    const said: string[] = [];
    let kept = 0;
    const notifier = new Notifier({
      url: to.url,
      headers: { authorization: 'Bearer very-secret' },
      settleMs: 0,
      place: { isMine: () => true, load: () => [], save: async () => ((kept += 1), true) },
      complain: (text) => void said.push(text),
      firstRetryMs: 10,
      lookMs: 5,
    });
    opened.push(() => notifier.close());
    notifier.take(picture({ stuck: [note('sc-missing')] }));
    await waitFor(() => expect(to.messages.length).toBe(1));
    await waitFor(() => expect(kept).toBe(1));
    expect(notifier.counts).toEqual({ sent: 1, failed: 3 });
    expect(to.headers.every(({ authorization }) => authorization === 'Bearer very-secret')).toBe(true);
    expect(said).toEqual(
      [500, 429, 302].map(
        (status) =>
          `A notification could not be delivered: the receiver answered with status ${status}. It is sent again later.`,
      ),
    );
    expect(said.join()).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('name no address either when nobody is there', async () => {
    const said: string[] = [];
    const notifier = new Notifier({
      url: 'http://127.0.0.1:9/T000/secret-path',
      headers: {},
      settleMs: 0,
      place: { isMine: () => true, load: () => [], save: async () => true },
      complain: (text) => void said.push(text),
      firstRetryMs: 10,
      lookMs: 5,
    });
    opened.push(() => notifier.close());
    notifier.take(picture({ stuck: [note('sc-missing')] }));
    await waitFor(() => expect(notifier.counts.failed).toBeGreaterThan(2));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/cannot be reached \(\w[\w ]+\)/);
    expect(said[0]).not.toMatch(/secret|T000/);
  });

  it('wait until a cause has lasted', async () => {
    const to = await receiver();
    const notifier = new Notifier({
      url: to.url,
      headers: {},
      settleMs: 300,
      place: { isMine: () => true, load: () => [], save: async () => true },
      complain: () => undefined,
      lookMs: 5,
    });
    opened.push(() => notifier.close());
    notifier.take(picture({ stuck: [note('sc-missing')] }));
    await sleep(50);
    notifier.take(picture({ stuck: [] }));
    await sleep(400);
    expect(to.messages).toEqual([]);
    notifier.take(picture({ stuck: [note('sc-missing')] }));
    await waitFor(() => expect(to.messages.length).toBe(1));
  });

  it('begin although other causes come and go all the time', async () => {
    const to = await receiver();
    const notifier = new Notifier({
      url: to.url,
      headers: {},
      settleMs: 100,
      place: { isMine: () => true, load: () => undefined, save: async () => true },
      complain: () => undefined,
      lookMs: 5,
    });
    let count = 0;
    const churn = setInterval(() => {
      count += 1;
      notifier.take(picture({ stuck: [note('sc-missing'), note('pvc-lost', `pvc-lost#${count}`)] }));
    }, 10);
    opened.push(() => {
      clearInterval(churn);
      notifier.close();
    });
    await waitFor(() => expect(to.messages.map(causesOf)).toEqual([['sc-missing']]));
  });
});

function note(cause: string, key = cause) {
  return {
    key,
    cause,
    summary: `${cause} <!channel> & more`,
    count: 1,
    namespaces: ['shop'],
    targets: ['PersistentVolumeClaim|shop|data'],
  };
}

function picture(rest: Partial<Picture>): Picture {
  const live = { state: 'live', since: '2026-01-01T00:00:00Z' } as const;
  return {
    ...emptyPicture('test', live.since),
    revision: '1',
    freshness: live,
    isUp: true,
    isSearched: true,
    takenAt: live.since,
    ...rest,
  };
}

describe('what is news', () => {
  const memory = [{ key: 'sc-missing', cause: 'sc-missing', targets: ['PersistentVolumeClaim|shop|data'] }];
  const cleared = (seen: Partial<Picture>, known = memory): number | undefined =>
    newsOf(picture(seen), known)?.cleared.length;

  it('is never that something cleared which could not be seen', () => {
    expect(cleared({})).toBe(1);
    expect(cleared({ stuck: [note('sc-missing')] })).toBe(0);
    expect(cleared({ isSearched: false })).toBe(0);
    expect(cleared({ unknown: ['PersistentVolumeClaim|shop|data'] })).toBe(0);
    expect(cleared({ unknown: ['PersistentVolumeClaim|shop|other'] })).toBe(1);
    expect(cleared({ unknown: ['PersistentVolumeClaim|shop|other'] }, [{ ...memory[0]!, targets: [] }])).toBe(0);
    const many = Array.from({ length: 20 }, (_, index) => `PersistentVolumeClaim|shop|data-${index}`);
    expect(cleared({ unknown: ['PersistentVolumeClaim|shop|other'] }, [{ ...memory[0]!, targets: many }])).toBe(0);
    expect(cleared({ stuck: Array.from({ length: 200 }, (_, index) => note(`other-${index}`)) })).toBe(0);
    for (const state of ['stale', 'connecting', 'dump'] as const)
      expect(cleared({ freshness: { state, since: '2026-01-01T00:00:00Z' } })).toBeUndefined();
  });

  it('cannot ring a channel or forge a link', () => {
    const text = JSON.stringify({
      ...messageOf({ isFirst: false, appeared: [note('sc-missing')], cleared: [] }, picture({ sourceName: '<!here>' })),
      details: {},
    });
    expect(text).not.toMatch(/<!/);
    expect(text).toContain('&lt;!channel&gt; &amp; more');
  });

  it('survives being stored, and what is not a state is none', () => {
    expect(decodeMemory(encodeMemory(memory, true))).toEqual(memory);
    expect(decodeMemory(encodeMemory(memory, false))).toEqual([{ ...memory[0]!, targets: [] }]);
    for (const text of [
      undefined,
      '',
      '{',
      '[]',
      '{"kind":"Other","causes":[]}',
      '{"kind":"AnnouncedCauses","causes":1}',
      'null',
    ])
      expect(decodeMemory(text), text).toBeUndefined();
    expect(
      decodeMemory('{"kind":"AnnouncedCauses","causes":[{"key":1},{"key":"a","cause":"b","targets":[3]}]}'),
    ).toEqual([{ key: 'a', cause: 'b', targets: [] }]);
  });
});

describe('the receiver', () => {
  const refused = (text: string, hasHeaders = false): string => {
    try {
      return receiverOf(text, hasHeaders, '--notify');
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is an address whose secrets are not repeated when it is wrong', () => {
    expect(refused(' https://hooks.example.com/T0/B0 \n')).toBe('https://hooks.example.com/T0/B0');
    expect(refused('hooks.example.com/T0/secret')).toBe('--notify must be an http or https address');
    expect(refused('https://joe:secret@hooks.example.com/')).toBe('--notify holds a password');
    expect(refused('http://hooks.example.com/', true)).toBe(
      '--notify-header-file would send its headers without encryption',
    );
    expect(refused('http://127.0.0.1:1/', true)).toBe('http://127.0.0.1:1/');
  });

  it('gets the headers of a file', () => {
    expect(headersOf('Authorization: Bearer a:b \r\n\nX-Team: storage\n', 'f')).toEqual({
      authorization: 'Bearer a:b',
      'x-team': 'storage',
    });
    expect(() => headersOf('Bearer abc', 'f')).toThrow('line 1 of f is not "Name: value"');
    expect(() => headersOf('\n', 'f')).toThrow('f holds no header');
  });
});

describe('two replicas with a lease', () => {
  it('notify once, and the other one continues where the first has ended', async () => {
    const [to, server] = [await receiver(), await cluster()];
    const flags = { server: server.url, notify: to.url, lease: 'default/kubectl-csi' };
    const one = await serveHere(flags);
    await waitFor(() => expect(to.messages.length).toBe(1));
    const other = await serve(flags);
    const leads = async (served: Served): Promise<string | undefined> =>
      /^kubectl_csi_serve_leader (\d)/m.exec((await served.get('/metrics')).text)?.[1];
    await other.until(({ freshness }) => expect(freshness.state).toBe('live'));
    expect([await leads(one), await leads(other)]).toEqual(['1', '0']);
    server.apply(lonely('once'));
    await waitFor(() => expect(to.messages.length).toBe(2));
    await sleep(1000);
    expect(to.messages.length).toBe(2);
    await one.close();
    await waitFor(async () => expect(await leads(other)).toBe('1'));
    server.remove('PersistentVolumeClaim', 'shop', 'once');
    await waitFor(() => expect(to.messages.length).toBe(3));
    expect(to.messages[2].details).toMatchObject({ first: false, appeared: [], cleared: [{ cause: 'sc-missing' }] });
  });

  it('have one holder at a time, take over what is not renewed, and give it up when they end', async () => {
    const server = await cluster();
    const { client } = await connectBoth({ server: server.url, kubeconfig: '/dev/null' } as never);
    const said: string[] = [];
    const times = { durationSeconds: 1, renewMs: 100 };
    const holder = (): LeaseHolder =>
      new LeaseHolder(client, { namespace: 'default', name: 'one' }, (text) => void said.push(text), times);
    server.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'one', namespace: 'default' },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 1, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    const [one, other] = [holder(), holder()];
    one.start();
    other.start();
    expect([one.isHeld, other.isHeld]).toEqual([false, false]);
    await waitFor(() => expect([one.isHeld, other.isHeld].filter(Boolean)).toHaveLength(1));
    const [first, second] = one.isHeld ? [one, other] : [other, one];
    for (let look = 0; look < 20; look += 1) {
      expect([one.isHeld, other.isHeld].filter(Boolean).length).toBeLessThanOrEqual(1);
      await sleep(50);
    }
    expect(await first.remember('what was said')).toBe(true);
    await first.close();
    await waitFor(() => expect(second.isHeld).toBe(true));
    expect(second.memory).toBe('what was said');
    await second.close();
    expect(said).toEqual([]);
  });

  it('notify nobody while the lease may not be written, and say so', async () => {
    const to = await receiver();
    const server = await startApiServer(demoSnapshot(new Date()), {
      controllers: { backend: demoBackend },
      faults: { deny: (kind, verb) => kind === 'Lease' && verb === 'create' },
    });
    opened.push(() => server.close());
    const served = await serve({ server: server.url, notify: to.url, lease: 'default/kubectl-csi' });
    await served.until(({ freshness }) => expect(freshness.state).toBe('live'));
    await sleep(1000);
    expect(to.messages).toEqual([]);
  });
});

it('a state that cannot be written is refused before anything is served', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(
    serveHere({ server: 'http://127.0.0.1:9', notify: 'http://127.0.0.1:9/', state: join(file, 'x') }),
  ).rejects.toThrow('cannot be written');
});
