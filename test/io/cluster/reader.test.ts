import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../../src/io/cluster/connect.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { forbidden, listOf, missing, notFound, startFakeApi, status } from '../../kit/fake-api.ts';
import type { ConnectionFlags } from '../../../src/io/cluster/flags.ts';
import type { ClusterReader, RequestTrace, TableRow, WatchEvent } from '../../../src/io/cluster/reader.ts';
import type { FakeAnswer, FakeApi, FakeRequest } from '../../kit/fake-api.ts';
import { openTlsFront } from '../../kit/tls-front.ts';
import type { TlsFront } from '../../kit/tls-front.ts';

const claim = (name: string, namespace = 'shop', phase = 'Pending'): object => ({
  metadata: { name, namespace, resourceVersion: '7' },
  status: { phase },
});
const whole = (...identity: Parameters<typeof claim>): object => ({
  kind: 'PersistentVolumeClaim',
  apiVersion: 'v1',
  ...claim(...identity),
});
const opened: { api: FakeApi; reader: ClusterReader; front?: TlsFront }[] = [];

/** Over TLS if there is a token, which is not sent otherwise. */
async function against(
  answer: (request: FakeRequest, count: number) => FakeAnswer | undefined,
  flags: ConnectionFlags = {},
  trace?: (request: RequestTrace) => void,
): Promise<{ api: FakeApi; reader: ClusterReader }> {
  const api = await startFakeApi(answer);
  const front = flags.token === undefined ? undefined : await openTlsFront(api.url);
  const reader = await connect(
    { server: front?.url ?? api.url, ...(front && { certificateAuthority: front.authority }), ...flags },
    { variables: { HOME: '/nonexistent' }, ...(trace ? { trace } : {}) },
  );
  opened.push({ api, reader, ...(front && { front }) });
  return { api, reader };
}

afterEach(async () => {
  for (const { api, reader, front } of opened.splice(0)) {
    reader.close();
    await front?.close();
    await api.close();
  }
});

