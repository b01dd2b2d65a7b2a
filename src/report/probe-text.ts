import type { ProbeItem, ProbeReport, ProbeStatus } from '../model/probe-report.ts';
import type { StageState } from '../model/report.ts';
import { renderFixes } from './finding.ts';
import { renderCapabilityLists, renderMatrix } from './probe-capabilities.ts';
import { sanitiseReport } from './sanitise.ts';
import { createScreen } from './screen.ts';
import type { Screen } from './screen.ts';
import { columnGap, renderTable } from './table.ts';
import type { Style } from './theme.ts';
import { displayWidth, hang, padEnd, widest, wrapText } from './wrap.ts';

export interface ProbeTextOptions {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii?: boolean;
  /** Every call with its time, and the matrix of all capabilities. */
  readonly wide?: boolean;
  /** The capabilities were asked for. */
  readonly deep?: boolean;
}

const looks: Readonly<Record<ProbeStatus, { readonly glyph: StageState; readonly style: Style }>> = {
  ready: { glyph: 'passed', style: 'passed' },
  initialising: { glyph: 'waiting', style: 'waiting' },
  unhealthy: { glyph: 'blocked', style: 'blocked' },
  unreachable: { glyph: 'blocked', style: 'blocked' },
  unknown: { glyph: 'unknown', style: 'unknown' },
};
const statuses = Object.keys(looks) as ProbeStatus[];

/** What works in a line each, then what does not with its reason and its fix, then the count. */
export function renderProbeText(unsafe: ProbeReport, options: ProbeTextOptions): string {
  const report = sanitiseReport(unsafe);
  const screen = createScreen(report.takenAt, options);
  const words = widest(report.items.map((item) => item.status));
  const isBrief = (item: ProbeItem): boolean => item.status === 'ready' && item.notes.length === 0 && options.deep !== true && !screen.wide;
  const brief = report.items.filter(isBrief).flatMap((item) => renderHead(item, words, screen));
  const blocks = report.items.filter((item) => !isBrief(item)).map((item) => renderItem(item, words, options.deep === true, screen));
  const matrix = screen.wide ? renderMatrix(report.items, screen) : [];
  const sections = [brief, ...blocks, matrix, report.items.length > 1 ? [countLine(report)] : []].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** `✔ ready  unix:///…  disk.example.com v1.2  3 ms`; an endpoint is never broken, so that it can be copied. */
function renderHead(item: ProbeItem, words: number, screen: Screen): string[] {
  const { glyph, style } = looks[item.status];
  const { paint, glyph: glyphs } = screen.theme;
  const start = `${paint(style, `${glyphs[glyph]} ${item.status}`)}${padEnd('', words - item.status.length)}  ${paint('strong', item.endpoint)}`;
  const used = 2 + words + 2 + displayWidth(item.endpoint);
  const about = aboutLine(item);
  if (about === '') return [start];
  return used + 2 + displayWidth(about) <= screen.width ? [`${start}  ${about}`] : [start, `    ${about}`];
}

function aboutLine(item: ProbeItem): string {
  const name = [item.protocol === 'registration' ? 'registration of' : '', item.driver, item.version].filter((part) => part !== undefined && part !== '').join(' ');
  return [item.driver === undefined ? '' : name, item.latencyMs === undefined || item.status !== 'ready' ? '' : `${item.latencyMs} ms`].filter((part) => part !== '').join('  ');
}

function renderItem(item: ProbeItem, words: number, deep: boolean, screen: Screen): string[] {
  const { theme, width } = screen;
  const lines = renderHead(item, words, screen);
  if (item.status !== 'ready' || item.protocol === 'registration') lines.push(...hang('    ', theme.prose(item.summary), width));
  lines.push(...item.notes.flatMap((note) => hang('    note: ', theme.prose(note), width)));
  if (deep) lines.push(...renderNode(item, screen), ...renderCapabilityLists(item, screen));
  if (screen.wide) lines.push(...renderCalls(item, screen));
  else if (deep) lines.push(...item.calls.filter((call) => call.code === 'OK' && call.note !== undefined).map((call) => `    ${padEnd(call.method, 15)}${call.note}`));
  if (item.failure !== undefined) lines.push(`    ${theme.paint('faint', `${item.failure}, at the stage ${item.stage ?? 'unknown'}${item.code === undefined ? '' : `, ${item.code}`}`)}`);
  if (item.fix.length > 0) lines.push(item.status === 'initialising' ? '    next' : '    fix', ...renderFixes(item.fix, { ...screen, width: width - 4 }).map((line) => `    ${line}`));
  return lines;
}

function renderNode({ nodeInfo }: ProbeItem, screen: Screen): string[] {
  if (nodeInfo === undefined) return [];
  const limit = nodeInfo.maxVolumes > 0 ? `at most ${nodeInfo.maxVolumes} volumes` : 'no limit of volumes';
  const topology = Object.entries(nodeInfo.topology).map(([key, value]) => `${key}=${value}`).join(', ');
  return hang('    ', `node id ${nodeInfo.nodeId || '(empty)'}, ${limit}${topology === '' ? '' : `, topology ${topology}`}`, screen.width);
}

function renderCalls({ calls }: ProbeItem, screen: Screen): string[] {
  const rows = calls.map((call) => [`    ${call.method}`, call.code, `${call.latencyMs} ms`]);
  const used = [0, 1, 2].reduce((sum, column) => sum + columnGap + widest(rows.map((row) => row[column] ?? '')), 0);
  return renderTable(rows.map((row, index) => [...row, wrapText(calls[index]?.note ?? '', Math.max(20, screen.width - used)).join('\n')]));
}

function countLine({ summary }: ProbeReport): string {
  return statuses.filter((status) => summary[status] > 0).map((status) => `${summary[status]} ${status}`).join(', ');
}
