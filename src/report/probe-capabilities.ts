import { capabilityNames } from '../model/capability-names.ts';
import type { ProbeCapabilities, ProbeItem } from '../model/probe-report.ts';
import type { Screen } from './screen.ts';
import { columnGap, renderTable } from './table.ts';
import { displayWidth, hang, padEnd, widest } from './wrap.ts';

const groups: readonly (readonly [keyof ProbeCapabilities, string])[] = [
  ['plugin', 'plugin'],
  ['expansion', 'expansion'],
  ['controller', 'controller'],
  ['groupController', 'group'],
  ['node', 'node'],
  ['accessModes', 'access'],
];

/** What one driver offers, a line a group. */
export function renderCapabilityLists({ capabilities = {} }: ProbeItem, screen: Screen): string[] {
  return groups.flatMap(([group, title]) => {
    const names = capabilities[group];
    if (names === undefined) return [];
    const nothing = group === 'accessModes' ? 'no ReadWriteOncePod' : 'none';
    return hang(`    ${padEnd(title, 15)}`, names.length === 0 ? nothing : names.join(' '), screen.width);
  });
}

/** All that can be offered beside who offers it; `?` where a driver was not asked or does not serve that part. */
export function renderMatrix(items: readonly ProbeItem[], screen: Screen): string[] {
  const drivers = items.filter((item) => item.capabilities !== undefined);
  if (drivers.length === 0) return [];
  const rows = groups.flatMap(([group, title]) => namesIn(group, drivers).map((name) => ({ title, group, name })));
  const labels = widest(rows.map((row) => row.title)) + widest(rows.map((row) => row.name)) + 2 * columnGap;
  return columnsThatFit(drivers, screen.width - labels).flatMap((part, index) => [
    ...(index === 0 ? [] : ['']),
    ...renderTable([['CAPABILITY', '', ...part.map((item) => item.driver ?? item.endpoint)], ...rows.map(({ title, group, name }) => [title, name, ...part.map((item) => cell(item.capabilities?.[group], name, screen))])]),
  ]);
}

function namesIn(group: keyof ProbeCapabilities, items: readonly ProbeItem[]): string[] {
  const known = group === 'accessModes' ? ['ReadWriteOncePod'] : capabilityNames[group].slice(1);
  return [...new Set([...known, ...items.flatMap((item) => item.capabilities?.[group] ?? [])])];
}

function cell(names: readonly string[] | undefined, name: string, screen: Screen): string {
  if (names === undefined) return '?';
  return names.includes(name) ? screen.theme.paint('passed', 'yes') : screen.theme.paint('faint', '-');
}

function columnsThatFit(items: readonly ProbeItem[], room: number): ProbeItem[][] {
  const parts: ProbeItem[][] = [];
  let used = 0;
  for (const item of items) {
    const columns = displayWidth(item.driver ?? item.endpoint) + columnGap;
    const last = parts.at(-1);
    if (last !== undefined && used + columns <= room) {
      last.push(item);
      used += columns;
    } else {
      parts.push([item]);
      used = columns;
    }
  }
  return parts;
}
