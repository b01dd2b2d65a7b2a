import { attachmentStates, claimStates, snapshotStates, volumeStates } from '../../core/report/status.ts';
import type { Counts, Status } from '../../core/report/status.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { renderSourceHeader } from '../../terminal/verdict/source.ts';
import { renderCapacity } from './capacity.ts';
import { renderDrivers } from './drivers.ts';
import { renderNodes } from './nodes.ts';
import { count, unreadText } from './lists.ts';
import { renderStuck, renderWaiting } from './stuck.ts';
import { renderUsage } from './usage.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import { hang, padEnd } from '../../terminal/wrap.ts';

/** One screen: what is stuck, the drivers, their nodes, free capacity, and what exists. */
export function renderStatusText(untrusted: Status, options: TextOptions): string {
  const status = sanitiseReport(untrusted);
  const screen = createScreen(status.takenAt, options);
  const sections = [
    [...renderSourceHeader(status, screen), ...renderVerdict(status, screen)],
    renderStuck(status, screen),
    renderDrivers(status, screen),
    renderNodes(status, screen),
    renderCapacity(status, screen),
    renderUsage(status, screen),
    [...renderCounts(status, screen), ...renderWaiting(status, screen)],
    renderUnreadBriefly(status.unread, screen),
  ].filter((lines) => lines.length > 0);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderVerdict(status: Status, screen: Screen): string[] {
  const { state, text } = sayVerdict(status);
  const { glyph, paint } = screen.theme;
  return hang(`${paint(state, glyph[state])} `, text, screen.width, 2);
}

/** The answer first: whether anything is stuck. */
export function sayVerdict(status: Status): {
  readonly state: 'blocked' | 'unknown' | 'passed';
  readonly text: string;
} {
  const { unknown, waiting } = status.summary;
  const waits = waiting > 0 ? `, ${waiting} waiting (expected)` : '';
  // Drivers are counted separately, so that the number of stuck objects is the same as in `why`.
  const stuckDrivers = status.drivers.filter(({ verdict }) => verdict?.status === 'blocked').length;
  const stuck = status.summary.blocked - stuckDrivers;
  const troubled = status.drivers.filter(({ state }) => state === 'trouble').length;
  const trouble = troubled > 0 ? `, ${count(troubled, 'driver is failing', 'drivers are failing')}` : '';
  if (status.summary.blocked > 0)
    return {
      state: 'blocked',
      text: `${stuckWords(status, stuck)}${trouble}${unknown > 0 ? `, ${unknown} not known` : ''}${waits}${status.isSearched ? '' : '; not everything could be read'}`,
    };
  if (unknown > 0 || !status.isSearched)
    return {
      state: 'unknown',
      text: `nothing stuck was found${trouble}${unknown > 0 ? `, but ${unknown} could not be judged` : ', but not everything could be read'}${waits}`,
    };
  return { state: 'passed', text: `nothing is stuck${trouble}${waits}` };
}

/** That nothing is stuck besides the drivers is said only if all of it could be read. */
function stuckWords({ stuck: causes, isSearched }: Status, stuck: number): string {
  if (stuck === 0) return isSearched ? 'no claim or pod is stuck' : 'no stuck claim or pod was found';
  const proven = causes.filter(({ status }) => status === 'blocked').length;
  return `${count(stuck, 'object is', 'objects are')} stuck (${count(proven, 'cause')})`;
}

export const stateWords: Readonly<Record<string, string>> = {
  waiting: 'waiting (expected)',
  pending: 'pending (cause unknown)',
  inProgress: 'in progress',
};
const badStates: ReadonlySet<string> = new Set(['stuck', 'lost', 'failed']);

function renderCounts(status: Status, screen: Screen): string[] {
  const hasSnapshots = status.snapshots.extent !== 'all' || (status.snapshots.total ?? 0) > 0;
  const hasAttachments = status.attachments.extent !== 'all' || (status.attachments.total ?? 0) > 0;
  return [
    ...countLine('claims', 'persistentvolumeclaims', status.claims, claimStates, status, screen),
    ...countLine('volumes', 'persistentvolumes', status.volumes, volumeStates, status, screen),
    ...(hasAttachments || screen.wide
      ? countLine('attachments', 'volumeattachments', status.attachments, attachmentStates, status, screen)
      : []),
    ...(hasSnapshots || screen.wide
      ? countLine('snapshots', 'volumesnapshots', status.snapshots, snapshotStates, status, screen)
      : []),
  ];
}

function countLine<State extends string>(
  title: string,
  resource: string,
  { extent, total = 0, states, countedOnly }: Counts<State>,
  order: readonly State[],
  { unread, namespace }: Status,
  screen: Screen,
): string[] {
  const start = padEnd(title, 13);
  const isRefused =
    title === 'claims' &&
    namespace === undefined &&
    unread.some((entry) => entry.resource === resource && entry.reason === 'forbidden');
  if (extent === 'none')
    return [`${start}${unreadText(unread, resource, screen)}${isRefused ? '; try one namespace with -n NAME' : ''}`];
  const present = order.filter((state) => (states[state] ?? 0) > 0);
  const words = present.map((state) => `${states[state] ?? 0} ${stateWords[state] ?? state}`);
  const note =
    countedOnly !== undefined && screen.wide ? ` (${countedOnly} of them counted by the server and not read)` : '';
  const lines = hang(start, countText(total, words, extent) + note, screen.width);
  return present.some((state) => badStates.has(state)) ? lines.map((line) => paintBad(line, screen)) : lines;
}

/** `none`, `3 bound`, or `at least 12: 9 bound, 3 stuck`. */
export function countText(total: number, words: readonly string[], extent: 'all' | 'some'): string {
  if (total === 0) return extent === 'all' ? 'none' : 'none found';
  const least = extent === 'some' ? 'at least ' : '';
  return words.length === 1 ? `${least}${words[0] ?? ''}` : `${least}${total}: ${words.join(', ')}`;
}

function paintBad(line: string, screen: Screen): string {
  return line.replace(/\d+ (?:stuck|lost|failed)/g, (words) => screen.theme.paint('blocked', words));
}