describe('lists', () => {
  it.each([
    ['a continue token that is not a text', { continue: 7 }, 'with a continue token that is not a text'],
    ['items that remain, and no continue token', { remainingItemCount: 3 }, 'that ends 3 items too early'],
  ])('with %s are not complete', async (_name, metadata, message) => {
    const { reader } = await against(() => listOf([claim('a')], metadata));
    expect(await reader.list('PersistentVolumeClaim', { namespace: 'shop' })).toMatchObject({
      state: 'partial',
      objects: [{ metadata: { name: 'a' } }],
      failure: { state: 'failed', message: `the server sent a list of persistentvolumeclaims ${message}` },
    });
  });

  it('are read page by page, with the kind that list items lack', async () => {
    const { api, reader } = await against(
      ({ query }) =>
        query.get('continue') === 'next'
          ? listOf([claim('c')])
          : listOf([claim('a'), claim('b')], { continue: 'next' }),
      { chunkSize: 2 },
    );
    const result = await reader.list('PersistentVolumeClaim', { namespace: 'shop' });
    expect(result).toMatchObject({
      state: 'complete',
      resourceVersion: '100',
      objects: [
        { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'a' } },
        {},
        { metadata: { name: 'c' } },
      ],
    });
    expect(api.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
      '/api/v1/namespaces/shop/persistentvolumeclaims?limit=2',
      '/api/v1/namespaces/shop/persistentvolumeclaims?limit=2&continue=next',
    ]);
  });

  it('go on with the token that the server gives in place of one that has expired', async () => {
    const { api, reader } = await against(({ query }) => {
      if (query.get('continue') === 'old')
        return {
          status: 410,
          body: {
            kind: 'Status',
            status: 'Failure',
            reason: 'Expired',
            code: 410,
            message: 'The provided continue parameter is too old',
            metadata: { continue: 'rest' },
          },
        };
      return query.get('continue') === 'rest'
        ? listOf([claim('b')], { resourceVersion: '200' })
        : listOf([claim('a')], { continue: 'old' });
    });
    const result = await reader.list('PersistentVolumeClaim', {});
    expect(result).toMatchObject({
      state: 'complete',
      resourceVersion: '100',
      objects: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }],
    });
    expect(api.requests.every(({ query }) => query.has('limit'))).toBe(true);
  });

  it('begin again without pages when the continue token has expired and there is no other', async () => {
    const { api, reader } = await against(({ query }) => {
      if (query.has('continue')) return status(410, 'Expired', 'The provided continue parameter is too old');
      return query.has('limit') ? listOf([claim('a')], { continue: 'old' }) : listOf([claim('a'), claim('b')]);
    });
    const result = await reader.list('PersistentVolumeClaim', {});
    expect(result.state === 'complete' && result.objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(api.requests).toHaveLength(3);
  });

  it('pass selectors on', async () => {
    const { api, reader } = await against(() => listOf([]));
    await reader.list('Event', {
      namespace: 'shop',
      fieldSelector: 'involvedObject.uid=1',
      labelSelector: 'a in (b,c)',
    });
    expect(api.requests[0]?.query.get('fieldSelector')).toBe('involvedObject.uid=1');
    expect(api.requests[0]?.query.get('labelSelector')).toBe('a in (b,c)');
  });

  it('are tried again after 429 and after a connection that broke off', async () => {
    const traced: RequestTrace[] = [];
    const { reader } = await against(
      (_, count) => {
        if (count === 1) return { ...status(429, 'TooManyRequests', 'slow down'), headers: { 'retry-after': '0' } };
        return count === 2 ? { breaks: true } : listOf([claim('a')]);
      },
      {},
      (request) => traced.push(request),
    );
    expect(await reader.list('PersistentVolumeClaim', {})).toMatchObject({ state: 'complete', objects: [{}] });
    expect(traced.map((request) => request.status)).toEqual([429, 0, 200]);
    expect(traced[2]).toMatchObject({ method: 'GET', path: '/api/v1/persistentvolumeclaims?limit=500' });
  });

  it('that are refused are values', async () => {
    const { reader } = await against(
      ({ path }) => {
        if (path.endsWith('/nodes')) return forbidden('nodes');
        // To be asked again after the limit, so not at all.
        return path.endsWith('/pods')
          ? { ...status(500, 'InternalError', 'etcd is gone'), headers: { 'retry-after': '3600' } }
          : undefined;
      },
      { requestTimeout: '60s' },
    );
    expect(await reader.list('Node', {})).toMatchObject({
      state: 'denied',
      message: expect.stringContaining('cannot list'),
    });
    expect(await reader.list('Pod', {})).toEqual({ state: 'failed', message: 'etcd is gone' });
    expect(await reader.list('VolumeSnapshot', {})).toMatchObject({ state: 'absentApi' });
  });

  it('use an older version where the server has no newer one, and remember it', async () => {
    const { api, reader } = await against(({ path }) =>
      path.includes('/storage.k8s.io/v1beta1/') ? listOf([{ metadata: { name: 'gold' }, driverName: 'x' }]) : undefined,
    );
    expect(await reader.list('VolumeAttributesClass', {})).toMatchObject({
      state: 'complete',
      objects: [{ apiVersion: 'storage.k8s.io/v1beta1' }],
    });
    await reader.list('VolumeAttributesClass', {});
    expect(api.requests.map(({ path }) => path.split('/')[3])).toEqual(['v1', 'v1beta1', 'v1beta1']);
  });

  it('of claims come as a table where the server makes them, and as objects where it does not', async () => {
    const table = {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      columnDefinitions: [{ name: 'Name' }, { name: 'Status' }],
      rows: [{ cells: ['a', 'Bound'], object: { metadata: { name: 'a', namespace: 'shop' } } }],
      metadata: {},
    };
    const { api, reader } = await against((_, count) => (count === 1 ? { body: table } : listOf([claim('a')])));
    expect(await reader.listTable('PersistentVolumeClaim', {})).toMatchObject({
      state: 'complete',
      looked: 1,
      states: { Bound: 1 },
      rows: [
        {
          name: 'a',
          namespace: 'shop',
          cells: { name: 'a', status: 'Bound' },
          metadata: { name: 'a', namespace: 'shop' },
        },
      ],
    });
    expect(api.requests[0]?.headers.accept).toContain('as=Table');
    expect(await reader.listTable('PersistentVolumeClaim', {})).toMatchObject({
      objects: [{ metadata: { name: 'a' } }],
    });
  });

  it('of cells tell names without namespaces, and the objects of a row are found by its name and state', async () => {
    const page = (names: readonly string[], next: string) => ({
      body: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        columnDefinitions: [{ name: 'Name' }, { name: 'Status' }],
        rows: names.map((name) => ({ cells: [name, name === 'data' ? 'Pending' : 'Bound'], object: null })),
        metadata: { continue: next },
      },
    });
    const namesakes = [claim('data', 'blog', 'Bound'), claim('data', 'shop', 'Pending')];
    const { api, reader } = await against(({ query }) =>
      query.get('fieldSelector') === null
        ? page(
            query.get('continue') === null ? ['a', 'b'] : ['c', 'data', 'd'],
            query.get('continue') === null ? 'two' : '',
          )
        : listOf(namesakes),
    );
    const table = await reader.listTable(
      'PersistentVolumeClaim',
      {},
      { form: 'cells', keep: ({ cells }) => cells['status'] !== 'Bound' },
    );
    expect(table).toMatchObject({
      rows: [{ name: 'data', cells: { status: 'Pending' } }],
      looked: 5,
      states: { Bound: 4, Pending: 1 },
    });
    const [row] = 'rows' in table ? table.rows : [];
    expect(row?.namespace).toBeUndefined();
    expect(await reader.readRow('PersistentVolumeClaim', {}, row as TableRow)).toMatchObject({
      objects: [{ metadata: { namespace: 'shop' } }],
    });
    expect(
      api.requests.map(({ query }) => [
        query.get('continue'),
        query.get('includeObject'),
        query.get('limit'),
        query.get('fieldSelector'),
        query.get('resourceVersion'),
      ]),
    ).toEqual([
      [null, 'None', '5000', null, null],
      ['two', 'None', '5000', null, null],
      [null, null, '500', 'metadata.name=data', '0'],
    ]);
  });

  it('of cells come at once if there are many pages, not older than the first, and page by page where that is refused', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const answered = async (refuses: boolean) => {
      const { api, reader } = await against(({ query }) => {
        const isWhole = query.get('limit') === null;
        if (isWhole && refuses) return status(400, 'BadRequest', 'resourceVersionMatch is not known');
        const from = Number(query.get('continue') ?? 0);
        const rows = (isWhole ? names : [names[from]]).map((name) => ({ cells: [name, 'Pending'], object: null }));
        const next = isWhole || from === 3 ? {} : { continue: String(from + 1), remainingItemCount: 20_000 - from };
        return {
          body: {
            kind: 'Table',
            apiVersion: 'meta.k8s.io/v1',
            columnDefinitions: [{ name: 'Name' }, { name: 'Status' }],
            rows,
            metadata: { resourceVersion: '42', ...next },
          },
        };
      });
      const kept: string[] = [];
      const keep = ({ name }: TableRow): boolean => kept.push(name) > 0;
      const table = await reader.listTable('PersistentVolumeClaim', { namespace: 'shop' }, { form: 'cells', keep });
      expect(table).toMatchObject({ state: 'complete', looked: 4, states: { Pending: 4 } });
      expect(kept).toEqual(names);
      return [
        ...new Set(api.requests.map(({ query }) => [query.get('continue'), query.get('resourceVersion')].join(' '))),
      ];
    };
    expect(await answered(false)).toEqual([' ', ' 42']);
    expect(await answered(true)).toEqual([' ', ' 42', '1 ', '2 ', '3 ']);
  });

  it('are asked for anew where what the server has at hand does not hold them yet', async () => {
    const { reader } = await against(({ query }) =>
      listOf(
        query.get('resourceVersion') === '0' ? [claim('data', 'shop', 'Bound')] : [claim('data', 'shop', 'Pending')],
      ),
    );
    expect(
      await reader.readRow('PersistentVolumeClaim', {}, { name: 'data', cells: { status: 'Pending' }, metadata: {} }),
    ).toMatchObject({ state: 'complete', objects: [{ status: { phase: 'Pending' } }] });
  });

  it('are got at once where somebody knows the namespace, and searched for where that was wrong', async () => {
    const row: TableRow = { name: 'data', cells: { status: 'Pending' }, metadata: {} };
    const { api, reader } = await against(({ path }) => {
      if (path.includes('/shop/')) return { body: whole('data', 'shop', 'Pending') };
      if (path.includes('/blog/')) return { body: whole('data', 'blog', 'Bound') };
      return listOf([claim('data', 'shop', 'Pending')]);
    });
    expect(await reader.readRow('PersistentVolumeClaim', {}, row, 'shop')).toMatchObject({
      objects: [{ metadata: { namespace: 'shop' } }],
    });
    expect(api.requests).toHaveLength(1);
    expect(await reader.readRow('PersistentVolumeClaim', {}, row, 'blog')).toMatchObject({
      objects: [{ metadata: { namespace: 'shop' } }],
    });
    expect(api.requests).toHaveLength(3);
  });
});

