import { ageText, parseTime } from '../../core/kube/time.ts';
import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';

type Cell = string | number | boolean | null;

/** One column of the Table form; those marked wide appear only with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly wide: boolean;
  readonly cell: (object: unknown, now: number) => Cell;
}

type CellOf = (object: unknown, now: number) => Cell;

export const text = (name: string, cell: CellOf): Column => ({ name, type: 'string', wide: false, cell });
export const integer = (name: string, cell: CellOf): Column => ({ name, type: 'integer', wide: false, cell });
export const boolean = (name: string, cell: CellOf): Column => ({ name, type: 'boolean', wide: false, cell });
export const wide = (column: Column): Column => ({ ...column, wide: true });

/** A column that only prints a field, or a word for its absence. */
export const field = (name: string, path: readonly string[], absent = ''): Column =>
  text(name, (object) => textAt(object, ...path) || absent);

export const name = field('Name', ['metadata', 'name']);
export const age = text('Age', (object, now) => agoOf(valueAt(object, 'metadata', 'creationTimestamp'), now));
export const createdAt = field('Created At', ['metadata', 'creationTimestamp']);

export function agoOf(time: unknown, now: number): string {
  const at = typeof time === 'string' ? parseTime(time) : undefined;
  return at === undefined ? '<unknown>' : ageText(at, now);
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function accessModes(object: unknown, ...path: readonly string[]): string {
  const modes = new Set(listAt(object, ...path));
  return Object.entries(shortModes)
    .filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',');
}

export function selectorText(object: unknown, ...path: readonly string[]): string {
  const labels = entriesAt(object, ...path, 'matchLabels').map(([key, value]) => `${key}=${String(value)}`);
  return labels.join(',') || '<none>';
}

/** What `-o wide` adds to everything that has a pod template. */
export const containerColumns: readonly Column[] = [
  wide(text('Containers', (object) => containersOf(object, 'name'))),
  wide(text('Images', (object) => containersOf(object, 'image'))),
];

function containersOf(object: unknown, what: string): string {
  return listAt(object, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, what))
    .join(',');
}
