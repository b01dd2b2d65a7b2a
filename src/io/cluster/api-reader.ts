import { resourceOf } from '../../core/kube/resources.ts';
import { identify } from '../identify.ts';
import { checkItem, checkList, checkObject, WrongAnswer } from './answer-shape.ts';
import type { Wanted } from './answer-shape.ts';
import { readPages } from './list-pages.ts';
import type { Pages } from './list-pages.ts';
import { acceptFor, asTable, collectionPath, objectPath, plainJson, scopeParameters, withQuery } from './paths.ts';
import { ServedVersions } from './served-versions.ts';
import { columnsOf, hasColumns, itemsOf, matchesRow, sumOf, takeRows } from './table-pages.ts';
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
import type { JsonAnswer } from './answers.ts';
import type { ApiClient } from './api-client.ts';
import type { Target } from './target.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a list is requested page by page, next to its scope. */
interface PagedList<T> extends Omit<ListOptions, 'form' | 'keep'> {
  readonly form: Wanted['form'];
  readonly include?: 'None' | 'Metadata';
  readonly chunk: number;
  readonly take: (page: Fields, isFirst: boolean) => T;
}

/**
 * Rows of cells that are read at once instead of page by page: fewer are one or two pages, and more are over 50
 * megabytes before they are packed.
 */
const atOnce = { least: 10_000, most: 250_000 };

interface PageSizes {
  readonly objects: number;
  /** Rows of a table with metadata. */
  readonly rows: number;
  /** Rows without. */
  readonly cells: number;
  /** Whether a table without metadata may be read at once. */
  readonly mayBeJoined: boolean;
}

/** Reads kinds from an API server: versions, pages, and refusals as values. */
export class ApiReader implements ClusterReader {
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
  readonly #client: ApiClient;
  readonly #pages: PageSizes;
  readonly #served: ServedVersions;

  readonly #onRead: (what: ReadCount) => void;

  constructor(
    client: ApiClient,
    target: Target,
    pages: PageSizes,
    onRead: (what: ReadCount) => void = () => undefined,
  ) {
    this.#client = client;
    this.#served = new ServedVersions(client);
    this.#onRead = onRead;
    this.#pages = pages;
    this.name = target.name;
    this.server = target.cluster.server;
    this.namespace = target.namespace;
  }

  get isDistant(): boolean {
    return this.#client.isDistant;
  }

  now(): Date {
    return this.#client.now();
  }

  close(): void {
    this.#client.close();
  }

