import { capabilityNames } from '../../core/kube/capability-names.ts';
import type { ProbeCapabilities, ProbeItem } from '../../core/report/probe-report.ts';
import type { Screen } from '../../terminal/screen.ts';
import { columnGap } from '../../terminal/columns.ts';
import { renderTable } from '../../terminal/table.ts';
import { displayWidth, hang, padEnd, widest } from '../../terminal/wrap.ts';

const groups: readonly (readonly [keyof ProbeCapabilities, string])[] = [
  ['plugin', 'plugin'],
  ['expansion', 'expansion'],
  ['controller', 'controller'],
  ['groupController', 'group'],
  ['node', 'node'],
  ['object', 'object'],
  ['accessModes', 'access'],
];

/** What one driver offers, one line for each group of capabilities. */
export function renderCapabilityLists({ capabilities = {} }: ProbeItem, screen: Screen): string[] {
  return groups.flatMap(([group, title]) => {
    const names = capabilities[group];
    if (names === undefined) return [];
    const nothing = group === 'accessModes' ? 'ReadWriteOncePod by Kubernetes alone' : 'none';
    return hang(`    ${padEnd(title, 15)}`, names.length === 0 ? nothing : names.join(' '), screen.width);
  });
}

/** Where the cluster's assumptions and the driver's answers differ. */
export function renderDrift({ drift }: ProbeItem, screen: Screen): string[] {
  return drift.flatMap((sentence) => hang('    drift: ', screen.theme.prose(sentence), screen.width));
}

/** Endpoints with the same answers share a column. */
interface Column {
  readonly driver: string;
  readonly place: string;
  readonly capabilities: ProbeCapabilities;
}

/** All capabilities and which driver offers them; `?` where a driver was not asked or does not serve the service. */
export function renderMatrix(items: readonly ProbeItem[], screen: Screen): string[] {
  const columns = columnsOf(items);
  if (columns.length === 0) return [];
  const rows = groups.flatMap(([group, title]) => namesIn(group, columns).map((name) => ({ title, group, name })));
  const labels = widest(rows.map((row) => row.title)) + widest(rows.map((row) => row.name)) + 2 * columnGap;
  return columnsThatFit(columns, screen.width - labels).flatMap((part, index) => [
    ...(index === 0 ? [] : ['']),
    ...renderTable([
      ['CAPABILITY', '', ...part.map(({ driver }) => driver)],
      ...(part.some(({ place }) => place !== '') ? [['', '', ...part.map(({ place }) => place)]] : []),
      ...rows
        .filter((row) => isAnswered(part, row.group))
        .map(({ title, group, name }) => [
          title,
          name,
          ...part.map(({ capabilities }) => cell(capabilities[group], name, screen)),
        ]),
      ...groups
        .filter(([group]) => !isAnswered(part, group))
        .map(([, title]) => [title, 'not served or not asked', ...part.map(() => '?')]),
    ]),
  ]);
}

const isAnswered = (columns: readonly Column[], group: keyof ProbeCapabilities): boolean =>
  columns.some(({ capabilities }) => capabilities[group] !== undefined);

function columnsOf(items: readonly ProbeItem[]): Column[] {
  const alike = Map.groupBy(
    items.filter((item) => item.capabilities !== undefined),
    (item) => JSON.stringify([item.driver ?? item.endpoint, item.roles ?? [], item.capabilities]),
  );
  const columns = [...alike.values()].map(([first, ...others]) => ({
    first: first as ProbeItem,
    all: [first as ProbeItem, ...others],
  }));
  const counts = Map.groupBy(columns, ({ first }) => first.driver);
  return columns.map(({ first, all }) => ({
    driver: first.driver ?? first.endpoint,
    place: placeOf(first, all, (counts.get(first.driver)?.length ?? 0) > 1),
    capabilities: first.capabilities ?? {},
  }));
}

/** Which endpoints of the driver a column is about: always in a cluster, for local sockets only if they differ. */
function placeOf(
  { driver, endpoint, node, roles = [] }: ProbeItem,
  all: readonly ProbeItem[],
  isAmbiguous: boolean,
): string {
  if (roles.includes('controller')) return roles.includes('node') ? 'controller and node' : 'controller';
  if (roles.length > 0) return all.length === 1 && node !== undefined ? node : `${all.length} nodes`;
  if (!isAmbiguous || driver === undefined) return '';
  return all.length === 1 ? endpoint.slice(endpoint.lastIndexOf('/') + 1) : `${all.length} sockets`;
}

function namesIn(group: keyof ProbeCapabilities, columns: readonly Column[]): string[] {
  const known = group === 'accessModes' ? ['ReadWriteOncePod'] : capabilityNames[group].slice(1);
  return [...new Set([...known, ...columns.flatMap(({ capabilities }) => capabilities[group] ?? [])])];
}

function cell(names: readonly string[] | undefined, name: string, screen: Screen): string {
  if (names === undefined) return '?';
  return names.includes(name) ? screen.theme.paint('passed', 'yes') : screen.theme.paint('faint', '-');
}

function columnsThatFit(columns: readonly Column[], room: number): Column[][] {
  const parts: Column[][] = [];
  let used = 0;
  for (const column of columns) {
    const width = Math.max(displayWidth(column.driver), displayWidth(column.place)) + columnGap;
    const last = parts.at(-1);
    if (last !== undefined && used + width <= room) {
      last.push(column);
      used += width;
    } else {
      parts.push([column]);
      used = width;
    }
  }
  return parts;
}
