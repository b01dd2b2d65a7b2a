import { formatBytes } from '../../core/kube/quantity.ts';
import { percentUsed } from '../../core/kube/volume-usage.ts';
import type { Amount } from '../../core/kube/volume-usage.ts';
import type { ProbeItem, ProbeStatus, ProbeVolume } from '../../core/report/probe-report.ts';
import type { StageState } from '../../core/report/report.ts';
import { renderFixes } from '../../terminal/verdict/finding.ts';
import { renderCapabilityLists, renderDrift } from './capabilities.ts';
import type { Screen } from '../../terminal/screen.ts';
import { columnGap } from '../../terminal/columns.ts';
import { renderTable } from '../../terminal/table.ts';
import type { Style } from '../../terminal/theme.ts';
import { hang, padEnd, widest, wrapText } from '../../terminal/wrap.ts';

export const looks: Readonly<Record<ProbeStatus, { readonly glyph: StageState; readonly style: Style }>> = {
  ready: { glyph: 'passed', style: 'passed' },
  initialising: { glyph: 'waiting', style: 'waiting' },
  unhealthy: { glyph: 'blocked', style: 'blocked' },
  unreachable: { glyph: 'blocked', style: 'blocked' },
  unknown: { glyph: 'unknown', style: 'unknown' },
};

/** The lines below the verdict; `between` comes before the fix. */
export function renderDetails(
  item: ProbeItem,
  deep: boolean,
  screen: Screen,
  between: readonly string[] = [],
): string[] {
  const { theme, width } = screen;
  const lines: string[] = [];
  if (item.status !== 'ready' || item.protocol === 'registration')
    lines.push(...hang('    ', theme.prose(item.summary), width));
  lines.push(
    ...item.notes.flatMap((note) => hang('    note: ', theme.prose(note), width)),
    ...renderDrift(item, screen),
  );
  if (deep)
    lines.push(...renderNode(item, screen), ...renderVolumes(item, screen), ...renderCapabilityLists(item, screen));
  if (screen.wide) lines.push(...renderCalls(item, screen));
  else if (deep)
    lines.push(
      ...item.calls
        .filter((call) => call.code === 'OK' && call.note !== undefined)
        .map((call) => `    ${padEnd(call.method, 15)}${call.note}`),
    );
  if (item.failure !== undefined)
    lines.push(
      `    ${theme.paint('faint', `${item.failure}, stage ${item.stage ?? 'unknown'}${item.code === undefined ? '' : `, ${item.code}`}`)}`,
    );
  lines.push(...between);
  const isNext = item.status === 'initialising' || (item.status === 'unknown' && item.routes !== undefined);
  if (item.fix.length > 0)
    lines.push(
      isNext ? '    next' : '    fix',
      ...renderFixes(item.fix, { ...screen, width: width - 4 }).map((line) => `    ${line}`),
    );
  return lines;
}

function renderNode({ nodeInfo }: ProbeItem, screen: Screen): string[] {
  if (nodeInfo === undefined) return [];
  const limit = nodeInfo.maxVolumes > 0 ? `at most ${nodeInfo.maxVolumes} volumes` : 'no volume limit';
  const topology = Object.entries(nodeInfo.topology)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
  return hang(
    '    ',
    `node id ${nodeInfo.nodeId || '(empty)'}, ${limit}${topology === '' ? '' : `, topology ${topology}`}`,
    screen.width,
  );
}

/** More are in JSON, and with -o wide. */
const mostVolumes = 10;

/** The fullest first; what was not measured comes before it, because it may be full. */
function renderVolumes({ volumes = [] }: ProbeItem, screen: Screen): string[] {
  if (volumes.length === 0) return [];
  const rank = (volume: ProbeVolume): number => (volume.error === undefined ? fullestOf(volume) : 101);
  const sorted = volumes.toSorted((a, b) => rank(b) - rank(a));
  const shown = screen.wide ? sorted : sorted.slice(0, mostVolumes);
  const rows = shown.map(({ volume, bytes, inodes, error, abnormal }) => [
    `      ${volume}`,
    error === undefined ? amountText(bytes, (total) => formatBytes(BigInt(Math.round(total)))) : '?',
    error === undefined ? `inodes ${amountText(inodes, String)}` : 'not measured',
    abnormal === undefined ? '' : 'abnormal',
  ]);
  const rest = volumes.length - shown.length;
  const measured = volumes.filter(({ error }) => error === undefined).length;
  return [
    `    volumes mounted here: ${volumes.length}, ${measured} measured by the driver`,
    ...renderTable(rows),
    ...(rest > 0 ? [`      and ${rest} more with -o wide`] : []),
  ];
}

function fullestOf({ bytes, inodes }: ProbeVolume): number {
  return Math.max(bytes ? percentUsed(bytes) : 0, inodes ? percentUsed(inodes) : 0);
}

function amountText(amount: Amount | undefined, show: (total: number) => string): string {
  return amount === undefined ? '?' : `${percentUsed(amount)}% of ${show(amount.total)}`;
}

function renderCalls({ calls }: ProbeItem, screen: Screen): string[] {
  const rows = calls.map((call) => [`    ${call.method}`, call.code, `${call.latencyMs} ms`]);
  const used = [0, 1, 2].reduce((sum, column) => sum + columnGap + widest(rows.map((row) => row[column] ?? '')), 0);
  // All servers answer the same for a method that they do not have.
  const notes = calls.map(({ code, note = '' }) => (code === 'UNIMPLEMENTED' ? '' : note));
  return renderTable(
    rows.map((row, index) => [...row, wrapText(notes[index] ?? '', Math.max(20, screen.width - used)).join('\n')]),
  );
}
