import { resourceOf } from '../../core/kube/resources.ts';
import { begin } from './begin.ts';
import { objectKey } from '../identify.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Observation, RawObject, Scope } from '../../core/kube/snapshot.ts';
import { refusalOf } from './reader.ts';
import { matchesRow } from './table-pages.ts';
import type { ClusterReader, ListResult, Table, TableResult, TableRow } from './reader.ts';

export interface Scan {
  readonly objects: readonly RawObject[];
  readonly observations: readonly Observation[];
  /** The limit ended a table that has more rows. */
  readonly isCut?: boolean;
  /** All rows of the table of volumes, where the search has read it. */
  readonly volumeRows?: readonly TableRow[];
}

/** Which objects of a kind to read in full, decided by their rows in the server's table. */
export interface Search {
  readonly form: 'cells' | 'metadata';
  /** Whether the object of this row must be read. */
  readonly isOdd: (row: TableRow) => boolean;
  /**
   * Whether a suspicious row that cannot be read leaves the whole list unread: then the search cannot report that
   * nothing is stuck.
   */
  readonly isSearch?: boolean;
  /** Whether to count the states of all rows, too. */
  readonly counts?: boolean;
  /** Called for each suspicious row as soon as it is found. */
  readonly onOdd?: () => void;
  /** How many rows to examine. */
  readonly limit?: number;
  /** All rows of the table, where they were read before. */
  readonly known?: readonly TableRow[] | undefined;
  /** A namespace that an object of this name may be in: a table of cells does not show it. */
  readonly hint?: (name: string) => Promise<string | undefined>;
}

/** Up to so many objects are read one by one, even before the table is complete. */
const few = 40;
/** Rows of one page of a list. */
const shortList = 500;
/** A list of so many objects costs about as much as one get. */
const getsPerObject = 20;

export async function scanTable(
  reader: ClusterReader,
  kind: Kind,
  scope: Scope,
  { form, isOdd, isSearch, counts, onOdd, limit, known, hint }: Search,
): Promise<Scan> {
  const reads = new RowReads(reader, kind, scope, hint);
  const keep = (row: TableRow): boolean => {
    reads.look();
    const isWanted = isOdd(row);
    if (isWanted) {
      onOdd?.();
      reads.add(row);
    }
    return isWanted;
  };
  const table = known
    ? tableOf(known, keep, limit)
    : await reader.listTable(kind, scope, { form, ...(limit !== undefined && { limit }), keep });
  if ('objects' in table && table.state === 'partial' && table.failure === undefined)
    return {
      objects: table.objects,
      observations: [partly(kind, scope, { looked: table.objects.length })],
      isCut: true,
    };
  if (!('rows' in table)) return scanOf(kind, scope, table);
  const { rows, looked, states } = table;
  if (table.failure !== undefined) {
    // What the pages before the failure show is stuck for certain; of the rest nothing is known.
    const scan = readRows(kind, scope, rows.length > few ? [] : await reads.all(), { looked });
    return {
      objects: scan.objects,
      observations: [...scan.observations.slice(0, -1), ...scanOf(kind, scope, table).observations],
    };
  }
  const isCut = table.state === 'partial';
  if ((await reads.countSearches(rows)) > few || rows.length > mostReads(table))
    return { ...(await listRows(reader, kind, scope, table, { counts, ...(isCut && { limit }) })), isCut };
  const scan = readRows(kind, scope, await reads.all(), { looked, isCut, ...(counts && { states }) });
  return { ...(isSearch === true ? withRefusal(scan, scope) : scan), isCut };
}

function tableOf(known: readonly TableRow[], keep: (row: TableRow) => boolean, limit = known.length): Table {
  const looked = known.slice(0, limit);
  return {
    state: looked.length < known.length ? 'partial' : 'complete',
    rows: looked.filter(keep),
    looked: looked.length,
    states: {},
  };
}

/** A page of a list costs as much as some 25 gets. */
function mostReads({ looked }: Table): number {
  if (looked <= shortList) return Math.ceil(looked / getsPerObject);
  return Math.max(few, Math.min(looked / getsPerObject, 2500));
}

