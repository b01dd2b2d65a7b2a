import type { StageState } from '../../core/report/report.ts';
import type { DriverStatus, NodeStatus, Placement, PlacementState, Status } from '../../core/report/status.ts';
import type { Screen } from '../screen.ts';
import { count, nameList, unreadText } from './lists.ts';
import { columnGap } from '../columns.ts';
import { renderTable } from '../table.ts';
import type { Style } from '../theme.ts';
import { hang, widest } from '../wrap.ts';

/** More nodes than this are counted, and only those with a problem are named. */
const fewNodes = 8;

export const looks: Readonly<
  Record<PlacementState, { readonly glyph: StageState; readonly style: Style; readonly word: string }>
> = {
  ready: { glyph: 'passed', style: 'passed', word: 'ready' },
  notReady: { glyph: 'blocked', style: 'blocked', word: 'not ready' },
  missing: { glyph: 'blocked', style: 'blocked', word: 'missing' },
  excluded: { glyph: 'notApplicable', style: 'faint', word: 'excluded' },
  absent: { glyph: 'notApplicable', style: 'faint', word: 'not here' },
  unknown: { glyph: 'unknown', style: 'unknown', word: 'not known' },
};

export function renderNodes(status: Status, screen: Screen): string[] {
  const { paint } = screen.theme;
  const drivers = status.drivers.filter(
    ({ placed, placements }) => placed !== 'none' && placements.some(({ state }) => state !== 'absent'),
  );
  if (status.nodes.length === 0 && drivers.length === 0)
    return status.nodesKnown === 'none'
      ? [paint('strong', 'nodes'), `  ${unreadText(status.unread, 'nodes', screen)}`]
      : [];
  const matrix = drivers.length > 0 ? renderMatrix(status, drivers, screen) : undefined;
  if (matrix !== undefined)
    return [
      paint('strong', 'nodes'),
      ...matrix,
      ...drivers.flatMap((driver) => oddRows(driver, `${driver.name} `, 2, screen)),
    ];
  return [
    ...nodeLine(status, screen),
    ...drivers.flatMap((driver) => [
      ...hang(`  ${driver.name}  `, sumText(driver), screen.width, 6),
      ...oddRows(driver, '', 6, screen),
      ...slotRows(driver, screen),
    ]),
  ];
}

/** A row for each node and a column for each driver; undefined if it does not fit the screen. */
function renderMatrix(status: Status, drivers: readonly DriverStatus[], screen: Screen): string[] | undefined {
  const nodes = new Map(status.nodes.map((node) => [node.name, node]));
  const names = [
    ...new Set([...nodes.keys(), ...drivers.flatMap(({ placements }) => placements.map(({ node }) => node))]),
  ];
  if (names.length > fewNodes) return undefined;
  const cellOf = (driver: DriverStatus, name: string): Placement =>
    driver.placements.find(({ node }) => node === name) ?? { node: name, state: 'unknown' };
  const plain = names.map((name) => [
    `  ${name}${nodeWords(nodes.get(name))}`,
    ...drivers.map((driver) => cellText(cellOf(driver, name), screen)),
  ]);
  const head = ['  NODE', ...drivers.map(({ name }) => name)];
  const width =
    head.reduce((sum, _, column) => sum + widest([head, ...plain].map((row) => row[column] ?? '')), 0) +
    columnGap * drivers.length;
  if (width > screen.width) return undefined;
  const painted = names.map((name, row) => [
    plain[row]?.[0] ?? '',
    ...drivers.map((driver, column) =>
      screen.theme.paint(cellStyle(cellOf(driver, name)), plain[row]?.[column + 1] ?? ''),
    ),
  ]);
  return renderTable([head, ...painted]);
}

function nodeWords(node: NodeStatus | undefined): string {
  if (node === undefined) return ' (no node object)';
  return [...(node.state === 'notReady' ? [' (not ready)'] : []), ...(node.isCordoned ? [' (cordoned)'] : [])].join('');
}

function cellText(placement: Placement, screen: Screen): string {
  const { glyph, word } = looks[placement.state];
  return `${screen.theme.glyph[glyph]} ${word}${slotsText(placement)}`;
}

const levelWords = { full: ' full', near: ' nearly full', free: '', unknown: '' } as const;

/** `12/25 volumes nearly full`; nothing if the node has no limit. */
export function slotsText({ slots }: Placement): string {
  if (slots === undefined) return '';
  return `, ${slots.used ?? '?'}/${slots.limit} volumes${levelWords[slots.level]}`;
}

