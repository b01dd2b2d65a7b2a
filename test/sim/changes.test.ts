import { describe, expect, it } from 'vitest';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { willingBackend } from '../../src/sim/controllers/backend.ts';
import { ask, claim, serve } from './cluster.ts';
import type { JsonAnswer } from './cluster.ts';

const namespace = (name: string): RawObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
  status: { phase: 'Active' },
});
const storageClass = (more: object = {}): RawObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: 'disk.example.com',
  parameters: { type: 'ssd' },
  ...more,
});
const deployment: RawObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u-web', generation: 1 },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: {} },
};
const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';

/** A server that takes changes; its controllers rest, so that only the change itself is seen. */
const serveWritable = (objects: readonly RawObject[]): Promise<ApiServer> =>
  serve([namespace('shop'), ...objects], { controllers: { backend: willingBackend, stepMs: 600_000 } });

function send(
  server: ApiServer,
  method: string,
  path: string,
  body: unknown,
  type = 'application/json',
): Promise<JsonAnswer> {
  return ask(server, path, 'application/json', {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': type },
  });
}
const merge = 'application/merge-patch+json';

describe('creating', () => {
  it('fills in what a server fills in', async () => {
    const server = await serveWritable([
      storageClass({
        metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      }),
    ]);
    const { status, body } = await send(server, 'POST', claims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'new' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: { namespace: 'shop', generation: 1, finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { storageClassName: 'fast', volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    });
    expect(body.metadata.uid).toMatch(/-/);
    expect((await ask(server, `${claims}/new`)).body.metadata.uid).toBe(body.metadata.uid);
  });

  it.each([
    ['what is there already', {}, 409, 'AlreadyExists', 'persistentvolumeclaims "data" already exists'],
    [
      'a claim without a size',
      { metadata: { name: 'b' }, spec: { accessModes: ['ReadWriteOnce'] } },
      422,
      'Invalid',
      'spec.resources.requests.storage: Required value',
    ],
    ['a name in capitals', { metadata: { name: 'Big' } }, 422, 'Invalid', 'a lowercase RFC 1123 subdomain'],
    ['another kind', { kind: 'Pod' }, 400, 'BadRequest', 'cannot be handled as a PersistentVolumeClaim'],
    [
      'a namespace that the path does not name',
      { metadata: { name: 'b', namespace: 'ci' } },
      400,
      'BadRequest',
      'does not match the namespace',
    ],
  ])('refuses %s', async (_, more, code, reason, message) => {
    const server = await serveWritable([claim('shop', 'data')]);
    const { metadata: _metadata, ...rest } = claim('shop', 'data');
    const { status, body } = await send(server, 'POST', claims, { ...rest, metadata: { name: 'data' }, ...more });
    expect(status).toBe(code);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', reason, code });
    expect(body.message).toContain(message);
  });

  it('refuses what a quota has no room for, in the words of the server', async () => {
    const quota = { hard: { 'requests.storage': '1Gi' }, used: { 'requests.storage': '500Mi' } };
    const server = await serveWritable([
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace: 'shop' },
        spec: { hard: quota.hard },
        status: quota,
      },
    ]);
    const { metadata: _metadata, ...rest } = claim('shop', 'data');
    expect((await send(server, 'POST', claims, { ...rest, metadata: { name: 'data' } })).body).toMatchObject({
      code: 403,
      message:
        'persistentvolumeclaims "data" is forbidden: exceeded quota: small, requested: requests.storage=1Gi, used: requests.storage=500Mi, limited: requests.storage=1Gi',
    });
  });

  it('keeps nothing on a dry run, and nothing in a namespace that is not there', async () => {
    const server = await serveWritable([]);
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };
    const path = '/api/v1/namespaces/shop/configmaps';
    expect((await send(server, 'POST', `${path}?dryRun=All`, configMap)).status).toBe(201);
    expect((await ask(server, `${path}/a`)).status).toBe(404);
    expect((await send(server, 'POST', path.replace('shop', 'nowhere'), configMap)).body.message).toBe(
      'namespaces "nowhere" not found',
    );
  });

  it('serves a kind as soon as it is defined', async () => {
    const server = await serveWritable([]);
    await send(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Gadget', plural: 'gadgets' },
        scope: 'Namespaced',
        versions: [{ name: 'v1' }],
      },
    });
    const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'a' }, anything: [1, 2] };
    const path = '/apis/example.com/v1/namespaces/shop/gadgets';
    expect((await send(server, 'POST', path, gadget)).status).toBe(201);
    expect((await ask(server, path)).body.items[0]).toMatchObject({ kind: 'Gadget', anything: [1, 2] });
  });
});

