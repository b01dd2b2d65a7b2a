import type { Entry } from './store.ts';
import { badRequest, continueExpired } from './status.ts';

/** Where a list continues: the version it began with, the last key that was returned, and the number of pages. */
interface Position {
  readonly rv: number;
  readonly after: string;
  readonly pages: number;
}

export interface Page {
  readonly entries: readonly Entry[];
  readonly version: number;
  readonly next: string | undefined;
  /** Unknown when a selector leaves some out, as on a real server. */
  readonly remaining: number | undefined;
}

interface PageQuery {
  readonly scope: string;
  readonly limit: number;
  readonly token: string;
  readonly selects: ((entry: Entry) => boolean) | undefined;
}

/** The tokens of unfinished lists: each list is served from the array it began with, until that is dropped. */
const rememberedLists = 256;
const inconsistent = -1;

export class Pager {
  readonly #lists = new Map<string, readonly Entry[]>();
  readonly #expires: (pages: number) => boolean;

  /** `expires` decides at each further page whether the token is too old. */
  constructor(expires: (pages: number) => boolean) {
    this.#expires = expires;
  }

  page(query: PageQuery, current: readonly Entry[], currentVersion: number): Page {
    const position = query.token === '' ? { rv: currentVersion, after: '', pages: 0 } : readToken(query.token);
    const version = position.rv === inconsistent ? currentVersion : position.rv;
    const entries =
      query.token === '' || version === currentVersion ? current : this.#lists.get(`${query.scope}@${version}`);
    if (
      entries === undefined ||
      (position.pages > 0 && position.rv !== inconsistent && this.#expires(position.pages))
    ) {
      throw continueExpired(writeToken({ ...position, rv: inconsistent }));
    }
    const start = query.token === '' ? 0 : firstAfter(entries, position.after);
    const { chosen, end } = choose(entries, start, query);
    const last = chosen.at(-1);
    if (end >= entries.length || last === undefined)
      return { entries: chosen, version, next: undefined, remaining: undefined };
    this.#remember(`${query.scope}@${version}`, entries);
    return {
      entries: chosen,
      version,
      next: writeToken({ rv: version, after: last.key, pages: position.pages + 1 }),
      remaining: query.selects === undefined ? entries.length - end : undefined,
    };
  }

  #remember(name: string, entries: readonly Entry[]): void {
    this.#lists.delete(name);
    this.#lists.set(name, entries);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > rememberedLists && oldest !== undefined) this.#lists.delete(oldest);
  }
}

/** Takes up to the limit, and continues until it is clear whether there is more. */
function choose(entries: readonly Entry[], start: number, query: PageQuery): { chosen: readonly Entry[]; end: number } {
  const { limit, selects } = query;
  if (selects === undefined) {
    const end = limit === 0 ? entries.length : Math.min(entries.length, start + limit);
    return { chosen: start === 0 && end === entries.length ? entries : entries.slice(start, end), end };
  }
  const chosen: Entry[] = [];
  for (let index = start; index < entries.length; index += 1) {
    const entry = entries[index] as Entry;
    if (!selects(entry)) continue;
    if (limit !== 0 && chosen.length === limit) return { chosen, end: index };
    chosen.push(entry);
  }
  return { chosen, end: entries.length };
}

function firstAfter(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function writeToken(position: Position): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...position })).toString('base64url');
}

function readToken(token: string): Position {
  try {
    const value = JSON.parse(Buffer.from(token, 'base64url').toString()) as Partial<Position>;
    if (typeof value.rv === 'number' && typeof value.after === 'string' && typeof value.pages === 'number') {
      return { rv: value.rv, after: value.after, pages: value.pages };
    }
  } catch {
    // Falls through: it is no token of ours.
  }
  throw badRequest('continue key is not valid: illegal base64 data or an unknown version');
}
