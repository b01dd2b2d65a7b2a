import { describe, expect, it } from 'vitest';
import { ask, claim, namesIn, pod, serve } from './cluster.ts';

const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';
const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: 'disk.csi.example.com',
};

describe('reading objects', () => {
  it('gets one object with its kind and version', async () => {
    const server = await serve([claim('shop', 'data')]);
    const { status, body } = await ask(server, `${claims}/data`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
      status: { phase: 'Pending' },
    });
  });

  it('lists a namespace and the whole cluster in the order of keys', async () => {
    const server = await serve([claim('shop', 'b'), claim('shop-2', 'a'), claim('shop', 'a')]);
    expect(namesIn((await ask(server, claims)).body)).toEqual(['a', 'b']);
    const all = (await ask(server, '/api/v1/persistentvolumeclaims')).body;
    expect(all.items.map((item: any) => `${item.metadata.namespace}/${item.metadata.name}`)).toEqual([
      'shop-2/a',
      'shop/a',
      'shop/b',
    ]);
    expect(all).toMatchObject({
      kind: 'PersistentVolumeClaimList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '7' },
    });
  });

  it('leaves kind and apiVersion off the items of built-in lists, and keeps them on custom ones', async () => {
    const snapshot = {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { name: 'nightly', namespace: 'shop' },
    };
    const server = await serve([storageClass, snapshot]);
    expect((await ask(server, '/apis/storage.k8s.io/v1/storageclasses')).body.items[0]).toEqual({
      metadata: { name: 'fast' },
      provisioner: 'disk.csi.example.com',
    });
    expect((await ask(server, '/apis/snapshot.storage.k8s.io/v1/volumesnapshots')).body.items[0].kind).toBe(
      'VolumeSnapshot',
    );
  });

  it('answers an empty list for a namespace that does not exist', async () => {
    const server = await serve([]);
    expect((await ask(server, claims)).body.items).toEqual([]);
  });

  it('says what was not found', async () => {
    const server = await serve([]);
    expect((await ask(server, `${claims}/data`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'persistentvolumeclaims "data" not found',
      reason: 'NotFound',
      details: { name: 'data', kind: 'persistentvolumeclaims' },
      code: 404,
    });
    const missing = await ask(server, '/apis/storage.k8s.io/v1/storageclasses/gold');
    expect(missing.body).toMatchObject({
      message: 'storageclasses.storage.k8s.io "gold" not found',
      details: { group: 'storage.k8s.io', kind: 'storageclasses', name: 'gold' },
    });
  });

  it.each([
    '/apis/nothing.example.com/v1/things',
    '/api/v1/namespaces/shop/persistentvolumes',
    '/api/v1/persistentvolumeclaims/data',
    '/nowhere',
    '/api/v1/namespaces/%E0%A4%A/pods',
  ])('knows no page at %s', async (path) => {
    const server = await serve([]);
    expect(await ask(server, path)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  it('serves kinds that it meets only in the snapshot', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'backups.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Backup', plural: 'backupz' },
        versions: [{ name: 'v1' }],
      },
    };
    const server = await serve([
      definition,
      { apiVersion: 'example.com/v1', kind: 'Backup', metadata: { name: 'one', namespace: 'shop' } },
      { apiVersion: 'policy.example.com/v1', kind: 'Policy', metadata: { name: 'two' } },
    ]);
    expect((await ask(server, '/apis/example.com/v1/namespaces/shop/backupz')).body.items).toHaveLength(1);
    expect((await ask(server, '/apis/policy.example.com/v1/policies/two')).status).toBe(200);
  });

  it('does not serve what the snapshot says is absent, and denies what it says was denied', async () => {
    const server = await serve(
      [],
      { user: 'somebody' },
      {
        observations: [
          { kind: 'VolumeSnapshot', scope: {}, state: 'absentApi' },
          { kind: 'PersistentVolume', scope: {}, state: 'denied' },
        ],
      },
    );
    expect((await ask(server, '/apis/snapshot.storage.k8s.io/v1/volumesnapshots')).status).toBe(404);
    expect((await ask(server, '/api/v1/persistentvolumes')).status).toBe(403);
  });

  it('never holds the contents of a secret', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'shop' },
      type: 'Opaque',
      data: { password: 'aHVudGVyMg==' },
      stringData: { a: 'b' },
    };
    const server = await serve([secret]);
    expect((await ask(server, '/api/v1/namespaces/shop/secrets/login')).body).toEqual({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'login', namespace: 'shop' },
      type: 'Opaque',
    });
  });

  it('shows events under both of their groups, whichever the dump used', async () => {
    const modern = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'shop' },
      regarding: { kind: 'Pod', name: 'web' },
      note: 'no node',
      reportingController: 'default-scheduler',
      type: 'Warning',
    };
    const server = await serve([modern]);
    const core = (await ask(server, '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3Dweb')).body;
    expect(core.items).toMatchObject([
      { involvedObject: { name: 'web' }, message: 'no node', reportingComponent: 'default-scheduler' },
    ]);
    expect(
      (await ask(server, '/apis/events.k8s.io/v1/namespaces/shop/events?fieldSelector=regarding.name%3Dweb')).body
        .items,
    ).toMatchObject([{ regarding: { name: 'web' }, note: 'no node' }]);
  });
});

