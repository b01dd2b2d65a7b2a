import { resourceOf } from '../../core/kube/resources.ts';
import { WrongAnswer } from './answer-shape.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { TableRow } from './reader.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface TakenRows {
  readonly rows: readonly TableRow[];
  readonly looked: number;
  readonly states: Readonly<Record<string, number>>;
}

interface Taking {
  readonly kind: Kind;
  /** Without the metadata of the objects. */
  readonly isBare: boolean;
  /** The namespace of the request. */
  readonly place: string | undefined;
  readonly keep: ((row: TableRow) => boolean) | undefined;
}

/** The rows of one page to keep, and counts of all of them. */
export function takeRows(page: Fields, columns: readonly string[], { kind, isBare, place, keep }: Taking): TakenRows {
  const rows: TableRow[] = [];
  const counts = new Map<unknown, number>();
  const named = columns.indexOf('name');
  const stated = columns.indexOf('status');
  const items = itemsOf(page);
  for (const item of items) {
    const { cells, object } = (item ?? {}) as { readonly cells?: unknown; readonly object?: unknown };
    const metadata = object ? metadataOf(object as Fields) : nothing;
    const name = metadata['name'] ?? (isBare && Array.isArray(cells) ? cells[named] : undefined);
    if (!Array.isArray(cells) || typeof name !== 'string' || name === '')
      throw new WrongAnswer(`the server sent a table of ${resourceOf(kind).name} with a row that has no name`);
    if (cells.length < columns.length)
      throw new WrongAnswer(`the server sent a table of ${resourceOf(kind).name} with a row that lacks cells`);
    if (stated >= 0) counts.set(cells[stated], (counts.get(cells[stated]) ?? 0) + 1);
    const namespace = metadata['namespace'] ?? place;
    if (place !== undefined && namespace !== place)
      throw new WrongAnswer(`the server sent ${resourceOf(kind).name} of another namespace than ${place}`);
    const row =
      typeof namespace === 'string'
        ? { name, namespace, cells: textsOf(cells, columns), metadata }
        : { name, cells: textsOf(cells, columns), metadata };
    if (keep === undefined || keep(row)) rows.push(row);
  }
  const states: Record<string, number> = {};
  for (const [state, count] of counts) states[String(state ?? '')] = (states[String(state ?? '')] ?? 0) + count;
  return { rows, looked: items.length, states };
}

const nothing: Fields = {};

function textsOf(cells: readonly unknown[], columns: readonly string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (let at = 0; at < columns.length; at += 1) {
    const cell = cells[at];
    texts[columns[at] as string] = typeof cell === 'string' ? cell : String(cell ?? '');
  }
  return texts;
}

export function columnsOf(table: Fields, kind: Kind): string[] {
  const definitions = table['columnDefinitions'];
  if (!Array.isArray(definitions) || definitions.length === 0)
    throw new WrongAnswer(`the server sent a table of ${resourceOf(kind).name} without columns`);
  return definitions.map((definition: unknown) =>
    String((definition as { readonly name?: unknown } | null)?.name ?? '').toLowerCase(),
  );
}

/** Behind a load balancer, pages may come from servers of two versions, each with columns of its own. */
export function hasColumns(table: Fields): boolean {
  const definitions = table['columnDefinitions'];
  return Array.isArray(definitions) && definitions.length > 0;
}

export function sumOf(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [state, count] of counts.flatMap((each) => Object.entries(each))) sum[state] = (sum[state] ?? 0) + count;
  return sum;
}

export function metadataOf(body: Fields): Fields {
  const { metadata } = body;
  return typeof metadata === 'object' && metadata !== null ? (metadata as Fields) : {};
}

export function itemsOf(body: Fields): readonly unknown[] {
  const items = body['items'] ?? body['rows'];
  return Array.isArray(items) ? items : [];
}

/**
 * Whether an object is the one of a table row: STATUS is its phase, or Terminating; READY counts the pods of a
 * StatefulSet.
 */
export function matchesRow({ metadata, ...rest }: RawObject, { cells: { status, ready } }: TableRow): boolean {
  const { phase, readyReplicas = 0 } = (rest['status'] ?? {}) as {
    readonly phase?: unknown;
    readonly readyReplicas?: unknown;
  };
  const { replicas = 1 } = (rest['spec'] ?? {}) as { readonly replicas?: unknown };
  if (status === undefined) return ready === undefined || ready === `${readyReplicas}/${replicas}`;
  return metadata['deletionTimestamp'] === undefined ? phase === status : status === 'Terminating';
}
