import { resourceOf } from '../../core/kube/resources.ts';
import { identify } from '../identify.ts';
import { readPages } from './list-pages.ts';
import type { Pages } from './list-pages.ts';
import { acceptFor, asTable, collectionPath, objectPath, plainJson, scopeParameters } from './paths.ts';
import { columnsOf, itemsOf, sumOf, takeRows } from './table-pages.ts';
import { followWatch } from './watch.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';
import type {
  AccessQuestion,
  ClusterReader,
  GetResult,
  ListOptions,
  ListResult,
  ReadCount,
  Refusal,
  TableOptions,
  TableResult,
  TableRow,
  WatchEvent,
  WatchState,
} from './reader.ts';
import type { ApiClient, JsonAnswer } from './api-client.ts';
import type { Target } from './target.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a list is requested page by page, next to its scope. */
interface PagedList<T> extends Omit<ListOptions, 'form' | 'keep'> {
  readonly accept: string;
  readonly include?: 'None' | 'Metadata';
  readonly chunk: number;
  readonly take: (page: Fields, isFirst: boolean) => T;
}

/** Reads kinds from an API server: versions, pages, and refusals as values. */
export class ApiReader implements ClusterReader {
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
  readonly #client: ApiClient;
  readonly #chunk: number;
  readonly #cellsChunk: number;
  /** The API version in which the server serves a kind, once it is known. */
  readonly #versions = new Map<Kind, string>();

  readonly #onRead: (what: ReadCount) => void;

  constructor(
    client: ApiClient,
    target: Target,
    chunk: { readonly objects: number; readonly cells: number },
    onRead: (what: ReadCount) => void = () => undefined,
  ) {
    this.#client = client;
    this.#onRead = onRead;
    this.#chunk = chunk.objects;
    this.#cellsChunk = chunk.cells;
    this.name = target.name;
    this.server = target.cluster.server;
    this.namespace = target.namespace;
  }

  now(): Date {
    return this.#client.now();
  }

  close(): void {
    this.#client.close();
  }

  async get(kind: Kind, namespace: string | undefined, name: string): Promise<GetResult> {
    const place = resourceOf(kind).namespaced ? (namespace ?? this.namespace) : undefined;
    const accept = acceptFor(resourceOf(kind).metadataOnly === true, false);
    const answer = await this.#inSomeVersion(kind, (version) =>
      this.#client.get(objectPath(kind, version, place, name), accept),
    );
    if ('state' in answer) return answer;
    if (answer.status === 404) return { state: 'missing' };
    const object = identify({ ...answer.body, kind, apiVersion: this.#apiVersion(kind) });
    this.#onRead({ objects: 1 });
    return object
      ? { state: 'found', object }
      : { state: 'failed', message: 'the server answered with something other than the object' };
  }

  async list(kind: Kind, scope: Scope, options: ListOptions = {}): Promise<ListResult> {
    const isMetadata = options.form === 'metadata' || resourceOf(kind).metadataOnly === true;
    const { limit, isEnough, isAnyVersion } = options;
    const answer = await this.#readPages(kind, scope, {
      ...(limit !== undefined && { limit }),
      ...(isEnough && { isEnough }),
      ...(isAnyVersion && { isAnyVersion }),
      accept: acceptFor(isMetadata, true),
      chunk: this.#chunk,
      take: (page) =>
        options.keep === undefined ? this.#objectsOf(kind, page) : this.#objectsOf(kind, page).filter(options.keep),
    });
    if (!('taken' in answer)) return answer;
    const { state, taken, resourceVersion } = answer;
    return { state, objects: taken.flat(), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  }