/** Reads many rows as one list instead of one by one; of a long list only the wanted objects are kept. */
async function listRows(
  reader: ClusterReader,
  kind: Kind,
  scope: Scope,
  { rows, looked, states }: Table,
  { counts, limit }: Pick<Search, 'counts' | 'limit'>,
): Promise<Scan> {
  if (limit === undefined && (looked <= shortList || rows.length > looked / 2)) return listAll(reader, kind, scope);
  const names = new Set(rows.map(({ name }) => name));
  const keep = ({ metadata }: RawObject): boolean => names.has(metadata.name);
  const result = await reader.list(kind, scope, { keep, ...(limit !== undefined && { limit }) });
  if (!('objects' in result) || result.failure !== undefined) return scanOf(kind, scope, result);
  const kept = result.objects.map(({ metadata: { namespace, name } }): Observation => ({
    kind,
    scope: { ...(namespace !== undefined && { namespace }), name },
    state: 'complete',
  }));
  return {
    objects: result.objects,
    observations: [...kept, partly(kind, scope, { looked, ...(counts && { states }) })],
  };
}

export async function listAll(reader: ClusterReader, kind: Kind, scope: Scope): Promise<Scan> {
  return scanOf(kind, scope, await reader.list(kind, scope));
}

/** The objects of a list that was to be read as a whole, and whether it was. */
export function scanOf(kind: Kind, scope: Scope, result: ListResult | TableResult): Scan {
  const refusal = refusalOf(result);
  return {
    objects: 'objects' in result ? result.objects : [],
    observations: [
      refusal === undefined
        ? { kind, scope, state: 'complete' }
        : { kind, scope, state: refusal.state, message: refusal.message },
    ],
  };
}

/** Reads the objects of suspicious rows while the next page of the table is on its way. */
class RowReads {
  readonly #read: (row: TableRow, isFirst: boolean) => Promise<RowRead>;
  /** The object of a row if it is in this namespace. */
  readonly #readAt: (row: TableRow, place: string) => Promise<RowRead | undefined>;
  readonly #placeOf: (row: TableRow) => Promise<string | undefined>;
  #waiting: TableRow[] = [];
  #added = 0;
  #looked = 0;
  readonly #reads = new Map<string, Promise<RowRead>>();
  /** Rows whose object was read where it was expected. */
  readonly #found = new Set<TableRow>();

