import { resourceOf } from '../../model/resources.ts';
import { identify } from '../identify.ts';
import { acceptFor, asTable, collectionPath, objectPath, plainJson, scopeParameters } from './paths.ts';
import { followWatch } from './watch.ts';
import type { Kind } from '../../model/kinds.ts';
import type { RawObject, Scope } from '../../model/snapshot.ts';
import type { AccessQuestion, ClusterReader, GetResult, ListOptions, ListResult, Refusal, TableResult, TableRow, WatchEvent, WatchState } from '../reader.ts';
import type { ApiClient, JsonAnswer } from './api-client.ts';
import type { Target } from './target.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One list, page by page, until it ends or is refused. */
interface Pages {
  readonly state: 'complete' | 'partial';
  readonly pages: readonly Fields[];
}

/** Reads kinds from an API server: versions, pages, and refusals as values. */
export class ApiReader implements ClusterReader {
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
  readonly #client: ApiClient;
  readonly #chunk: number;
  /** Which version of a kind the server has; a kind in none of them is told once. */
  readonly #versions = new Map<Kind, string>();

  constructor(client: ApiClient, target: Target, chunk: number) {
    this.#client = client;
    this.#chunk = chunk;
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
    const answer = await this.#inSomeVersion(kind, (version) => this.#client.get(objectPath(kind, version, place, name), accept));
    if ('state' in answer) return answer;
    if (answer.status === 404) return { state: 'missing' };
    const object = identify({ ...answer.body, kind, apiVersion: this.#apiVersion(kind) });
    return object ? { state: 'found', object } : { state: 'failed', message: 'the server answered with something other than the object' };
  }

  async list(kind: Kind, scope: Scope, options: ListOptions = {}): Promise<ListResult> {
    const isMetadata = options.form === 'metadata' || resourceOf(kind).metadataOnly === true;
    const objectsOf = (page: Fields): RawObject[] => itemsOf(page).map((item) => identify({ ...(item as object), kind, apiVersion: this.#apiVersion(kind) })).filter((object) => object !== undefined);
    const answer = await this.#readPages(kind, scope, acceptFor(isMetadata, true), options, objectsOf);
    if (!('pages' in answer)) return answer;
    const resourceVersion = metadataOf(answer.pages.at(-1) ?? {})['resourceVersion'];
    return { state: answer.state, objects: answer.pages.flatMap(objectsOf), ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}) };
  }

  async listTable(kind: Kind, scope: Scope, options: Pick<ListOptions, 'limit'> = {}): Promise<TableResult> {
    const answer = await this.#readPages(kind, scope, asTable, options, () => []);
    if (!('pages' in answer)) return answer;
    const [first] = answer.pages;
    if (first?.['kind'] !== 'Table') return { state: 'complete', objects: answer.pages.flatMap((page) => itemsOf(page).map((item) => identify({ ...(item as object), kind, apiVersion: this.#apiVersion(kind) })).filter((object) => object !== undefined)) };
    const columns = columnsOf(first);
    return { state: 'complete', rows: answer.pages.flatMap((page) => rowsOf(page, columns)) };
  }

  watch(kind: Kind, scope: Scope, resourceVersion: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal, onState?: (state: WatchState) => void): Promise<Refusal | undefined> {
    const version = this.#versions.get(kind) ?? (resourceOf(kind).versions[0] as string);
    const path = collectionPath(kind, version, scope.namespace);
    return followWatch({
      open: (from, silence, seconds) => {
        const parameters = scopeParameters(scope);
        parameters.set('watch', 'true');
        parameters.set('allowWatchBookmarks', 'true');
        parameters.set('resourceVersion', from);
        parameters.set('timeoutSeconds', String(seconds));
        return this.#client.stream(`${path}?${parameters}`, silence, signal, acceptFor(resourceOf(kind).metadataOnly === true, false));
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
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: question } };
    const answer = await this.#client.send('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { method: 'POST', body });
    const allowed = 'status' in answer ? (answer.body['status'] as { readonly allowed?: unknown } | undefined)?.allowed : undefined;
    return typeof allowed === 'boolean' ? allowed : undefined;
  }

  #apiVersion(kind: Kind): string {
    const { group, versions } = resourceOf(kind);
    const version = this.#versions.get(kind) ?? (versions[0] as string);
    return group === '' ? version : `${group}/${version}`;
  }

  async #readPages(kind: Kind, scope: Scope, accept: string, options: ListOptions, objectsOf: (page: Fields) => readonly RawObject[]): Promise<Pages | Refusal> {
    const ask = (limit: number, from: string | undefined): Promise<JsonAnswer | Refusal> => {
      const parameters = scopeParameters(scope);
      if (limit > 0) parameters.set('limit', String(limit));
      if (from !== undefined) parameters.set('continue', from);
      if (accept === asTable) parameters.set('includeObject', 'Metadata');
      return this.#inSomeVersion(kind, (version) => this.#client.get(withQuery(collectionPath(kind, version, scope.namespace), parameters), accept));
    };
    let pages: Fields[] = [];
    let read = 0;
    let limit = options.limit === undefined ? this.#chunk : Math.min(this.#chunk || options.limit, options.limit);
    let from: string | undefined;
    let mayRestart = true;
    for (;;) {
      const answer = await ask(limit, from);
      if ('state' in answer) return answer;
      // The list outlived its continue token: begin again, in one piece, so that it cannot happen twice.
      if (answer.status === 410 && from !== undefined && mayRestart) {
        mayRestart = false;
        pages = [];
        read = 0;
        limit = 0;
        from = undefined;
        continue;
      }
      if (answer.status !== 200) return { state: answer.status === 404 ? 'absentApi' : 'failed', message: answer.message };
      pages.push(answer.body);
      const { continue: next, remainingItemCount } = metadataOf(answer.body);
      if (typeof next !== 'string' || next === '') return { state: 'complete', pages };
      read += itemsOf(answer.body).length;
      if (options.limit !== undefined && read >= options.limit) return { state: 'partial', pages };
      const remaining = typeof remainingItemCount === 'number' ? remainingItemCount : Number.POSITIVE_INFINITY;
      if (pages.length === 1 && options.isEnough?.(objectsOf(answer.body), remaining) === true) return { state: 'partial', pages };
      from = next;
    }
  }

  /** Asks in the version that the server is known to have, or in one after the other until it knows the kind. */
  async #inSomeVersion(kind: Kind, ask: (version: string) => Promise<JsonAnswer | Refusal>): Promise<JsonAnswer | Refusal> {
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

/** A 404 that names an object says that the object is missing; any other says that the kind is. */
function isAboutObject(body: Fields): boolean {
  const details = body['details'];
  return body['kind'] === 'Status' && typeof details === 'object' && details !== null && typeof (details as Fields)['name'] === 'string' && (details as Fields)['name'] !== '';
}

function withQuery(path: string, parameters: URLSearchParams): string {
  const query = parameters.toString();
  return query === '' ? path : `${path}?${query}`;
}

function metadataOf(body: Fields): Fields {
  const { metadata } = body;
  return typeof metadata === 'object' && metadata !== null ? (metadata as Fields) : {};
}

function itemsOf(body: Fields): readonly unknown[] {
  const items = body['items'] ?? body['rows'];
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
}

function columnsOf(table: Fields): string[] {
  const definitions = table['columnDefinitions'];
  if (!Array.isArray(definitions)) return [];
  return definitions.map((definition: unknown) => String((definition as { readonly name?: unknown } | null)?.name ?? '').toLowerCase());
}

function rowsOf(page: Fields, columns: readonly string[]): TableRow[] {
  return itemsOf(page).flatMap((row) => {
    const { cells, object } = row as { readonly cells?: unknown; readonly object?: unknown };
    const metadata = metadataOf((object ?? {}) as Fields);
    const { name, namespace } = metadata;
    if (typeof name !== 'string' || !Array.isArray(cells)) return [];
    const texts = Object.fromEntries(columns.map((column, at) => [column, String(cells[at] ?? '')]));
    return [{ name, ...(typeof namespace === 'string' ? { namespace } : {}), cells: texts, metadata }];
  });
}
