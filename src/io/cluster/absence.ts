import { resourceOf } from '../../core/kube/resources.ts';
import { plainJson } from './paths.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { ApiClient } from './api-client.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A failure in the API server's own form. */
export function isStatus(body: Fields, code: number): boolean {
  return body['kind'] === 'Status' && body['apiVersion'] === 'v1' && body['code'] === code;
}

/** A 404 that names the requested object: the kind exists, the object does not. */
export function isAboutObject(body: Fields, resource: string, name: string): boolean {
  const details = body['details'];
  if (!isStatus(body, 404) || typeof details !== 'object' || details === null) return false;
  const { kind, name: named } = details as Fields;
  return named === name && (kind === undefined || kind === resource);
}

/** What runs for long notices an API that is installed or removed meanwhile. */
const freshMs = 60_000;
const failedMs = 3000;

/** What the server lists as its APIs, read only where a 404 alone proves nothing. */
export class Discovery {
  readonly #client: Pick<ApiClient, 'get'>;
  readonly #lists = new Map<string, { readonly list: Promise<Fields | undefined>; until: number }>();

  constructor(client: Pick<ApiClient, 'get'>) {
    this.#client = client;
  }

  /** Whether the server lists its APIs, and this one is not among them. */
  async lacks(kind: Kind, version: string): Promise<boolean> {
    const { group, name } = resourceOf(kind);
    const groups = entriesOf(await this.#read('/apis', 'APIGroupList'), 'groups');
    // Every server has workloads: a list without them is not that of an API server.
    if (!groups.some((entry) => entry['name'] === 'apps')) return false;
    const found = groups.find((entry) => entry['name'] === group);
    if (found === undefined || !entriesOf(found, 'versions').some((entry) => entry['version'] === version)) return true;
    const resources = await this.#read(`/apis/${group}/${version}`, 'APIResourceList');
    return (
      Array.isArray(resources?.['resources']) &&
      !entriesOf(resources, 'resources').some((entry) => entry['name'] === name)
    );
  }

  /** Whether the server lists its API groups, and this one is not among them. */
  async lacksGroup(group: string): Promise<boolean> {
    const groups = entriesOf(await this.#read('/apis', 'APIGroupList'), 'groups');
    return groups.some((entry) => entry['name'] === 'apps') && !groups.some((entry) => entry['name'] === group);
  }

  #read(path: string, kind: string): Promise<Fields | undefined> {
    const known = this.#lists.get(path);
    if (known !== undefined && known.until > performance.now()) return known.list;
    const list = this.#client
      .get(path, plainJson)
      .then((answer) =>
        'body' in answer && answer.status === 200 && answer.body['kind'] === kind ? answer.body : undefined,
      );
    const entry = { list, until: performance.now() + freshMs };
    this.#lists.set(path, entry);
    // What failed says nothing about the server later: one that was away while it was first asked would count as away
    // for long.
    list.then(
      (found) => (entry.until = found === undefined ? performance.now() + failedMs : entry.until),
      () => (entry.until = 0),
    );
    return list;
  }
}

function entriesOf(body: Fields | undefined, field: string): readonly Fields[] {
  const entries = body?.[field];
  return Array.isArray(entries)
    ? entries.filter((entry): entry is Fields => typeof entry === 'object' && entry !== null)
    : [];
}
