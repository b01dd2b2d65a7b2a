import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Answer, ApiRequest } from '../api-answer.ts';
import type { Cluster } from '../cluster.ts';
import { numberAt, textAt, valueAt } from '../fields.ts';
import type { ResourcePath } from '../request-path.ts';
import { readSelection } from '../selection.ts';
import type { ServedKind } from '../served-kinds.ts';
import { ApiFailure, badRequest, methodNotAllowed, notFound } from '../status.ts';
import type { Author } from './managed-fields.ts';
import { applyPatch, patchObject } from './patch.ts';
import { readJson, readObject } from './read-object.ts';
import { fromScale, scaleOf } from './scale.ts';
import type { DeleteOptions, WriteOptions, Writes } from './writes.ts';

const json = (body: unknown, status = 200): Answer => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
});

/** Requests that change objects: create, replace, patch, apply and delete, and the subresources that do so. */
export class ObjectApi {
  readonly #cluster: Cluster;
  readonly #writes: Writes;

  constructor(cluster: Cluster, writes: Writes) {
    this.#cluster = cluster;
    this.#writes = writes;
  }

  async answer(request: ApiRequest, resource: ResourcePath): Promise<Answer> {
    const { name, subresource, served, namespace } = resource;
    if (served.namespaced && namespace === undefined && request.method !== 'DELETE') throw methodNotAllowed();
    const body = await request.body();
    if (subresource === 'scale') return this.#scale(request, resource, body);
    if (request.method === 'POST') return this.#post(request, resource, body);
    if (subresource !== '' && subresource !== 'status' && subresource !== 'finalize') throw noSubresource();
    if (request.method === 'DELETE')
      return name === '' ? this.#deleteMany(request, resource, body) : this.#deleteOne(request, resource, body);
    if (name === '') throw methodNotAllowed();
    if (request.method === 'PUT') return this.#put(request, resource, body);
    if (request.method === 'PATCH') return this.#patch(request, resource, body);
    throw methodNotAllowed();
  }

