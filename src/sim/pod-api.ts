import type { RawObject } from '../core/kube/snapshot.ts';
import type { Answer, ApiRequest } from './api-answer.ts';
import { listAt, numberAt, textAt } from './fields.ts';
import type { PodLife } from './pod-life.ts';
import { proxyTo, readProxyName } from './pod-proxy.ts';
import type { PodListeners, PodPrograms, PodStream } from './pod-streams.ts';
import { withoutShell } from './pod-programs.ts';
import type { ResourcePath } from './request-path.ts';
import { readSelection } from './selection.ts';
import { ApiFailure, badRequest, methodNotAllowed, notFound } from './status.ts';
import type { Store } from './store.ts';

/** What runs in the pods of the cluster. */
export interface PodContents {
  /** What a command does in a container; without it no container has a shell. */
  readonly streams?: PodPrograms;
  /** What listens on which port of a pod; nothing without it. */
  readonly listeners?: PodListeners;
}

/** All that can be done to a pod beyond reading it. */
export class PodApi {
  readonly #store: Store;
  readonly #life: PodLife;
  readonly #contents: PodContents;

  constructor(store: Store, life: PodLife, contents: PodContents) {
    this.#store = store;
    this.#life = life;
    this.#contents = contents;
  }

  async answer(request: ApiRequest, resource: ResourcePath): Promise<Answer> {
    const { namespace = '', name, subresource } = resource;
    if (subresource === 'proxy') return this.#proxy(request, resource);
    if (subresource === 'exec' || subresource === 'portforward') throw badRequest('Upgrade request required');
    if (subresource !== '') throw methodNotAllowed();
    if (request.method === 'POST' && name === '' && namespace !== '')
      return json(this.#life.create(namespace, await request.body(), request.query.get('dryRun') === 'All'), 201);
    if (request.method !== 'DELETE' || namespace === '') throw methodNotAllowed();
    const options = await deleteOptions(request);
    if (name !== '') return json(this.#life.remove(namespace, name, options));
    const selects = readSelection(request.query, resource.served, '');
    const items = this.#store
      .list(resource.served, namespace)
      .filter((entry) => selects?.(entry) !== false)
      .map((entry) => this.#life.remove(namespace, entry.object.metadata.name, options));
    return json({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(this.#store.version) },
      items,
    });
  }

  /** Throws what is answered in place of an upgrade. */
  open({ namespace, name, subresource, served }: ResourcePath, query: URLSearchParams): PodStream {
    const pod = this.#store.find('Pod', namespace, name);
    if (pod === undefined) throw notFound(served, name);
    if (textAt(pod, 'spec', 'nodeName') === '') throw badRequest(`pod ${name} does not have a host assigned`);
    return subresource === 'exec' ? this.#openExec(pod, query) : this.#openPorts(pod, query);
  }

  #openExec(pod: RawObject, query: URLSearchParams): PodStream {
    const container = containerOf(pod, query.get('container') ?? '');
    const command = query.getAll('command');
    if (command.length === 0) throw badRequest('you must specify at least 1 command for the container');
    const wants = (stream: string): boolean => ['true', '1'].includes(query.get(stream) ?? '');
    if (!wants('stdin') && !wants('stdout') && !wants('stderr'))
      throw badRequest('you must specify at least one of stdin, stdout, stderr');
    const state = listAt(pod, 'status', 'containerStatuses').find((status) => textAt(status, 'name') === container);
    const isRunning =
      textAt(state, 'state', 'running', 'startedAt') !== '' ||
      (state === undefined && textAt(pod, 'status', 'phase') === 'Running');
    if (!isRunning)
      throw new ApiFailure(
        500,
        'InternalError',
        `Internal error occurred: unable to upgrade connection: container not found ("${container}")`,
      );
    const programs = this.#contents.streams;
    return {
      type: 'exec',
      pod,
      process: programs === undefined ? withoutShell(command) : programs(pod, container, command),
      stdin: wants('stdin'),
      stdout: wants('stdout'),
      stderr: wants('stderr'),
    };
  }

  #openPorts(pod: RawObject, query: URLSearchParams): PodStream {
    const ports = query
      .getAll('ports')
      .flatMap((text) => text.split(','))
      .map(Number);
    if (ports.length === 0) throw badRequest('query parameter "port" is required');
    const wrong = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
    if (wrong !== undefined) throw badRequest(`unable to parse "${wrong}" as a port`);
    if (textAt(pod, 'status', 'phase') !== 'Running')
      throw new ApiFailure(
        500,
        'InternalError',
        `Internal error occurred: unable to forward port because pod is not running. Current status=${textAt(pod, 'status', 'phase')}`,
      );
    return {
      type: 'portforward',
      pod,
      listeners: ports.map((port) => ({ port, listener: this.#contents.listeners?.(pod, port) })),
    };
  }

  async #proxy(request: ApiRequest, { namespace, name: written, beyond, served }: ResourcePath): Promise<Answer> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    const { name, port } = readProxyName(written);
    const pod = this.#store.find('Pod', namespace, name);
    if (pod === undefined) throw notFound(served, name);
    if (textAt(pod, 'status', 'podIP') === '') throw badRequest('address not allowed');
    const query = request.query.toString();
    return proxyTo(pod, port, query === '' ? beyond : `${beyond}?${query}`, this.#contents.listeners);
  }
}

const json = (body: unknown, status = 200): Answer => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
});

function containerOf(pod: RawObject, named: string): string {
  const all = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
    listAt(pod, 'spec', list).map((container) => textAt(container, 'name')),
  );
  if (named !== '') {
    if (!all.includes(named)) throw badRequest(`container ${named} is not valid for pod ${pod.metadata.name}`);
    return named;
  }
  const names = listAt(pod, 'spec', 'containers').map((container) => textAt(container, 'name'));
  const [only] = names;
  if (only === undefined || names.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${pod.metadata.name}, choose one of: [${names.join(' ')}]`,
    );
  return only;
}

/** The period of grace that the client requests, in its query or its body. */
async function deleteOptions(request: ApiRequest): Promise<number | undefined> {
  const asked = request.query.get('gracePeriodSeconds');
  if (asked !== null) return Number(asked);
  const body = (await request.body()).toString();
  if (body === '') return undefined;
  try {
    const options: unknown = JSON.parse(body);
    return textAt(options, 'gracePeriodSeconds') === '' ? undefined : numberAt(options, 'gracePeriodSeconds');
  } catch {
    throw badRequest('the object provided is not a DeleteOptions');
  }
}
