import type { Status } from '../../core/report/status.ts';
import { alignColumns } from '../columns.ts';
import type { Cell } from '../columns.ts';
import { sanitiseReport } from '../sanitise.ts';
import { createScreen, screenAt } from '../screen.ts';
import type { Screen, TextOptions } from '../screen.ts';
import { countContexts, isWholeCluster, renderContexts } from '../verdict/contexts.ts';
import { renderUnreadBriefly } from '../verdict/unread.ts';
import { hang } from '../wrap.ts';
import { renderDrivers } from './drivers.ts';
import { count, nameList } from './lists.ts';
import { renderStuck, renderWaiting } from './stuck.ts';
import { countText } from './words.ts';

/** The clusters in one document, and the screen of each. */
export interface StatusParts {
  readonly status: Status;
  readonly parts: readonly { readonly context: string; readonly document: Status }[];
}

/** Several clusters on one screen: a line for each, then what is stuck, each cause once. */
export function renderContextsText(untrusted: StatusParts, options: TextOptions): string {
  const { status, parts } = sanitiseReport(untrusted);
  const screen = createScreen(status.takenAt, options, status.source);
  const verdict = sayContexts(status);
  const { glyph, paint } = screen.theme;
  const sections = [
    hang(`${paint(verdict.state, glyph[verdict.state])} `, verdict.text, screen.width, 2),
    renderTable(parts, screen),
    renderStuck(status, screen),
    renderFailing(parts, screen),
    renderWaiting(status, screen),
    renderUnreadBriefly(
      status.unread.filter((entry) => !isWholeCluster(entry)),
      screen,
    ),
    // The table has a line for those that were read already.
    renderContexts(status.source, status.unread, screen, () => false),
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The answer first: in how many of the clusters something is stuck. */
export function sayContexts({ source, summary, isSearched, drivers }: Status): {
  readonly state: 'blocked' | 'unknown' | 'passed';
  readonly text: string;
} {
  const { total, unread, noun } = countContexts(source);
  const stuck = (source.contexts ?? []).filter((context) => (context.summary?.['blocked'] ?? 0) > 0).length;
  const failing = drivers.filter(({ state }) => state === 'trouble').length;
  const rest = [
    ...(failing > 0 ? [count(failing, 'driver is failing', 'drivers are failing')] : []),
    ...(summary.unknown > 0 ? [`${summary.unknown} not known`] : []),
    ...(summary.waiting > 0 ? [`${summary.waiting} waiting (expected)`] : []),
    ...(unread > 0 ? [`${unread} ${noun(unread)} could not be read`] : []),
  ].join(', ');
  const end = rest === '' ? '' : `: ${rest}`;
  if (stuck > 0) return { state: 'blocked', text: `something is stuck in ${stuck} of ${total} ${noun(total)}${end}` };
  if (!isSearched || summary.unknown > 0)
    return { state: 'unknown', text: `nothing stuck was found in ${total - unread} of ${total} ${noun(total)}${end}` };
  return { state: 'passed', text: `nothing is stuck in ${total === 1 ? 'the' : `the ${total}`} ${noun(total)}${end}` };
}

const titles = ['CONTEXT', 'STUCK', 'UNKNOWN', 'WAITING', 'DRIVERS', 'NODES', 'CLAIMS', 'VERSION'];

function renderTable(parts: StatusParts['parts'], screen: Screen): string[] {
  if (parts.length === 0) return [];
  const { paint, glyph } = screen.theme;
  const rows = parts.map(({ context, document }): Cell[] => [
    { text: context },
    ...cellsOf(document).map((text): Cell => ({ text })),
  ]);
  const [head = '', ...lines] = alignColumns([titles.map((text) => ({ text })), ...rows]).lines;
  return [
    paint('faint', `  ${head}`),
    ...lines.map((line, index) => {
      const state = stateOf(parts[index]?.document);
      return `${paint(state, glyph[state])} ${line}`.trimEnd();
    }),
  ];
}

function stateOf(status: Status | undefined): 'blocked' | 'unknown' | 'passed' {
  if (status === undefined || status.summary.blocked > 0) return 'blocked';
  return status.summary.unknown > 0 || !status.isSearched ? 'unknown' : 'passed';
}

/** What is not known is a question mark, and a least number ends with a plus sign. */
function cellsOf({
  summary,
  drivers,
  driversKnown,
  nodes,
  nodesKnown,
  claims,
  isSearched,
  serverVersion,
}: Status): string[] {
  const failing = drivers.filter(({ state }) => state === 'trouble').length;
  const amount = (number: number, extent: 'all' | 'some' | 'none'): string => {
    if (extent === 'none') return '?';
    return extent === 'some' ? `${number}+` : String(number);
  };
  return [
    isSearched || summary.blocked > 0 ? amount(summary.blocked, isSearched ? 'all' : 'some') : '?',
    String(summary.unknown),
    String(summary.waiting),
    `${amount(drivers.length, driversKnown)}${failing > 0 ? ` (${failing} failing)` : ''}`,
    amount(nodes.length, nodesKnown),
    claims.extent === 'none' ? '?' : countText(claims.total ?? 0, [String(claims.total ?? 0)], claims.extent),
    serverVersion ?? '?',
  ];
}

/** Drivers that do not work, a line for each with its clusters; with `-o wide` all drivers of each cluster. */
function renderFailing(parts: StatusParts['parts'], screen: Screen): string[] {
  if (screen.wide) return parts.flatMap((part) => renderDriversOf(part, screen));
  const failing = parts.flatMap(({ context, document }) =>
    document.drivers.filter(({ state }) => state === 'trouble').map(({ name }) => ({ context, name })),
  );
  if (failing.length === 0) return [];
  const { paint, glyph } = screen.theme;
  const lines = [...Map.groupBy(failing, ({ name }) => name)].flatMap(([name, own]) =>
    hang(
      `  ${paint('blocked', glyph.blocked)} `,
      `${name} is failing in ${count(own.length, 'cluster')}: ${nameList(
        own.map(({ context }) => context),
        screen,
      )}`,
      screen.width,
      6,
    ),
  );
  return [paint('strong', 'drivers'), ...lines];
}

function renderDriversOf({ context, document }: StatusParts['parts'][number], screen: Screen): string[] {
  const [, ...lines] = renderDrivers(document, screenAt(screen, context));
  return [screen.theme.paint('strong', `drivers of ${context}`), ...lines];
}
