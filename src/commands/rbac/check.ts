import type { AccessAnswer, AccessReport } from '../../core/kube/access-right.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { columnGap } from '../../terminal/columns.ts';
import { renderTable } from '../../terminal/table.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Theme } from '../../terminal/theme.ts';
import { hang, usableWidth, widest, wrapText } from '../../terminal/wrap.ts';

interface AccessCheckOptions {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii?: boolean;
  /** The command that prints the requested rights. */
  readonly granting: string;
  readonly headers: boolean;
}

interface Row {
  readonly resource: string;
  readonly allowed: string;
  readonly missing: string;
  readonly unknown: string;
  readonly lost: string;
}

/** In a narrower column a sentence would be one word a line. */
const narrowest = 24;

/** A line for each resource: what is allowed, what is missing, and what is unknown without it. */
export function renderAccessCheck(report: AccessReport, options: AccessCheckOptions): string {
  const theme = createTheme(options);
  const width = usableWidth(options.width);
  const rows = rowsOf(report.items);
  return `${[...renderRows(rows, theme, width, options.headers), '', ...conclusion(report, theme, width, options.granting)].join('\n')}\n`;
}

function renderRows(rows: readonly Row[], theme: Theme, width: number, headers: boolean): string[] {
  const columns = (
    [
      ['ALLOWED', 'allowed', 'passed'],
      ['MISSING', 'missing', 'blocked'],
      ['UNKNOWN', 'unknown', 'unknown'],
    ] as const
  ).filter(([, state]) => state === 'allowed' || rows.some((row) => row[state] !== ''));
  const cellOf = (row: Row, [, state, style]: (typeof columns)[number]): string =>
    row[state] === '' ? '' : `${theme.glyph[style]} ${row[state]}`;
  const isWhole = columns.length === 1;
  const titles = ['RESOURCE', ...columns.map(([title]) => title)];
  const plain = [titles, ...rows.map((row) => [row.resource, ...columns.map((column) => cellOf(row, column))])];
  const room =
    width - titles.reduce((sum, _, at) => sum + columnGap + widest(plain.map((cells) => cells[at] ?? '')), 0);
  const isStacked = isWhole || room < narrowest;
  const cells = rows.map((row) => [
    row.resource,
    ...columns.map((column) => theme.paint(column[2], cellOf(row, column))),
    ...(isStacked ? [] : [wrapText(row.lost, room).join('\n')]),
  ]);
  const lines = renderTable([...(headers ? [isStacked ? titles : [...titles, 'NEEDED FOR']] : []), ...cells]);
  if (!isStacked) return lines;
  const first = headers ? 1 : 0;
  return lines.flatMap((line, index) => {
    const lost = index < first ? '' : (rows[index - first]?.lost ?? '');
    return lost === '' ? line : [line, ...hang('    ', `needed for: ${lost}`, width)];
  });
}

function rowsOf(answers: readonly AccessAnswer[]): Row[] {
  const byResource = Map.groupBy(answers, ({ group, resource, needed }) => [resource, group, needed].join('|'));
  return [...byResource.values()].map((group) => {
    const [first] = group as [AccessAnswer];
    const places = new Set(group.map(({ namespace }) => namespace)).size;
    return {
      resource: sanitise(first.resource),
      allowed: verbsOf(group, true, places),
      missing: verbsOf(group, false, places),
      unknown: verbsOf(group, undefined, places),
      lost: lostOf(group),
    };
  });
}

/** What is unknown without the rights that are missing. */
function lostOf(group: readonly AccessAnswer[]): string {
  const lacking = group.filter(({ allowed }) => allowed !== true);
  if (lacking.length === 0) return '';
  const isOnlyWatch = lacking.every(({ verb }) => verb === 'watch');
  return isOnlyWatch ? 'immediate updates with -w (without it: every few seconds)' : (group[0]?.needed ?? '');
}

function verbsOf(answers: readonly AccessAnswer[], allowed: boolean | undefined, places: number): string {
  const byPlace = [
    ...Map.groupBy(
      answers.filter((answer) => answer.allowed === allowed),
      ({ namespace }) => namespace,
    ),
  ].map(([namespace, some]) => ({ namespace, verbs: some.map(({ verb }) => verb).join(' ') }));
  const [first] = byPlace;
  if (first !== undefined && byPlace.length === places && byPlace.every(({ verbs }) => verbs === first.verbs))
    return first.verbs;
  return byPlace.map(({ namespace, verbs }) => `${verbs} in ${sanitise(namespace ?? '')}`).join(', ');
}

function conclusion({ items, summary, source }: AccessReport, theme: Theme, width: number, granting: string): string[] {
  const where = places(items);
  const { missing, unknown } = summary;
  const silent = `${sanitise(source.name)} gave no answer about ${unknown}`;
  if (missing === 0)
    return hang(
      '',
      unknown === 0 ? `all ${items.length} rights are granted${where}` : `${silent} of ${items.length} rights${where}`,
      width,
    );
  const count = `${missing} of ${items.length} rights ${missing === 1 ? 'is' : 'are'} missing`;
  const hints = [
    `${granting} prints the role to request from an administrator`,
    ...(where === '' ? ['with -n NAME, namespaced rights are limited to that namespace'] : []),
  ];
  return [
    ...hang('', `${count}${where}${unknown === 0 ? '' : `, and ${silent}`}`, width),
    ...hints.flatMap((hint) => hang('  ', hint, width)).map((line) => theme.paint('faint', line)),
  ];
}

function places(items: readonly AccessAnswer[]): string {
  const namespaces = [...new Set(items.flatMap(({ namespace }) => (namespace === undefined ? [] : [namespace])))];
  return namespaces.length === 0
    ? ''
    : ` (namespaced resources: in ${namespaces.map((name) => sanitise(name)).join(', ')})`;
}