describe('lists of a server that is not what it seems', () => {
  const page: FakeAnswer = { status: 404, body: '<html>not found</html>', headers: { 'content-type': 'text/html' } };
  const known = (answer: (request: FakeRequest) => FakeAnswer | undefined) => (request: FakeRequest) =>
    request.path === '/version' ? { body: { gitVersion: 'v1.34.0' } } : answer(request);

  it('of a core kind are never absent: a load balancer answered 404, and there were no claims', async () => {
    for (const answer of [
      page,
      notFound(),
      status(404, 'NotFound', 'the server could not find the requested resource'),
    ]) {
      const { reader } = await against(known(() => answer));
      await reader.serverVersion();
      expect(await reader.list('PersistentVolumeClaim', {})).toMatchObject({ state: 'failed' });
      expect(await reader.get('StorageClass', undefined, 'fast')).toMatchObject({ state: 'failed' });
    }
  });

  it('of an optional kind are absent only if the server proves it', async () => {
    const bare = { status: 404, body: '404 page not found\n' };
    const groups = (...names: readonly string[]): FakeAnswer => ({
      body: {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: names.map((name) => ({ name, versions: [{ version: 'v1' }] })),
      },
    });
    const stateOf = async (answer: FakeAnswer, discovery?: FakeAnswer): Promise<string> => {
      const { reader } = await against(known(({ path }) => (path === '/apis' ? discovery : answer)));
      await reader.serverVersion();
      return (await reader.list('VolumeSnapshot', {})).state;
    };
    expect(await stateOf(page)).toBe('failed');
    expect(await stateOf(notFound())).toBe('absentApi');
    expect(await stateOf(status(404, 'NotFound', 'the server could not find the requested resource'))).toBe(
      'absentApi',
    );
    expect(await stateOf(bare)).toBe('failed');
    expect(await stateOf(bare, groups('apps'))).toBe('absentApi');
    expect(await stateOf(bare, groups('apps', 'snapshot.storage.k8s.io'))).toBe('failed');
  });

  it('of a rare kind are not asked for where the server lists no such API, whatever this user may read', async () => {
    const groups = (...names: readonly string[]): FakeAnswer => ({
      body: { kind: 'APIGroupList', apiVersion: 'v1', groups: names.map((name) => ({ name, versions: [] })) },
    });
    const read = async (
      discovery: FakeAnswer,
    ): Promise<{ readonly state: string; readonly paths: readonly string[] }> => {
      const paths: string[] = [];
      const { reader } = await against(({ path }) => {
        if (/objectstorage|^\/apis$/.test(path)) paths.push(path);
        return path === '/apis' ? discovery : status(403, 'Forbidden', 'bucketclaims is forbidden');
      });
      const { state } = await reader.list('BucketClaim', {});
      await reader.list('BucketAccess', {});
      return { state, paths };
    };
    expect(await read(groups('apps'))).toEqual({ state: 'absentApi', paths: ['/apis'] });
    expect((await read(groups('apps', 'objectstorage.k8s.io'))).state).toBe('denied');
    // A list without workloads is not that of an API server, so it proves nothing.
    expect((await read(groups())).state).toBe('denied');
  });

  it('keep the first page when the second one is lost', async () => {
    const { reader } = await against(({ query }) =>
      query.has('continue') ? page : listOf([claim('a')], { continue: 'b' }),
    );
    expect(await reader.list('PersistentVolumeClaim', {})).toMatchObject({
      state: 'partial',
      objects: [{ metadata: { name: 'a' } }],
      failure: { state: 'failed', message: expect.stringContaining('web page (status 404)') },
    });
  });

  it('end when the server offers the same page over and over', async () => {
    const { api, reader } = await against(() => listOf([claim('a')], { continue: 'again' }));
    expect(await reader.list('PersistentVolumeClaim', {})).toMatchObject({
      state: 'partial',
      failure: {
        message: 'the list of persistentvolumeclaims does not end: the server keeps sending the same page',
      },
    });
    expect(api.requests).toHaveLength(2);
  });
});

