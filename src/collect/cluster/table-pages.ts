import type { TableRow } from '../reader.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface TakenRows {
  readonly rows: readonly TableRow[];
  readonly looked: number;
  readonly states: Readonly<Record<string, number>>;
}

interface Taking {
  /** The token that led to the page; none leads to the first. */
  readonly from: string | undefined;
  /** The namespace that was asked for. */
  readonly place: string | undefined;
  readonly keep: ((row: TableRow) => boolean) | undefined;
}

/** The rows of one page that are wanted, and counts of all of them. */
export function takeRows(page: Fields, columns: readonly string[], { from, place, keep }: Taking): TakenRows {
  const rows: TableRow[] = [];
  const states: Record<string, number> = {};
  const seen = new Map<string, number>();
  const named = columns.indexOf('name');
  const items = itemsOf(page);
  for (const item of items) {
    const { cells, object } = item as { readonly cells?: unknown; readonly object?: unknown };
    if (!Array.isArray(cells)) continue;
    const metadata = metadataOf((object ?? {}) as Fields);
    const name = metadata['name'] ?? cells[named];
    if (typeof name !== 'string') continue;
    const namespace = metadata['namespace'] ?? place;
    const texts: Record<string, string> = {};
    for (const [at, column] of columns.entries()) texts[column] = String(cells[at] ?? '');
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    const { status } = texts;
    if (status !== undefined) states[status] = (states[status] ?? 0) + 1;
    const row: TableRow = { name, ...(typeof namespace === 'string' && { namespace }), cells: texts, metadata, place: { page: from, nth } };
    if (keep === undefined || keep(row)) rows.push(row);
  }
  return { rows, looked: items.length, states };
}

export function columnsOf(table: Fields): string[] {
  const definitions = table['columnDefinitions'];
  if (!Array.isArray(definitions)) return [];
  return definitions.map((definition: unknown) => String((definition as { readonly name?: unknown } | null)?.name ?? '').toLowerCase());
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
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : [];
}