describe('a kind that nobody has defined', () => {
  it('is kept as it is', async () => {
    const server = await serveWritable([]);
    const path = '/apis/tools.example.com/v1beta1/namespaces/shop/settings';
    const setting = { apiVersion: 'tools.example.com/v1beta1', kind: 'Setting', metadata: { name: 'a' }, value: 7 };
    expect((await send(server, 'POST', path, setting)).status).toBe(201);
    expect((await ask(server, `${path}/a`)).body.value).toBe(7);
    expect((await ask(server, '/apis/tools.example.com/v1beta1')).body.resources[0].name).toBe('settings');
    expect((await send(server, 'POST', '/apis/authorization.example.com/v1/reviews', { kind: 'Other' })).status).toBe(
      404,
    );
  });
});

describe('changing', () => {
  it.each([
    ['application/merge-patch+json', { metadata: { labels: { app: 'web', old: null } } }],
    ['application/strategic-merge-patch+json', { metadata: { labels: { app: 'web', old: null } } }],
    [
      'application/json-patch+json',
      [
        { op: 'add', path: '/metadata/labels/app', value: 'web' },
        { op: 'remove', path: '/metadata/labels/old' },
      ],
    ],
  ])('takes %s', async (type, patch) => {
    const server = await serveWritable([claim('shop', 'data', { labels: { old: 'yes' } })]);
    const { status, body } = await send(server, 'PATCH', `${claims}/data`, patch, type);
    expect(status).toBe(200);
    expect(body.metadata.labels).toEqual({ app: 'web' });
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(7);
  });

  it.each([
    [
      'the class of a claim',
      claim('shop', 'data'),
      `${claims}/data`,
      { spec: { storageClassName: 'slow' } },
      'spec is immutable after creation',
    ],
    [
      'the parameters of a class',
      storageClass(),
      '/apis/storage.k8s.io/v1/storageclasses/fast',
      { parameters: { type: 'hdd' } },
      'updates to parameters are forbidden.',
    ],
    [
      'the source of a volume',
      { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'a' }, spec: { nfs: { server: 'x' } } },
      '/api/v1/persistentvolumes/a',
      { spec: { nfs: { server: 'y' } } },
      'spec.persistentvolumesource is immutable after creation',
    ],
  ])('does not change %s', async (_, object, path, patch, message) => {
    const server = await serveWritable([object]);
    const { status, body } = await send(server, 'PATCH', path, patch, merge);
    expect(status).toBe(422);
    expect(body).toMatchObject({ reason: 'Invalid' });
    expect(body.message).toContain(message);
  });

  it('refuses to overwrite what somebody else has changed meanwhile', async () => {
    const server = await serveWritable([claim('shop', 'data')]);
    const { body: read } = await ask(server, `${claims}/data`);
    await send(server, 'PATCH', `${claims}/data`, { metadata: { labels: { a: 'b' } } }, merge);
    const { status, body } = await send(server, 'PUT', `${claims}/data`, read);
    expect(status).toBe(409);
    expect(body).toMatchObject({ reason: 'Conflict' });
    expect(body.message).toContain('the object has been modified; please apply your changes to the latest version');
  });

  it('gives no new version to a change that changes nothing', async () => {
    const server = await serveWritable([claim('shop', 'data', { labels: { a: 'b' } })]);
    const { body } = await send(server, 'PATCH', `${claims}/data`, { metadata: { labels: { a: 'b' } } }, merge);
    expect(body.metadata.resourceVersion).toBe('7');
  });

  it('counts generations of the spec, not of the metadata or the status', async () => {
    const server = await serveWritable([deployment]);
    const path = '/apis/apps/v1/namespaces/shop/deployments/web';
    const generation = async (patch: object, sub = ''): Promise<number> =>
      (await send(server, 'PATCH', path + sub, patch, merge)).body.metadata.generation;
    expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation({ status: { replicas: 2 } }, '/status')).toBe(1);
    expect(await generation({ spec: { replicas: 3 } })).toBe(2);
    // A status that is sent to the object itself is ignored.
    expect((await send(server, 'PATCH', path, { status: { replicas: 9 } }, merge)).body.status.replicas).toBe(2);
  });

  it('scales through the subresource', async () => {
    const server = await serveWritable([deployment]);
    const path = '/apis/apps/v1/namespaces/shop/deployments/web';
    expect((await ask(server, `${path}/scale`)).body).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    await send(server, 'PATCH', `${path}/scale`, { spec: { replicas: 5 } }, merge);
    expect((await ask(server, path)).body.spec.replicas).toBe(5);
  });

  it('applies on the server, and takes back what is no longer applied', async () => {
    const server = await serveWritable([]);
    const path = '/api/v1/namespaces/shop/configmaps/a?fieldManager=me';
    const config = (data: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data });
    const type = 'application/apply-patch+yaml';
    expect((await send(server, 'PATCH', path, config({ one: '1', two: '2' }), type)).status).toBe(201);
    await send(server, 'PATCH', path.replace('=me', '=another'), config({ three: '3' }), type);
    const { status, body } = await send(server, 'PATCH', path, config({ one: '1' }), type);
    expect(status).toBe(200);
    expect(body.data).toEqual({ one: '1', three: '3' });
  });
});