describe('single objects', () => {
  it('are found, missing, or of a kind that the server does not know', async () => {
    const { reader } = await against(({ path }) => {
      if (path.endsWith('/fast'))
        return {
          body: { kind: 'StorageClass', apiVersion: 'storage.k8s.io/v1', metadata: { name: 'fast' }, provisioner: 'x' },
        };
      return path.endsWith('/slow') ? missing('storageclasses', 'slow') : undefined;
    });
    expect(await reader.get('StorageClass', undefined, 'fast')).toMatchObject({
      state: 'found',
      object: { kind: 'StorageClass', provisioner: 'x' },
    });
    expect(await reader.get('StorageClass', undefined, 'slow')).toEqual({ state: 'missing' });
    expect(await reader.get('VolumeSnapshot', 'shop', 'x')).toMatchObject({ state: 'absentApi' });
  });

  it('never include the contents or annotations of a secret, nor ask for them', async () => {
    const { api, reader } = await against(() => ({
      body: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'key', namespace: 'shop', annotations: { a: 'hunter2' } },
        data: { password: 'aHVudGVyMg==' },
      },
    }));
    const result = await reader.get('Secret', 'shop', 'key');
    expect(JSON.stringify(result)).not.toMatch(/hunter2|aHVu/);
    expect(result).toMatchObject({ state: 'found', object: { kind: 'Secret', metadata: { name: 'key' } } });
    expect(api.requests[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
  });
});

