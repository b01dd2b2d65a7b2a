import type { Row, RowAttachment, RowPod } from '../../core/report/rows.ts';
import { ageText, parseTime } from '../../core/kube/time.ts';
import type { Style } from '../../terminal/theme.ts';

/** What the text of a cell depends on, except its row. */
export interface CellView {
  /** When the rows were read, in milliseconds. */
  readonly now: number;
  /** The same for each of several clusters. */
  readonly clocks?: ReadonlyMap<string, number>;
  readonly isWide: boolean;
}

/** One column of a table of rows. */
export interface Column<R extends Row = Row> {
  readonly title: string;
  readonly isWide?: true;
  /** Shown only where usage was measured, or could not be. */
  readonly isMeasured?: true;
  /** The field of the row that it shows; a row lists the fields that could not be read. */
  readonly field: string;
  /** Empty if there is nothing to show. */
  readonly text: (row: R, view: CellView) => string;
  readonly style?: (row: R) => Style | undefined;
  /** The value to sort by, if it is not the field itself. */
  readonly sortValue?: (row: R, view: CellView) => unknown;
}

export const nothing = '<none>';
export const notKnown = '?';

/** The text of one cell: the value, `<none>`, or `?` for what could not be read. */
export function cellText<R extends Row>(column: Column<R>, row: R, view: CellView): string {
  const text = column.text(row, view);
  if (row.unknown?.includes(column.field) !== true) return text === '' ? nothing : text;
  if (text === '') return notKnown;
  return text.includes(notKnown) ? text : `${text},${notKnown}`;
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Short access modes in kubectl's order (GetAccessModesAsString), each once. */
export function modesText(modes: readonly string[]): string {
  const known = Object.entries(shortModes)
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short);
  return [...known, ...modes.filter((mode) => !Object.hasOwn(shortModes, mode))].join(',');
}

/** The nodes, each with the state of the attachment unless it is simply attached. */
export function attachedText({
  attachments,
  isAttachable,
}: {
  readonly attachments: readonly RowAttachment[];
  readonly isAttachable?: boolean;
}): string {
  if (isAttachable === false && attachments.length === 0) return 'n/a';
  return attachments.map(({ node, state }) => (state === 'attached' ? node : `${node}:${state}`)).join(',');
}

/** The first pod and the number of others; all of them in the wide table. */
export function podsText(pods: readonly RowPod[], { isWide }: CellView): string {
  const names = pods.map(({ name }) => name);
  return isWide || names.length < 3 ? names.join(',') : `${names[0] ?? ''},+${names.length - 1}`;
}

export function driverText({ driver, plugin }: { readonly driver?: string; readonly plugin?: string }): string {
  return driver ?? (plugin === undefined ? '' : `<${plugin}>`);
}

export const age: Column = {
  title: 'AGE',
  field: 'createdAt',
  text: ({ createdAt }, { now }) => {
    const created = parseTime(createdAt);
    return created === undefined ? '<unknown>' : ageText(created, now);
  },
  sortValue: ({ createdAt }, { now }) => {
    const created = parseTime(createdAt);
    return created === undefined ? undefined : now - created;
  },
};

export const name: Column = { title: 'NAME', field: 'name', text: (row) => row.name };
/** The cluster, where the rows are of several. */
export const context: Column = { title: 'CONTEXT', field: 'context', text: (row) => row.context ?? '' };
export const namespace: Column = { title: 'NAMESPACE', field: 'namespace', text: (row) => row.namespace ?? '' };
export const labels: Column = {
  title: 'LABELS',
  field: 'labels',
  text: (row) =>
    Object.entries(row.labels)
      .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
      .sort()
      .join(','),
};
