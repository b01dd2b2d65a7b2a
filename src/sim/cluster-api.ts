import type { ServerResponse } from 'node:http';
import type { RawObject, Snapshot } from '../core/kube/snapshot.ts';
import type { VolumeUsage } from '../core/kube/volume-usage.ts';
import { negotiate } from './accept.ts';
import type { Form } from './accept.ts';
import { readAccessQuestion } from './access-review.ts';
import { ObjectApi } from './changes/object-api.ts';
import { readJson } from './changes/read-object.ts';
import { Writes } from './changes/writes.ts';
import { reviewCaller } from './caller-reviews.ts';
import type { Callers } from './caller-reviews.ts';
import { Cluster } from './cluster.ts';
import { discover, verbsOf } from './discovery.ts';
import type { FaultPlan } from './faults.ts';
import { textAt } from './fields.ts';
import { statsSummary } from './node-stats.ts';
import { openApi } from './openapi.ts';
import { Pager } from './paging.ts';
import { PodApi } from './pod-api.ts';
import type { PodContents } from './pod-api.ts';
import { podLog } from './pod-logs.ts';
import { PodLife } from './pod-life.ts';
import { readProxyName } from './pod-proxy.ts';
import type { PodStream } from './pod-streams.ts';
import { readIncludeObject, renderList, renderObject } from './render.ts';
import type { Rendering } from './render.ts';
import { readResourcePath } from './request-path.ts';
import type { ResourcePath } from './request-path.ts';
import { readSelection } from './selection.ts';
import { json, readLimit } from './api-answer.ts';
import type { Answer, ApiRequest } from './api-answer.ts';
import { minorOf, versionInfo } from './server-version.ts';
import { reviewRules, reviewSelf } from './self-reviews.ts';
import { KindRegistry } from './served-kinds.ts';
import { ApiFailure, badRequest, forbidden, methodNotAllowed, notFound, versionTooLarge } from './status.ts';
import { Store } from './store.ts';
import { readVersion, serveWatch } from './watch.ts';

const objectForms: readonly Form[] = ['object', 'table', 'partialObjectMetadata', 'partialObjectMetadataList'];
const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** The verb that a request is authorized as: reading depends on what is named, the rest on the method. */
function verbOf(method: string, name: string, isWatch: boolean): string {
  if (method === 'GET' && isWatch) return 'watch';
  if (method === 'GET') return name === '' ? 'list' : 'get';
  if (method === 'DELETE' && name === '') return 'deletecollection';
  return verbOfMethod[method] ?? method.toLowerCase();
}

const podSubresources: ReadonlySet<string> = new Set(['exec', 'portforward', 'proxy']);
/** Rights to a subresource are rights of their own. */
const kindOf = (kind: string, subresource: string): string =>
  subresource === '' || subresource === 'status' ? kind : `${kind}/${subresource}`;
/**
 * What the server serves, and how it answers: paths, rights, forms. It has no access to sockets, except the one that a
 * watch writes to.
 */
export class ClusterApi {
  readonly kinds: KindRegistry;
  readonly store: Store;
  readonly #usage: readonly VolumeUsage[];
  readonly #faults: FaultPlan;
  readonly #pager: Pager;
  readonly #user: string;
  readonly #now: () => number;
  readonly #serverVersion: string;
  readonly #unreadable: ReadonlySet<string>;
  readonly #life: PodLife;
  readonly #pods: PodApi;
  readonly #isWritable: boolean;
  readonly #callers: Callers;
  readonly cluster: Cluster;
  readonly writes: Writes;
  readonly #objects: ObjectApi;