describe('a server that cannot be used is one sentence', () => {
  const failing = async (reader: ClusterReader): Promise<{ message: string; next?: string }> =>
    reader.list('Pod', {}).then(
      () => ({ message: 'worked' }),
      (error: { message: string; next?: string }) => error,
    );

  it('when nobody listens', async () => {
    const { api, reader } = await against(() => undefined);
    await api.close();
    expect((await failing(reader)).message).toMatch(/^the server http:\/\/127\.0\.0\.1:\d+ refused the connection$/);
  });

  it('when it hangs', async () => {
    const { reader } = await against(() => ({ hangs: true }), { requestTimeout: '200ms' });
    expect((await failing(reader)).message).toMatch(/did not answer within 200 ms$/);
  });

  it('when it does not take the token', async () => {
    const { reader } = await against(() => status(401, 'Unauthorized', 'Unauthorized'), { token: 'old' });
    const error = await failing(reader);
    expect(error.message).toMatch(/does not accept the credentials$/);
    expect(error.next).toMatch(/may have expired/);
  });

  it('when it is a web page', async () => {
    const { reader } = await against(() => ({ body: '<html>log in</html>', headers: { 'content-type': 'text/html' } }));
    expect((await failing(reader)).message).toMatch(/answered with a web page$/);
  });

  it('when it speaks no TLS', async () => {
    const { api } = await against(() => undefined);
    const reader = await connect(
      { server: api.url.replace('http:', 'https:') },
      { variables: { HOME: '/nonexistent' } },
    );
    expect((await failing(reader)).message).toMatch(/does not speak TLS$/);
    reader.close();
  });

  it('but one that goes away later is a failed read', async () => {
    const { api, reader } = await against(() => listOf([]));
    await reader.list('Pod', {});
    await api.close();
    expect(await reader.list('Node', {})).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('refused the connection'),
    });
  });
});