  async get(kind: Kind, namespace: string | undefined, name: string): Promise<GetResult> {
    const place = resourceOf(kind).namespaced ? (namespace ?? this.namespace) : undefined;
    const form = resourceOf(kind).metadataOnly === true ? 'metadata' : 'full';
    const answer = await this.#served.request(
      kind,
      (version) => this.#client.get(objectPath(kind, version, place, name), acceptFor(form === 'metadata', false)),
      name,
    );
    if ('state' in answer) return answer;
    if (answer.status === 404) return { state: 'missing' };
    const apiVersion = this.#served.apiVersion(kind);
    try {
      checkObject(answer.body, { kind, apiVersion, namespace: place, form }, name);
    } catch (error) {
      return this.#unread(error);
    }
    const object = identify({ ...answer.body, kind, apiVersion });
    this.#onRead({ objects: 1 });
    return object
      ? { state: 'found', object }
      : { state: 'failed', message: 'the server sent something other than the object' };
  }

  #unread(error: unknown): Refusal {
    if (!(error instanceof WrongAnswer)) throw error;
    return { state: 'failed', message: this.#client.hide(error.message) };
  }

  async list(kind: Kind, scope: Scope, options: ListOptions = {}): Promise<ListResult> {
    const isMetadata = options.form === 'metadata' || resourceOf(kind).metadataOnly === true;
    const { limit, isEnough, isAnyVersion, keep } = options;
    const form = isMetadata ? 'metadata' : 'full';
    const answer = await this.#readPages(kind, scope, {
      ...(limit !== undefined && { limit }),
      ...(isEnough && { isEnough }),
      ...(isAnyVersion && { isAnyVersion }),
      form,
      chunk: this.#pages.objects,
      take: (page) => {
        const objects = this.#objectsOf(page, { kind, namespace: scope.namespace, form });
        return keep === undefined ? objects : objects.filter(keep);
      },
    });
    if (!('taken' in answer)) return answer;
    const { taken, ...rest } = answer;
    return { ...rest, objects: taken.flat() };
  }

  async listTable(
    kind: Kind,
    scope: Scope,
    { form = 'metadata', keep, limit }: TableOptions = {},
  ): Promise<TableResult> {
    const isBare = form === 'cells';
    const place = resourceOf(kind).namespaced ? scope.namespace : undefined;
    let columns: readonly string[] = [];
    let isTable = true;
    const answer = await this.#readPages(kind, scope, {
      ...(limit !== undefined && { limit }),
      form: 'table',
      include: isBare ? 'None' : 'Metadata',
      chunk: isBare ? this.#pages.cells : this.#pages.rows,
      take: (page, isFirst) => {
        if (isFirst) isTable = page['kind'] === 'Table';
        if (isTable !== (page['kind'] === 'Table'))
          throw new WrongAnswer(`the server sent one page of ${resourceOf(kind).name} as a table and one as objects`);
        if (!isTable) return { objects: this.#objectsOf(page, { kind, namespace: scope.namespace, form: 'full' }) };
        if (isFirst || hasColumns(page)) columns = columnsOf(page, kind);
        return takeRows(page, columns, { kind, place, keep, isBare });
      },
    });
    if (!('taken' in answer)) return answer;
    const { taken, state, failure } = answer;
    const rest = failure && { failure };
    if (taken.some((page) => 'objects' in page))
      return { state, objects: taken.flatMap((page) => ('objects' in page ? page.objects : [])), ...rest };
    const pages = taken.filter((page) => 'rows' in page);
    return {
      state,
      rows: pages.flatMap(({ rows }) => rows),
      looked: pages.reduce((sum, { looked }) => sum + looked, 0),
      states: sumOf(pages.map(({ states }) => states)),
      ...rest,
    };
  }

  async readRow(kind: Kind, scope: Scope, row: TableRow, hint?: string): Promise<ListResult> {
    const { name, namespace } = row;
    const isPlaced = namespace !== undefined || !resourceOf(kind).namespaced;
    // An object read by name need not match the label selector.
    if (isPlaced || (hint !== undefined && scope.labelSelector === undefined)) {
      const result = await this.get(kind, namespace ?? hint, name);
      if (result.state === 'found') {
        if (isPlaced || matchesRow(result.object, row)) return { state: 'complete', objects: [result.object] };
      } else if (isPlaced) {
        // The row shows the object: it counts as deleted only when a list does not have it either.
        return result.state === 'missing'
          ? this.list(kind, { ...scope, ...(namespace !== undefined && { namespace }), name })
          : result;
      }
    }
    // A field selector without a namespace makes the server search all objects: its cache is enough, and the list is
    // requested again only if nothing matches.
    const keep = (object: RawObject): boolean => matchesRow(object, row);
    const atHand = await this.list(kind, { ...scope, name }, { keep, isAnyVersion: true });
    return 'objects' in atHand && atHand.objects.length === 0 ? this.list(kind, { ...scope, name }, { keep }) : atHand;
  }

  #objectsOf(page: Fields, wanted: Omit<Wanted, 'apiVersion'>): RawObject[] {
    const { kind } = wanted;
    const apiVersion = this.#served.apiVersion(kind);
    return itemsOf(page).map((item) => {
      checkItem(item, wanted);
      const object = identify({ ...item, kind, apiVersion });
      if (object === undefined)
        throw new WrongAnswer(`the server sent a damaged item in a list of ${resourceOf(kind).name}`);
      return object;
    });
  }

  watch(
    kind: Kind,
    scope: Scope,
    resourceVersion: string,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onState?: (state: WatchState) => void,
  ): Promise<Refusal | undefined> {
    const version = this.#served.versionOf(kind);
    const path = collectionPath(kind, version, scope.namespace);
    const isMetadata = resourceOf(kind).metadataOnly === true;
    return followWatch({
      open: (from, silence, seconds) => {
        const parameters = scopeParameters(scope);
        parameters.set('watch', 'true');
        parameters.set('allowWatchBookmarks', 'true');
        parameters.set('resourceVersion', from);
        parameters.set('timeoutSeconds', String(seconds));
        return this.#client.stream(`${path}?${parameters}`, silence, signal, acceptFor(isMetadata, false));
      },
      relist: () => this.list(kind, scope),
      identify: (value) => {
        checkItem(value, { kind, namespace: scope.namespace, form: isMetadata ? 'metadata' : 'full' });
        return identify({ ...value, kind, apiVersion: this.#served.apiVersion(kind) });
      },
      hide: (text) => this.#client.hide(text),
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

  #readPages<T>(
    kind: Kind,
    scope: Scope,
    { form, include, chunk, take, limit, isEnough, isAnyVersion }: PagedList<T>,
  ): Promise<Pages<T> | Refusal> {
    const accept = form === 'table' ? asTable : acceptFor(form === 'metadata', true);
    const ask = (pageLimit: number, continueToken: string | undefined): Promise<JsonAnswer | Refusal> => {
      const parameters = scopeParameters(scope);
      if (pageLimit > 0) parameters.set('limit', String(pageLimit));
      if (continueToken !== undefined) parameters.set('continue', continueToken);
      else if (isAnyVersion === true) parameters.set('resourceVersion', '0');
      if (include !== undefined) parameters.set('includeObject', include);
      return this.#served.request(kind, (version) =>
        this.#client.get(withQuery(collectionPath(kind, version, scope.namespace), parameters), accept),
      );
    };
    // The cache of the server answers this, once it is as new as the first page. Where it has no snapshots (before
    // 1.34, or after minutes without a write: KEP-4988), each further page is read from etcd, and all its objects are
    // decoded for it.
    const askWhole = async (from: string, remaining: number): Promise<JsonAnswer | Refusal | undefined> => {
      if (remaining <= atOnce.least || (Number.isFinite(remaining) && remaining > atOnce.most)) return undefined;
      const parameters = scopeParameters(scope);
      parameters.set('resourceVersion', from);
      parameters.set('resourceVersionMatch', 'NotOlderThan');
      parameters.set('includeObject', 'None');
      return this.#served.request(kind, (version) =>
        this.#client.get(withQuery(collectionPath(kind, version, scope.namespace), parameters), accept),
      );
    };
    const { namespace } = scope;
    return readPages<T>({
      ask,
      ...(include === 'None' && this.#pages.mayBeJoined && { askWhole }),
      name: resourceOf(kind).name,
      patience: this.#client.patience,
      hide: (text) => this.#client.hide(text),
      chunk,
      limit,
      isEnough:
        isEnough && ((page, remaining) => isEnough(this.#objectsOf(page, { kind, namespace, form }), remaining)),
      check: (page) => checkList(page, { kind, apiVersion: this.#served.apiVersion(kind), namespace, form }),
      take: (page, isFirst) => {
        const taken = take(page, isFirst);
        const count = itemsOf(page).length;
        const holdsObjects = form === 'full' || (form === 'table' && page['kind'] !== 'Table');
        this.#onRead(holdsObjects ? { objects: count } : { rows: count });
        return taken;
      },
    });
  }
}