describe('selecting', () => {
  const objects = [
    claim('shop', 'a', { labels: { app: 'web' } }),
    claim('shop', 'b', { labels: { app: 'db', tier: 'gold' } }),
    claim('data', 'c'),
  ];

  it.each([
    ['labelSelector=app%3Dweb', ['a']],
    ['labelSelector=app%20in%20(web,db)', ['a', 'b']],
    ['labelSelector=!app', ['c']],
    ['fieldSelector=metadata.name%3Db', ['b']],
    ['fieldSelector=metadata.name!%3Db', ['c', 'a']],
    ['fieldSelector=metadata.namespace%3Dshop&labelSelector=tier', ['b']],
  ])('lists by %s', async (query, names) => {
    const server = await serve(objects);
    expect(namesIn((await ask(server, `/api/v1/persistentvolumeclaims?${query}`)).body)).toEqual(names);
  });

  it('finds pods by node, also those without one', async () => {
    const server = await serve([pod('shop', 'here', 'node-a'), pod('shop', 'nowhere', undefined)]);
    expect(namesIn((await ask(server, '/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-a')).body)).toEqual(['here']);
    expect(namesIn((await ask(server, '/api/v1/pods?fieldSelector=spec.nodeName%3D')).body)).toEqual(['nowhere']);
    expect(namesIn((await ask(server, '/api/v1/pods?fieldSelector=status.phase!%3DRunning')).body)).toEqual([
      'nowhere',
    ]);
  });

  it('refuses fields that the real server refuses', async () => {
    const server = await serve(objects);
    const unknown = await ask(server, '/api/v1/persistentvolumeclaims?fieldSelector=status.phase%3DPending');
    expect(unknown.body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
    expect((await ask(server, '/api/v1/pods?fieldSelector=spec.color%3Dred')).body.message).toBe(
      'field label not supported: spec.color',
    );
    expect(
      (await ask(server, '/apis/storage.k8s.io/v1/volumeattachments?fieldSelector=spec.nodeName%3Da')).status,
    ).toBe(400);
    expect((await ask(server, '/api/v1/pods?labelSelector=a%3D%3D%3Db')).status).toBe(400);
    expect((await ask(server, '/api/v1/pods?fieldSelector=nonsense')).status).toBe(400);
  });
});

describe('forms', () => {
  it('gives metadata only', async () => {
    const server = await serve([claim('shop', 'data')]);
    const one = await ask(server, `${claims}/data`, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
    expect(one.body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'data' },
    });
    expect(one.body.spec).toBeUndefined();
    const list = await ask(server, claims, 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1');
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ kind: 'PartialObjectMetadata' }] });
    expect((await ask(server, claims, 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')).status).toBe(
      406,
    );
  });

  it('skips forms it does not speak and falls back to JSON, or says that it cannot', async () => {
    const server = await serve([claim('shop', 'data')]);
    expect((await ask(server, claims, 'application/vnd.kubernetes.protobuf,application/json')).body.kind).toBe(
      'PersistentVolumeClaimList',
    );
    expect((await ask(server, claims, 'application/vnd.kubernetes.protobuf')).body).toMatchObject({
      code: 406,
      reason: 'NotAcceptable',
    });
  });

  it('compresses what is large', async () => {
    const server = await serve(Array.from({ length: 1000 }, (_, index) => claim('shop', `data-${index}`)));
    const { body, headers } = await ask(server, claims);
    expect(body.items).toHaveLength(1000);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(server.requests.at(-1)?.bytes).toBeLessThan(60_000);
  });
});

describe('everything else', () => {
  it('tells its version', async () => {
    const server = await serve([], {}, { serverVersion: 'v1.31.2' });
    expect((await ask(server, '/version')).body).toMatchObject({ major: '1', minor: '31', gitVersion: 'v1.31.2' });
  });

  it('is discovered the old way and the new way', async () => {
    const server = await serve([]);
    expect((await ask(server, '/api')).body.versions).toEqual(['v1']);
    const storage = (await ask(server, '/apis/storage.k8s.io/v1')).body;
    expect(storage.resources.find((resource: any) => resource.name === 'storageclasses')).toMatchObject({
      kind: 'StorageClass',
      namespaced: false,
      shortNames: ['sc'],
    });
    expect((await ask(server, '/apis')).body.groups.map((group: any) => group.name)).toContain('coordination.k8s.io');
    const aggregated = await ask(
      server,
      '/apis',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
    );
    expect(aggregated.headers.get('content-type')).toContain('as=APIGroupDiscoveryList');
    expect(aggregated.body.items.find((item: any) => item.metadata.name === 'storage.k8s.io').versions[0].version).toBe(
      'v1',
    );
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('refuses to %s', async (method) => {
    const server = await serve([claim('shop', 'data')]);
    expect((await ask(server, `${claims}/data`, 'application/json', { method, body: '{}' })).body).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
    });
  });

  it('remembers what was asked of it', async () => {
    const server = await serve([]);
    await ask(server, `${claims}?limit=5&labelSelector=a`);
    expect(server.requests).toEqual([
      {
        method: 'GET',
        path: claims,
        query: { limit: '5', labelSelector: 'a' },
        accept: 'application/json',
        status: 200,
        bytes: expect.any(Number),
      },
    ]);
  });
});
