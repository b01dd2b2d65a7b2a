import type { ProbeItem, ProbeReport, ProbeStatus } from '../../core/report/probe-report.ts';
import { renderMatrix } from './capabilities.ts';
import { renderDrivers } from './cluster-text.ts';
import { looks, renderDetails } from './item.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { EndOf, Screen } from '../../terminal/screen.ts';
import { renderUnread } from '../../terminal/verdict/unread.ts';
import { displayWidth, padEnd, widest } from '../../terminal/wrap.ts';

interface ProbeTextOptions {
  readonly width: number;
  readonly colour: boolean;
  readonly ascii?: boolean;
  /** Every call with its time, and the matrix of all capabilities. */
  readonly wide?: boolean;
  /** The drivers reported their capabilities, because a flag requested it. */
  readonly deep?: boolean;
  /** See TextOptions. */
  readonly endOf?: EndOf;
}

const statuses = Object.keys(looks) as ProbeStatus[];

/** A line for each driver that is ready, then the others with reason and fix, then the counts. */
export function renderProbeText(unsafe: ProbeReport, options: ProbeTextOptions): string {
  const report = sanitiseReport(unsafe);
  const screen = createScreen(report.takenAt, options);
  const words = widest(report.items.map((item) => item.status));
  const isBrief = (item: ProbeItem): boolean =>
    item.status === 'ready' &&
    item.notes.length === 0 &&
    item.drift.length === 0 &&
    options.deep !== true &&
    !screen.wide;
  const isLocal = (item: ProbeItem): boolean => item.routes === undefined;
  const local = report.items.filter(isLocal);
  const brief = local.filter(isBrief).flatMap((item) => renderHead(item, words, screen));
  const blocks = local
    .filter((item) => !isBrief(item))
    .map((item) => renderItem(item, words, options.deep === true, screen));
  const drivers = renderDrivers(
    report.items.filter((item) => !isLocal(item)),
    words,
    options.deep === true,
    screen,
  );
  const nothing = report.items.length === 0 ? ['No CSI driver is installed in this cluster.'] : [];
  const matrix = screen.wide ? renderMatrix(report.items, screen) : [];
  const sections = [
    brief,
    ...blocks,
    ...drivers,
    nothing,
    matrix,
    renderUnread(report.unread ?? [], screen),
    report.items.length > 1 ? [countLine(report)] : [],
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** `✔ ready  unix:///…  disk.example.com v1.2  3 ms`; an endpoint is never wrapped, so that it can be copied. */
function renderHead(item: ProbeItem, words: number, screen: Screen): string[] {
  const { glyph, style } = looks[item.status];
  const { paint, glyph: glyphs } = screen.theme;
  const start =
    `${paint(style, `${glyphs[glyph]} ${item.status}`)}${padEnd('', words - item.status.length)}  ` +
    `${paint('strong', item.endpoint)}`;
  const used = 2 + words + 2 + displayWidth(item.endpoint);
  const about = aboutLine(item);
  if (about === '') return [start];
  return used + 2 + displayWidth(about) <= screen.width ? [`${start}  ${about}`] : [start, `    ${about}`];
}

function aboutLine(item: ProbeItem): string {
  const name = [item.protocol === 'registration' ? 'registration of' : '', item.driver, item.version]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
  return [
    item.driver === undefined ? '' : name,
    item.latencyMs === undefined || item.status !== 'ready' ? '' : `${item.latencyMs} ms`,
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function renderItem(item: ProbeItem, words: number, deep: boolean, screen: Screen): string[] {
  return [...renderHead(item, words, screen), ...renderDetails(item, deep, screen)];
}

function countLine({ summary }: ProbeReport): string {
  return statuses
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${status}`)
    .join(', ');
}