  constructor(reader: ClusterReader, kind: Kind, scope: Scope, hint: Search['hint']) {
    const isNamespaced = resourceOf(kind).namespaced;
    this.#placeOf = async ({ name, namespace }) => namespace ?? (isNamespaced ? hint?.(name) : 'the cluster');
    this.#readAt = async (row, place) => {
      // An object read by name need not match the label selector.
      const result = scope.labelSelector === undefined ? await reader.get(kind, place, row.name) : undefined;
      if (result?.state !== 'found' || !matchesRow(result.object, row)) return undefined;
      return { row, result: { state: 'complete', objects: [result.object] } };
    };
    this.#read = async (row, isFirst) => {
      const place = row.namespace === undefined && isFirst ? await hint?.(row.name) : undefined;
      return { row, result: await reader.readRow(kind, scope, row, place) };
    };
  }

  /** Counts the rows, for all of which a short list may be cheaper. */
  look(): void {
    this.#looked += 1;
  }

  /** The rows of a page come in one go, so it is known at the end of it whether they are few. */
  add(row: TableRow): void {
    if (this.#waiting.length === 0) {
      queueMicrotask(() => {
        const isShort = this.#looked <= shortList;
        if (this.#added <= (isShort ? Math.ceil(this.#looked / getsPerObject) : few)) this.#begin();
      });
    }
    this.#waiting.push(row);
    this.#added += 1;
  }

  /**
   * How many reads would be searches through all objects of the kind: of names whose namespace is not known, or that
   * several objects have.
   */
  async countSearches(rows: readonly TableRow[]): Promise<number> {
    const groups = Map.groupBy(rows, keyOf);
    const isAlone = (row: TableRow): boolean => groups.get(keyOf(row))?.length === 1;
    const namesakes = [...groups.values()].filter(({ length }) => length > 1).length;
    const places = await Promise.all(rows.map((row) => this.#placeOf(row)));
    const near = nearestPlaces(places);
    const unplaced = rows.flatMap((row, index) =>
      isAlone(row) && places[index] === undefined ? [{ row, near: near[index] ?? [] }] : [],
    );
    const lost = unplaced.filter(({ near }) => near.length === 0).length;
    // Few of these guesses are right where most rows have no place.
    const isWorthTrying = unplaced.length > few && lost + namesakes <= few && unplaced.length <= rows.length / 2;
    if (!isWorthTrying) return unplaced.length + namesakes;
    const isFound = await Promise.all(unplaced.map(({ row, near }) => this.#tryAt(row, near)));
    return isFound.filter((found) => !found).length + namesakes;
  }

  async #tryAt(row: TableRow, places: readonly string[]): Promise<boolean> {
    const key = keyOf(row);
    for (const place of places) {
      if (this.#reads.has(key)) return true;
      const read = await this.#readAt(row, place);
      if (read === undefined) continue;
      this.#reads.set(key, Promise.resolve(read));
      this.#found.add(row);
      return true;
    }
    return false;
  }

  async all(): Promise<RowRead[]> {
    this.#begin();
    return Promise.all(this.#reads.values());
  }

  #begin(): void {
    for (const row of this.#waiting) {
      if (this.#found.has(row)) continue;
      const key = keyOf(row);
      // A second such row is in another namespace than the hint for the first; one read without the hint finds all of
      // them.
      const isFirst = !this.#reads.has(key);
      const name = isFirst ? key : `${key}/others`;
      if (!this.#reads.has(name)) this.#reads.set(name, begin(this.#read(row, isFirst)));
    }
    this.#waiting = [];
  }
}

/**
 * The namespaces of the nearest rows before and after each row that are known. Servers sort a list by namespace and
 * name, so that what is between two rows of one namespace is in it, and what is between two namespaces is most often in
 * one of them.
 */
function nearestPlaces(places: readonly (string | undefined)[]): string[][] {
  const before = lastKnown(places);
  const after = lastKnown(places.toReversed()).reverse();
  return places.map((_, index) => [...new Set([before[index], after[index]].filter((place) => place !== undefined))]);
}

/** For each position the latest known place up to it. */
function lastKnown(places: readonly (string | undefined)[]): (string | undefined)[] {
  let last: string | undefined;
  return places.map((place) => (last = place ?? last));
}

/** One read finds all objects of the same name and state. */
function keyOf({ namespace, name, cells }: TableRow): string {
  return `${namespace ?? ''}/${name}/${cells['status'] ?? ''}/${cells['ready'] ?? ''}`;
}

interface RowRead {
  readonly row: TableRow;
  readonly result: ListResult;
}

interface Looked {
  readonly looked: number;
  /** There are rows that were not examined. */
  readonly isCut?: boolean;
  readonly states?: Readonly<Record<string, number>>;
}

function readRows(kind: Kind, scope: Scope, reads: readonly RowRead[], all: Looked): Scan {
  const objects: RawObject[] = [];
  const observations: Observation[] = [];
  for (const {
    row: { name, namespace },
    result,
  } of reads) {
    const narrow = (place: string | undefined): Scope => ({
      ...(place === undefined ? {} : { namespace: place }),
      name,
    });
    if ('objects' in result) objects.push(...result.objects);
    const refusal = refusalOf(result);
    if (refusal !== undefined || !('objects' in result)) {
      observations.push({ kind, scope: narrow(namespace), state: 'failed', ...refusal });
      continue;
    }
    const places =
      namespace === undefined && resourceOf(kind).namespaced
        ? result.objects.map(({ metadata }) => metadata.namespace)
        : [namespace];
    observations.push(...places.map((place): Observation => ({ kind, scope: narrow(place), state: 'complete' })));
  }
  // Several reads may have found the same object.
  const isWhole =
    all.isCut !== true &&
    new Set(objects.map(objectKey)).size === all.looked &&
    observations.every(({ state }) => state === 'complete');
  return {
    objects,
    observations: [...observations, isWhole ? { kind, scope, state: 'complete' } : partly(kind, scope, all)],
  };
}

/** The object of a suspicious row may be stuck: if one was not read, the list was not. */
function withRefusal({ objects, observations }: Scan, scope: Scope): Scan {
  const [whole, ...rows] = [...observations].reverse();
  const refused = rows.find(({ state }) => state !== 'complete');
  if (whole === undefined || refused === undefined) return { objects, observations };
  return { objects, observations: [...rows.reverse(), { ...whole, ...refused, scope }] };
}

function partly(kind: Kind, scope: Scope, { isCut: _, ...all }: Looked): Observation {
  return { kind, scope, state: 'partial', message: 'only what is not ready was read', ...all };
}