describe('a server that comes back', () => {
  it('is read again at once, also what it may not have', async () => {
    const away = await startApiServer(demoSnapshot(new Date()));
    await away.close();
    const reader = await connect({ server: away.url }, { variables: { HOME: '/nonexistent' } });
    await expect(reader.list('BucketClaim', {})).rejects.toThrow('refused the connection');
    const back = await startApiServer(demoSnapshot(new Date()), { port: away.port });
    expect(await reader.list('BucketClaim', {})).toMatchObject({ state: 'complete' });
    reader.close();
    await back.close();
  });
});

describe('a server that is upgraded while the program runs', () => {
  it('may drop the version that it served before', async () => {
    let served = 'v1beta1';
    const { reader } = await against(({ path }) => {
      if (path.includes(`/apis/storage.k8s.io/${served}/`)) return listOf([{ metadata: { name: 'gold' } }]);
      return status(404, 'NotFound', 'the server could not find the requested resource');
    });
    const list = () => reader.list('VolumeAttributesClass', {});
    expect(await list()).toMatchObject({ state: 'complete', objects: [{ apiVersion: 'storage.k8s.io/v1beta1' }] });
    served = 'v1';
    expect(await list()).toMatchObject({ state: 'complete', objects: [{ apiVersion: 'storage.k8s.io/v1' }] });
  });
});

describe('requests', () => {
  it('carry the token and whom to act as', async () => {
    const { api, reader } = await against(() => listOf([]), {
      token: 'abc',
      as: 'jo',
      asGroup: ['dev', 'ops'],
      asUid: '7',
    });
    await reader.list('Pod', {});
    expect(api.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer abc',
      'impersonate-user': 'jo',
      'impersonate-group': 'dev, ops',
      'impersonate-uid': '7',
    });
  });

  it('tell the time of the server', async () => {
    const { reader } = await against(() => ({ ...listOf([]), headers: { date: 'Wed, 01 Jan 2020 00:00:00 GMT' } }));
    await reader.list('Pod', {});
    expect(reader.now().toISOString()).toMatch(/^2020-01-01T00:00:0/);
  });

  it('learn the version of the server', async () => {
    const { reader } = await against(() => ({ body: { gitVersion: 'v1.36.4' } }));
    expect(await reader.serverVersion()).toBe('v1.36.4');
  });
});

describe('a watch', () => {
  it('goes on where it ended, and lists anew when it is too late', async () => {
    const events: WatchEvent[] = [];
    const done = new AbortController();
    const changed = (type: string, name: string, resourceVersion: string): object => ({
      type,
      object: { metadata: { name, namespace: 'shop', resourceVersion } },
    });
    const { api, reader } = await against(({ query }) => {
      if (!query.has('watch')) return listOf([claim('z')], { resourceVersion: '50' });
      if (query.get('resourceVersion') === '1')
        return {
          lines: [changed('ADDED', 'a', '2'), { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }],
        };
      if (query.get('resourceVersion') === '9')
        return { lines: [{ type: 'ERROR', object: { kind: 'Status', code: 410, message: 'too old' } }] };
      return { lines: [changed('DELETED', 'z', '51')], staysOpen: true };
    });
    await reader.watch(
      'PersistentVolumeClaim',
      { namespace: 'shop' },
      '1',
      (event) => {
        events.push(event);
        if (event.type === 'deleted') done.abort();
      },
      done.signal,
    );
    expect(
      events.map((event) =>
        event.type === 'relisted' ? `relisted ${event.objects.length}` : `${event.type} ${event.object.metadata.name}`,
      ),
    ).toEqual(['added a', 'relisted 1', 'deleted z']);
    expect(
      api.requests.filter(({ query }) => query.has('watch')).map(({ query }) => query.get('resourceVersion')),
    ).toEqual(['1', '9', '50']);
  });

  it('ends with the refusal', async () => {
    const { reader } = await against(() => forbidden('pods'));
    expect(await reader.watch('Pod', {}, '1', () => undefined, new AbortController().signal)).toMatchObject({
      state: 'denied',
    });
  });
});
