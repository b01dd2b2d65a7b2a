import type { ProbeItem, ProbeRoute } from '../../core/report/probe-report.ts';
import { looks, renderDetails } from './item.ts';
import type { Screen } from '../../terminal/screen.ts';
import { displayWidth, hang, padEnd } from '../../terminal/wrap.ts';

/** A longer list of names is cut; `-o wide` shows all. */
const enoughNames = 5;

/** Each driver with its controllers, then its nodes; nodes with the same answer share a line. */
export function renderDrivers(items: readonly ProbeItem[], words: number, deep: boolean, screen: Screen): string[][] {
  return [...Map.groupBy(items, (item) => item.driver ?? item.endpoint)].map(([driver, own]) => [
    screen.theme.paint('strong', driver),
    ...groupsOf(own, deep, screen).flatMap((group) => renderGroup(group, own, words, deep, screen)),
  ]);
}

/** Each controller is a group of its own; nodes with the same answer form one. */
function groupsOf(items: readonly ProbeItem[], deep: boolean, screen: Screen): ProbeItem[][] {
  if (screen.wide) return items.map((item) => [item]);
  return [
    ...Map.groupBy(items, (item) =>
      isOnlyNode(item) ? likenessOf(item, deep) : `${item.namespace ?? ''}/${item.pod ?? item.endpoint}`,
    ).values(),
  ];
}

const isOnlyNode = (item: ProbeItem): boolean => item.roles?.length === 1 && item.roles[0] === 'node';

function likenessOf(item: ProbeItem, deep: boolean): string {
  const plain = (text: string): string => withoutNames(text, item).replaceAll(/\d+(\.\d+)? m?s\b/g, 'a time');
  return JSON.stringify([
    'node',
    item.status,
    item.failure,
    item.via,
    item.version,
    item.status === 'ready' ? '' : plain(item.summary),
    item.notes.map(plain),
    item.drift.map(plain),
    deep ? item.capabilities : '',
  ]);
}

function withoutNames(text: string, { node, pod }: ProbeItem): string {
  const withoutPod = pod === undefined ? text : text.replaceAll(pod, 'its pod');
  return node === undefined ? withoutPod : withoutPod.replaceAll(node, 'the node');
}

/** The item without the names of its pod and node, as it holds for the whole group. */
function anonymous(item: ProbeItem): ProbeItem {
  const plain = (text: string): string => withoutNames(text, item);
  return {
    ...item,
    summary: plain(item.summary),
    notes: item.notes.map(plain),
    drift: item.drift.map(plain),
    routes: (item.routes ?? []).map((route) => ({ ...route, note: plain(route.note) })),
  };
}

function renderGroup(
  group: readonly ProbeItem[],
  all: readonly ProbeItem[],
  words: number,
  deep: boolean,
  screen: Screen,
): string[] {
  const first = group[0] as ProbeItem;
  const shown = group.length === 1 ? first : anonymous(first);
  const lines = renderHead(group, shown, all, words, screen);
  const isBrief = first.status === 'ready' && shown.notes.length + shown.drift.length === 0 && !deep && !screen.wide;
  if (isBrief) return lines;
  const details = renderDetails(shown, deep, { ...screen, width: screen.width - 2 }, renderRoutes(shown, screen)).map(
    (line) => `  ${line}`,
  );
  const sample =
    group.length > 1 && first.fix.some(({ command = '' }) => command !== withoutNames(command, first))
      ? [
          screen.theme.paint(
            'faint',
            `      The commands are for ${first.node ?? first.pod ?? 'the first'}; adapt them for the others.`,
          ),
        ]
      : [];
  return [...lines, ...details, ...sample];
}

function renderHead(
  group: readonly ProbeItem[],
  item: ProbeItem,
  all: readonly ProbeItem[],
  words: number,
  screen: Screen,
): string[] {
  const { glyph, style } = looks[item.status];
  const { paint, glyph: glyphs } = screen.theme;
  const start = `  ${paint(style, `${glyphs[glyph]} ${item.status}`)}${padEnd('', words - item.status.length)}  `;
  const used = 4 + words + 2;
  const about = [
    `by ${item.via}`,
    item.version,
    group.length === 1 && item.latencyMs !== undefined && item.status === 'ready' ? `${item.latencyMs} ms` : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
  const label = labelOf(group, all, screen);
  if (used + displayWidth(label) + 2 + displayWidth(about) <= screen.width) return [`${start}${label}  ${about}`];
  const [top = '', ...rest] = hang(' '.repeat(used), label, screen.width);
  return [`${start}${top.slice(used)}`, ...rest, ...hang(' '.repeat(used), about, screen.width)];
}

function labelOf(group: readonly ProbeItem[], all: readonly ProbeItem[], screen: Screen): string {
  const first = group[0] as ProbeItem;
  const pod = first.pod === undefined ? '' : ` ${first.namespace ?? ''}/${first.pod}`;
  if (!isOnlyNode(first)) {
    if ((first.roles ?? []).length === 0) return 'not running';
    return `${first.roles?.includes('node') === true ? 'controller and node' : 'controller'}${pod}${first.node === undefined ? '' : ` on ${first.node}`}`;
  }
  const nodes = group.map(({ node }) => node ?? '?');
  if (nodes.length === 1) return `node ${nodes[0]}${pod}`;
  const total = all.filter(isOnlyNode).length;
  const count = nodes.length === total ? `all ${total} nodes` : `${nodes.length} of ${total} nodes`;
  if (first.status === 'ready') return count;
  const names = screen.wide ? nodes : nodes.slice(0, enoughNames);
  return `${count}: ${names.join(', ')}${nodes.length > names.length ? ` and ${nodes.length - names.length} more` : ''}`;
}

const outcomes: Readonly<Record<ProbeRoute['outcome'], string>> = {
  answered: '',
  forbidden: 'forbidden: ',
  impossible: 'not possible: ',
  failed: 'failed: ',
  'not-asked': 'not tried: ',
};

/** Every way that was tried or could be tried: a driver that was not queried must not look healthy. */
function renderRoutes(item: ProbeItem, screen: Screen): string[] {
  if (item.status === 'ready' && !screen.wide) return [];
  return (item.routes ?? []).flatMap(({ via, outcome, note }) =>
    hang(`    ${padEnd(via, 9)}`, screen.theme.prose(`${outcomes[outcome]}${note}`), screen.width - 2),
  );
}