function cellStyle({ state, slots }: Placement): Style {
  if (state === 'ready' && slots?.level === 'full') return 'blocked';
  if (state === 'ready' && slots?.level === 'near') return 'waiting';
  return looks[state].style;
}

/** The nodes where the driver should run and does not, one line for each reason. */
function oddRows(driver: DriverStatus, who: string, indent: number, screen: Screen): string[] {
  const { glyph, paint } = screen.theme;
  const odd = driver.placements.filter(({ state }) => state === 'notReady' || state === 'missing');
  const groups = Map.groupBy(odd, ({ state, why }) => `${looks[state].word}|${why ?? ''}`);
  return [...groups].flatMap(([key, group]) => {
    const [word = '', why = ''] = key.split('|');
    const names = group.map(({ node, pod }) =>
      screen.wide && pod ? `${node} (pod/${pod.name} in ${pod.namespace ?? ''})` : node,
    );
    return hang(
      `${' '.repeat(indent)}${paint('blocked', glyph.blocked)} `,
      screen.theme.prose(`${who}${word} on ${nameList(names, screen)}${why === '' ? '' : `: ${why}`}`),
      screen.width,
      indent + 2,
    );
  });
}

function nodeLine({ nodes, nodesKnown, unread }: Status, screen: Screen): string[] {
  const { paint } = screen.theme;
  if (nodesKnown === 'none') return [`${paint('strong', 'nodes')}  ${unreadText(unread, 'nodes', screen)}`];
  const down = nodes.filter(({ state }) => state === 'notReady');
  const cordoned = nodes.filter(({ isCordoned }) => isCordoned);
  const text = [
    `${nodesKnown === 'some' ? 'at least ' : ''}${nodes.length}`,
    ...(down.length > 0
      ? [
          `${down.length} not ready: ${nameList(
            down.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`)),
            screen,
          )}`,
        ]
      : []),
    ...(cordoned.length > 0
      ? [
          `${cordoned.length} cordoned: ${nameList(
            cordoned.map(({ name }) => name),
            screen,
          )}`,
        ]
      : []),
  ].join('; ');
  return hang(
    `${paint('strong', 'nodes')}  `,
    down.length + cordoned.length === 0 ? `${text}, all ready` : text,
    screen.width,
    7,
  );
}

function sumText({ placements }: DriverStatus): string {
  const of = (...states: readonly PlacementState[]): number =>
    placements.filter(({ state }) => states.includes(state)).length;
  const expected = placements.length - of('excluded', 'absent');
  const counted = placements.flatMap(({ slots }) =>
    slots?.used === undefined ? [] : [{ used: slots.used, limit: slots.limit }],
  );
  const sum = (pick: (slots: { readonly used: number; readonly limit: number }) => number): number =>
    counted.reduce((total, slots) => total + pick(slots), 0);
  return [
    `ready on ${of('ready')} of ${count(expected, 'node')}`,
    ...(of('notReady') > 0 ? [`not ready on ${of('notReady')}`] : []),
    ...(of('missing') > 0 ? [`missing on ${of('missing')}`] : []),
    ...(of('unknown') > 0 ? [`not known on ${of('unknown')}`] : []),
    ...(of('excluded') > 0 ? [`excluded from ${of('excluded')}`] : []),
    ...(of('absent') > 0 ? [`not on ${of('absent')} more`] : []),
    ...(counted.length > 0 ? [`${sum(({ used }) => used)} of ${sum(({ limit }) => limit)} volumes`] : []),
  ].join(', ');
}

function slotRows({ placements }: DriverStatus, screen: Screen): string[] {
  const { paint, glyph } = screen.theme;
  const named = (level: 'full' | 'near'): string[] =>
    placements.flatMap(({ node, slots }) =>
      slots?.level === level ? [`${node} ${slots.used ?? '?'}/${slots.limit}`] : [],
    );
  const line = (state: StageState, style: Style, word: string, nodes: readonly string[]): string[] =>
    nodes.length === 0
      ? []
      : hang(`      ${paint(style, glyph[state])} `, `${word}: ${nameList(nodes, screen)}`, screen.width, 8);
  return [
    ...line('blocked', 'blocked', 'full', named('full')),
    ...line('waiting', 'waiting', 'nearly full', named('near')),
  ];
}