  async listTable(
    kind: Kind,
    scope: Scope,
    { form = 'metadata', keep, limit }: TableOptions = {},
  ): Promise<TableResult> {
    const isBare = form === 'cells';
    const place = resourceOf(kind).namespaced ? scope.namespace : undefined;
    let columns: readonly string[] = [];
    const answer = await this.#readPages(kind, scope, {
      ...(limit !== undefined && { limit }),
      accept: asTable,
      include: isBare ? 'None' : 'Metadata',
      chunk: isBare ? this.#cellsChunk : this.#chunk,
      take: (page, isFirst) => {
        if (page['kind'] !== 'Table') return { objects: this.#objectsOf(kind, page) };
        if (isFirst) columns = columnsOf(page);
        return takeRows(page, columns, { place, keep });
      },
    });
    if (!('taken' in answer)) return answer;
    const { taken } = answer;
    if (taken.some((page) => 'objects' in page))
      return { state: 'complete', objects: taken.flatMap((page) => ('objects' in page ? page.objects : [])) };
    const pages = taken.filter((page) => 'rows' in page);
    return {
      state: 'complete',
      rows: pages.flatMap(({ rows }) => rows),
      looked: pages.reduce((sum, { looked }) => sum + looked, 0),
      states: sumOf(pages.map(({ states }) => states)),
    };
  }

  async readRow(kind: Kind, scope: Scope, row: TableRow, hint?: string): Promise<ListResult> {
    const { name, namespace } = row;
    const isPlaced = namespace !== undefined || !resourceOf(kind).namespaced;
    // An object read by name need not match the label selector.
    if (isPlaced || (hint !== undefined && scope.labelSelector === undefined)) {
      const result = await this.get(kind, namespace ?? hint, name);
      if (result.state === 'found' && (isPlaced || matchesRow(result.object, row)))
        return { state: 'complete', objects: [result.object] };
      if (isPlaced)
        return result.state === 'missing' || result.state === 'found' ? { state: 'complete', objects: [] } : result;
    }
    // A field selector without a namespace makes the server search all objects: its cache will do, and is asked again only if nothing matches.
    const keep = (object: RawObject): boolean => matchesRow(object, row);
    const atHand = await this.list(kind, { ...scope, name }, { keep, isAnyVersion: true });
    return 'objects' in atHand && atHand.objects.length === 0 ? this.list(kind, { ...scope, name }, { keep }) : atHand;
  }

  #objectsOf(kind: Kind, page: Fields): RawObject[] {
    return itemsOf(page)
      .map((item) => identify({ ...(item as object), kind, apiVersion: this.#apiVersion(kind) }))
      .filter((object) => object !== undefined);
  }

  watch(
    kind: Kind,
    scope: Scope,
    resourceVersion: string,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onState?: (state: WatchState) => void,
  ): Promise<Refusal | undefined> {
    const version = this.#versions.get(kind) ?? (resourceOf(kind).versions[0] as string);
    const path = collectionPath(kind, version, scope.namespace);
    return followWatch({
      open: (from, silence, seconds) => {
        const parameters = scopeParameters(scope);
        parameters.set('watch', 'true');
        parameters.set('allowWatchBookmarks', 'true');
        parameters.set('resourceVersion', from);
        parameters.set('timeoutSeconds', String(seconds));
        return this.#client.stream(
          `${path}?${parameters}`,
          silence,
          signal,
          acceptFor(resourceOf(kind).metadataOnly === true, false),
        );
      },
      relist: () => this.list(kind, scope),
      identify: (value) => identify({ ...value, kind, apiVersion: this.#apiVersion(kind) }),
      from: resourceVersion,
      onEvent,
      ...(onState && { onState }),
      signal,
    });
  }

  async serverVersion(): Promise<string | undefined> {
    const answer = await this.#client.get('/version', plainJson);
    if ('state' in answer || answer.status !== 200) return undefined;
    const { gitVersion } = answer.body;
    return typeof gitVersion === 'string' ? gitVersion : undefined;
  }

  async mayI(question: AccessQuestion): Promise<boolean | undefined> {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: question },
    };
    const answer = await this.#client.send('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      method: 'POST',
      body,
    });
    const allowed =
      'status' in answer ? (answer.body['status'] as { readonly allowed?: unknown } | undefined)?.allowed : undefined;
    return typeof allowed === 'boolean' ? allowed : undefined;
  }

  #apiVersion(kind: Kind): string {
    const { group, versions } = resourceOf(kind);
    const version = this.#versions.get(kind) ?? (versions[0] as string);
    return group === '' ? version : `${group}/${version}`;
  }

  #readPages<T>(
    kind: Kind,
    scope: Scope,
    { accept, include, chunk, take, limit, isEnough, isAnyVersion }: PagedList<T>,
  ): Promise<Pages<T> | Refusal> {
    const ask = (pageLimit: number, continueToken: string | undefined): Promise<JsonAnswer | Refusal> => {
      const parameters = scopeParameters(scope);
      if (pageLimit > 0) parameters.set('limit', String(pageLimit));
      if (continueToken !== undefined) parameters.set('continue', continueToken);
      else if (isAnyVersion === true) parameters.set('resourceVersion', '0');
      if (include !== undefined) parameters.set('includeObject', include);
      return this.#inSomeVersion(kind, (version) =>
        this.#client.get(withQuery(collectionPath(kind, version, scope.namespace), parameters), accept),
      );
    };
    return readPages<T>({
      ask,
      chunk,
      limit,
      isEnough: isEnough && ((page, remaining) => isEnough(this.#objectsOf(kind, page), remaining)),
      take: (page, isFirst) => {
        const taken = take(page, isFirst);
        const count = itemsOf(page).length;
        const holdsObjects = accept === plainJson || (include !== undefined && page['kind'] !== 'Table');
        this.#onRead(holdsObjects ? { objects: count } : { rows: count });
        return taken;
      },
    });
  }

  /** Asks in the version the server is known to serve, or in one after the other until it knows the kind. */
  async #inSomeVersion(
    kind: Kind,
    ask: (version: string) => Promise<JsonAnswer | Refusal>,
  ): Promise<JsonAnswer | Refusal> {
    const known = this.#versions.get(kind);
    const versions = known === undefined ? resourceOf(kind).versions : [known];
    for (const version of versions) {
      const answer = await ask(version);
      if ('state' in answer) return answer;
      if (answer.status === 403) return { state: 'denied', message: answer.message };
      if (answer.status !== 404) {
        if (answer.status === 200) this.#versions.set(kind, version);
        return answer.status === 200 || answer.status === 410 ? answer : { state: 'failed', message: answer.message };
      }
      if (isAboutObject(answer.body)) {
        this.#versions.set(kind, version);
        return answer;
      }
    }
    return { state: 'absentApi', message: `the server does not know ${resourceOf(kind).name}` };
  }
}

/** A 404 that names an object means that the object is missing; any other means that the kind is. */
function isAboutObject(body: Fields): boolean {
  const details = body['details'];
  return (
    body['kind'] === 'Status' &&
    typeof details === 'object' &&
    details !== null &&
    typeof (details as Fields)['name'] === 'string' &&
    (details as Fields)['name'] !== ''
  );
}

function withQuery(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return query === '' ? path : `${path}?${query}`;
}

/** Whether an object is the one of a table row: STATUS is its phase, or Terminating; READY counts the pods of a StatefulSet. */
function matchesRow({ metadata, ...rest }: RawObject, { cells: { status, ready } }: TableRow): boolean {
  const { phase, readyReplicas = 0 } = (rest['status'] ?? {}) as {
    readonly phase?: unknown;
    readonly readyReplicas?: unknown;
  };
  const { replicas = 1 } = (rest['spec'] ?? {}) as { readonly replicas?: unknown };
  if (status === undefined) return ready === undefined || ready === `${readyReplicas}/${replicas}`;
  return metadata['deletionTimestamp'] === undefined ? phase === status : status === 'Terminating';
}