  #post(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const { name, subresource, served, namespace } = resource;
    if (name === '' && subresource === '')
      return json(this.#writes.create(readObject(readJson(body), resource), this.#options(request, resource)), 201);
    if (served.kind !== 'Pod') throw name === '' ? methodNotAllowed() : noSubresource();
    const pod = this.#find(resource);
    if (subresource === 'eviction') {
      const options = valueAt(readJson(body), 'deleteOptions');
      this.#refuseDisruption(pod);
      this.#writes.delete(pod, { ...readDeleteOptions(options), isDryRun: isDryRun(request, options) });
      return json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }, 201);
    }
    if (subresource !== 'binding') throw noSubresource();
    const nodeName = textAt(readJson(body), 'target', 'name');
    if (textAt(pod, 'spec', 'nodeName') !== '')
      throw new ApiFailure(
        409,
        'Conflict',
        `Operation cannot be fulfilled on pods/binding "${name}": ` +
          `pod ${name} is already assigned to node "${textAt(pod, 'spec', 'nodeName')}"`,
      );
    this.#cluster.put({
      ...pod,
      metadata: { ...pod.metadata, ...(namespace && { namespace }) },
      spec: { ...(pod['spec'] as object), nodeName },
    });
    return json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }, 201);
  }

  #put(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const current = this.#find(resource);
    const next = readObject(readJson(body), resource);
    return json(this.#writes.update(current, next, this.#options(request, resource)));
  }

  #patch(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const options = this.#options(request, resource);
    const mediaType = mediaTypeOf(request);
    const current = this.#cluster.get(resource.served.kind, resource.namespace, resource.name);
    if (mediaType === applyPatch) {
      const applied = readObject(readJson(body), resource);
      if (current === undefined) return json(this.#writes.create(applied, options), 201);
      return json(this.#writes.apply(current, applied, options));
    }
    const found = this.#find(resource);
    const patched = patchObject(withIdentity(found, resource.served), body, mediaType, resource.served);
    return json(this.#writes.update(found, patched, options));
  }

  #deleteOne(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const object = this.#find(resource);
    const { name, uid } = object.metadata;
    this.#writes.delete(object, deleteOptionsOf(request, body));
    const left = this.#cluster.get(object.kind, object.metadata.namespace, name);
    if (left?.metadata.uid === uid && left !== undefined) return json(left);
    const { group, plural } = resource.served;
    return json({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, ...(group === '' ? {} : { group }), kind: plural, uid },
    });
  }

  #deleteMany(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const { served, namespace, version } = resource;
    const selects = readSelection(request.query, served, '');
    const options = deleteOptionsOf(request, body);
    const items = this.#cluster.store
      .list(served, namespace)
      .filter((entry) => selects?.(entry) !== false)
      .map(({ object }) => this.#writes.delete(object, options));
    return json({
      kind: `${served.kind}List`,
      apiVersion: served.group === '' ? version : `${served.group}/${version}`,
      metadata: { resourceVersion: String(this.#cluster.store.version) },
      items,
    });
  }

  #scale(request: ApiRequest, resource: ResourcePath, body: Buffer): Answer {
    const object = this.#find(resource);
    const scale = scaleOf(object);
    if (scale === undefined) throw noSubresource();
    if (request.method === 'GET') return json(scale);
    const wanted =
      request.method === 'PATCH'
        ? patchObject(scale, body, mediaTypeOf(request), resource.served)
        : (readJson(body) as RawObject);
    const stored = this.#writes.update(object, fromScale(object, wanted), this.#options(request, resource));
    return json(scaleOf(stored));
  }

  /** A budget without a disruption left refuses an eviction, as in the eviction API. */
  #refuseDisruption(pod: RawObject): void {
    const blocking = this.#cluster
      .list('PodDisruptionBudget', pod.metadata.namespace)
      .find(
        (budget) =>
          valueAt(budget, 'status', 'disruptionsAllowed') === 0 &&
          Object.entries((valueAt(budget, 'spec', 'selector', 'matchLabels') ?? {}) as object).every(
            ([key, value]) => textAt(pod, 'metadata', 'labels', key) === value,
          ),
      );
    if (blocking === undefined) return;
    throw new ApiFailure(
      429,
      'TooManyRequests',
      `Cannot evict pod as it would violate the pod's disruption budget ${blocking.metadata.name}.`,
      { details: { retryAfterSeconds: 5 } },
    );
  }

  #find({ served, namespace, name }: ResourcePath): RawObject {
    const found = this.#cluster.get(served.kind, namespace, name);
    if (found === undefined) throw notFound(served, name);
    return found;
  }

  #options(request: ApiRequest, { subresource }: ResourcePath): WriteOptions {
    const author: Author = {
      manager: request.query.get('fieldManager') ?? (request.userAgent?.split('/')[0] || 'unknown'),
      operation: request.method === 'PATCH' && mediaTypeOf(request) === applyPatch ? 'Apply' : 'Update',
      ...(subresource === '' ? {} : { subresource }),
      time: this.#cluster.timestamp,
    };
    return { author, isDryRun: isDryRun(request, undefined) };
  }
}

function mediaTypeOf({ contentType = '' }: ApiRequest): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}

function isDryRun(request: ApiRequest, body: unknown): boolean {
  const inBody = valueAt(body, 'dryRun');
  return request.query.get('dryRun') === 'All' || (Array.isArray(inBody) && inBody.includes('All'));
}

function withIdentity(object: RawObject, { kind, group, versions }: ServedKind): RawObject {
  const [version = 'v1'] = versions;
  return { ...object, kind, apiVersion: object.apiVersion ?? (group === '' ? version : `${group}/${version}`) };
}

function deleteOptionsOf(request: ApiRequest, body: Buffer): DeleteOptions {
  const written = body.length === 0 ? {} : readJson(body);
  const options = readDeleteOptions(written);
  const grace = request.query.get('gracePeriodSeconds');
  return {
    ...options,
    ...(grace === null ? {} : { graceSeconds: Number(grace) }),
    policy: request.query.get('propagationPolicy') ?? options.policy,
    isDryRun: isDryRun(request, written),
  };
}

function readDeleteOptions(written: unknown): DeleteOptions {
  const grace = valueAt(written, 'gracePeriodSeconds');
  if (grace !== undefined && typeof grace !== 'number')
    throw badRequest('the object provided is not a DeleteOptions: gracePeriodSeconds is a number');
  return {
    graceSeconds: grace === undefined ? undefined : numberAt(written, 'gracePeriodSeconds'),
    policy: textAt(written, 'propagationPolicy') || undefined,
    uid: textAt(written, 'preconditions', 'uid') || undefined,
    resourceVersion: textAt(written, 'preconditions', 'resourceVersion') || undefined,
  };
}

function noSubresource(): ApiFailure {
  return new ApiFailure(404, 'NotFound', 'the server could not find the requested resource', { details: {} });
}