  constructor(
    snapshot: Snapshot,
    options: {
      readonly faults: FaultPlan;
      readonly user: string;
      readonly now: () => number;
      readonly podStepMs: number;
      /** Takes changes to all objects, and not only the pods of a probe. */
      readonly isWritable: boolean;
      readonly callers: Callers;
    } & PodContents,
  ) {
    this.#usage = snapshot.usage?.volumes ?? [];
    this.kinds = new KindRegistry(snapshot);
    this.store = new Store(snapshot, this.kinds, options.now);
    this.#faults = options.faults;
    this.#pager = new Pager((pages) => options.faults.expiresContinue(pages));
    this.#user = options.user;
    this.#now = options.now;
    this.#serverVersion = snapshot.serverVersion ?? 'v1.36.4';
    // The person who took the snapshot was refused these, and so is everyone who reads it here.
    this.#unreadable = new Set(
      snapshot.observations
        .filter(({ state, scope }) => state === 'denied' && scope.name === undefined)
        .map(({ kind, scope }) => `${kind}|${scope.namespace ?? ''}`),
    );
    this.#life = new PodLife(this.store, this.kinds, options.now, options.podStepMs);
    this.#pods = new PodApi(this.store, this.#life, options);
    this.#isWritable = options.isWritable;
    this.#callers = options.callers;
    this.cluster = new Cluster(this.store, this.kinds, options.now);
    this.writes = new Writes(this.cluster);
    this.#objects = new ObjectApi(this.cluster, this.writes);
  }

  /** Undefined when the answer is a stream that has already begun. */
  async answer(
    request: ApiRequest,
    response: ServerResponse,
    write: (line: string) => void,
  ): Promise<Answer | undefined> {
    const { path } = request;
    if (path === '/version') return json(versionInfo(this.#serverVersion));
    if (path === '/healthz' || path === '/livez' || path === '/readyz')
      return { status: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' };
    if (path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' && request.method === 'POST')
      return this.#reviewAccess(await request.body());
    if (request.method === 'POST' && /\/(tokenreviews|subjectaccessreviews)$/.test(path)) {
      const reviewed = reviewCaller(path, readJson(await request.body()), this.#callers);
      if (reviewed !== undefined) return json(reviewed, 201);
    }
    const special = this.#isWritable ? await this.#answerSpecial(request) : undefined;
    if (special !== undefined) return special;
    if (/^\/apis?(\/|$)/.test(path)) {
      if (this.#isWritable && request.method === 'POST') await this.#learnKind(request);
      const resource = readResourcePath(path, this.kinds);
      if (resource !== undefined) return this.#answerResource(request, resource, response, write);
      const wanted = negotiate(request.accept, ['object', 'discovery']);
      const found = discover(path, this.kinds.all, wanted, this.#isWritable);
      if (found !== undefined) {
        const isAggregated = found['kind'] === 'APIGroupDiscoveryList';
        return {
          ...json(found),
          contentType: isAggregated
            ? `application/json;g=apidiscovery.k8s.io;v=${wanted.version};as=APIGroupDiscoveryList`
            : 'application/json',
        };
      }
    }
    return { status: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
  }

  /** An object of an unknown kind is kept as it is: its first creation makes the kind known. */
  async #learnKind({ path, body }: ApiRequest): Promise<void> {
    const match = /^\/apis\/([^/]+)\/([^/]+)\/(namespaces\/[^/]+\/)?([^/]+)$/.exec(path);
    const [, group = '', version = '', namespace, plural = ''] = match ?? [];
    if (match === null || this.kinds.resource(group, version, plural) !== undefined) return;
    const object = readJson(await body());
    if (textAt(object, 'apiVersion') === `${group}/${version}` && textAt(object, 'kind') !== '')
      this.kinds.learn(object as unknown as RawObject, plural, namespace !== undefined);
  }

  /** Paths that belong to no resource, for tools that change a cluster. */
  async #answerSpecial({ method, path, body }: ApiRequest): Promise<Answer | undefined> {
    const schema = path.startsWith('/openapi/v3') ? openApi(path, this.kinds.all) : undefined;
    if (schema !== undefined) return json(schema);
    if (method !== 'POST') return undefined;
    if (path === '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews')
      return json(reviewRules(readJson(await body())), 201);
    if (path === '/apis/authentication.k8s.io/v1/selfsubjectreviews') return json(reviewSelf(this.#user), 201);
    return undefined;
  }

  /** What an upgrade to a websocket requests; undefined if the path has no streams. */
  openStream(path: string, query: URLSearchParams): PodStream | undefined {
    const resource = readResourcePath(path, this.kinds);
    if (resource?.served.kind !== 'Pod' || (resource.subresource !== 'exec' && resource.subresource !== 'portforward'))
      return undefined;
    // A websocket is opened by a GET; since 1.35 the right to create is required as well
    // (AuthorizePodWebsocketUpgradeCreatePermission).
    const verbs = minorOf(this.#serverVersion) >= 35 ? ['get', 'create'] : ['get'];
    for (const verb of verbs) this.#authorize(resource, verb);
    return this.#pods.open(resource, query);
  }

  stop(): void {
    this.#life.stop();
  }

  #authorize({ served, namespace, name, subresource }: ResourcePath, verb: string): void {
    // A namespace is judged as being inside itself, as the real authorizer does.
    const judged = served.kind === 'Namespace' && name !== '' ? name : namespace;
    const object = subresource === 'proxy' ? readProxyName(name).name : name;
    if (this.#denies(kindOf(served.kind, subresource), verb, judged))
      throw forbidden(served, this.#user, verb, judged, object, subresource);
  }

  async #answerResource(
    request: ApiRequest,
    resource: ResourcePath,
    response: ServerResponse,
    write: (line: string) => void,
  ): Promise<Answer | undefined> {
    const { query } = request;
    const { served, namespace, name } = resource;
    const isWatch = query.get('watch') === 'true' || query.get('watch') === '1';
    const verb = verbOf(request.method, name, isWatch);
    this.#authorize(resource, verb);
    if (served.kind === 'Pod' && podSubresources.has(resource.subresource)) return this.#pods.answer(request, resource);
    const text = this.#readText(request, resource);
    if (text !== undefined) return text;
    if (this.#isWritable && (request.method !== 'GET' || resource.subresource === 'scale'))
      return this.#objects.answer(request, resource);
    if (served.kind === 'Pod' && request.method !== 'GET') return this.#pods.answer(request, resource);
    if (request.method !== 'GET') throw methodNotAllowed();
    if (resource.subresource !== '' && resource.subresource !== 'status')
      throw new ApiFailure(404, 'NotFound', 'the server could not find the requested resource', { details: {} });
    const wanted = negotiate(request.accept, objectForms);
    const include = readIncludeObject(query.get('includeObject') ?? '');
    const rendering = (): Rendering => ({ served, version: resource.version, wanted, include, now: this.#now() });
    if (verb === 'get') {
      const entry = this.store.get(served, namespace, name);
      if (entry === undefined) throw notFound(served, name);
      return json(renderObject(entry, rendering()));
    }
    const selects = readSelection(query, served, name);
    if (verb === 'watch') {
      serveWatch(
        this.store,
        { namespace, query, selects, rendering, isExpired: () => this.#faults.expiresWatch() },
        response,
        write,
      );
      return undefined;
    }
    return json(this.#list(query, resource, selects, rendering()));
  }

  /** What kubelets answer through the server: the log of a container, the figures of a node. */
  #readText(
    { method, query }: ApiRequest,
    { served, namespace, name, subresource, beyond }: ResourcePath,
  ): Answer | undefined {
    const object = method === 'GET' ? this.store.find(served.kind, namespace, name) : undefined;
    if (object === undefined) return undefined;
    if (served.kind === 'Pod' && subresource === 'log')
      return { status: 200, body: podLog(object, query, this.cluster), contentType: 'text/plain' };
    if (served.kind === 'Node' && subresource === 'proxy' && beyond === '/stats/summary')
      return json(statsSummary(object, this.cluster, this.#usage));
    return undefined;
  }

  #list(
    query: URLSearchParams,
    resource: ResourcePath,
    selects: ReturnType<typeof readSelection>,
    rendering: Rendering,
  ): string {
    const { served, namespace } = resource;
    const limit = readLimit(query.get('limit') ?? '');
    const token = query.get('continue') ?? '';
    const version = readVersion(query.get('resourceVersion') ?? '');
    const match = query.get('resourceVersionMatch') ?? '';
    if (token !== '' && version !== 0)
      throw badRequest('specifying resource version is not allowed when using continue');
    if (match !== '' && (query.get('resourceVersion') ?? '') === '')
      throw badRequest(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      );
    if (version > this.store.version) throw versionTooLarge(version, this.store.version);
    if (match === 'Exact' && version < this.store.version)
      throw new ApiFailure(410, 'Expired', 'The resourceVersion for the provided list is too old.');
    const page = this.#pager.page(
      { scope: `${served.collection}|${namespace ?? ''}`, limit, token, selects },
      this.store.list(served, namespace),
      this.store.version,
    );
    return renderList(page, rendering);
  }

  #denies(kind: string, verb: string, namespace: string | undefined): boolean {
    return (
      this.#unreadable.has(`${kind}|`) ||
      this.#unreadable.has(`${kind}|${namespace ?? ''}`) ||
      this.#faults.denies(kind, verb, namespace)
    );
  }

  #reviewAccess(body: Buffer): Answer {
    const asked = readAccessQuestion(body);
    if (asked === undefined) throw badRequest('the object provided is not a SelfSubjectAccessReview');
    const { verb, group, resource, subresource } = asked;
    const served = this.kinds.all.find((candidate) => candidate.plural === resource && candidate.group === group);
    const isServed =
      served !== undefined &&
      (subresource === ''
        ? verbsOf(served, this.#isWritable).includes(verb)
        : this.#isWritable ||
          (served.kind === 'Pod' && podSubresources.has(subresource) && ['get', 'create'].includes(verb)));
    const allowed = isServed && !this.#denies(kindOf(served.kind, subresource), verb, asked.namespace || undefined);
    return json(
      {
        kind: 'SelfSubjectAccessReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: { creationTimestamp: null },
        spec: { resourceAttributes: asked },
        status: { allowed },
      },
      201,
    );
  }
}