describe('deleting', () => {
  const finalized = claim('shop', 'data');
  const held = { ...finalized, metadata: { ...finalized.metadata, finalizers: ['example.com/mine'] } };

  it('waits for finalizers', async () => {
    const server = await serveWritable([held]);
    expect((await send(server, 'DELETE', `${claims}/data`, {})).body.metadata.deletionTimestamp).toBeTruthy();
    expect((await ask(server, `${claims}/data`)).status).toBe(200);
    await send(server, 'PATCH', `${claims}/data`, { metadata: { finalizers: null } }, merge);
    expect((await ask(server, `${claims}/data`)).status).toBe(404);
  });

  it('honours the uid of the precondition', async () => {
    const server = await serveWritable([claim('shop', 'data')]);
    const { status } = await send(server, 'DELETE', `${claims}/data`, { preconditions: { uid: 'another' } });
    expect(status).toBe(409);
    expect((await send(server, 'DELETE', `${claims}/data`, {})).body).toMatchObject({
      status: 'Success',
      details: { uid: 'uid-shop-data' },
    });
  });

  it('leaves dependents alone when they are to be orphaned', async () => {
    const owned = {
      ...claim('shop', 'data'),
      metadata: {
        name: 'data',
        namespace: 'shop',
        ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'u-web' }],
      },
    };
    const server = await serveWritable([deployment, owned]);
    await send(server, 'DELETE', '/apis/apps/v1/namespaces/shop/deployments/web', { propagationPolicy: 'Orphan' });
    expect((await ask(server, `${claims}/data`)).body.metadata.ownerReferences).toBeUndefined();
  });
});

describe('a server over a snapshot', () => {
  it('takes no changes unless it was started for them', async () => {
    const server = await serve([namespace('shop'), claim('shop', 'data')]);
    expect((await send(server, 'DELETE', `${claims}/data`, {})).status).toBe(405);
    expect((await send(server, 'PATCH', `${claims}/data`, {}, merge)).status).toBe(405);
  });
});
