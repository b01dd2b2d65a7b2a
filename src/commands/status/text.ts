import { attachmentStates, claimStates, snapshotStates, volumeStates } from '../../core/report/status.ts';
import type { Counts, Status } from '../../core/report/status.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen, TextOptions } from '../../terminal/screen.ts';
import { renderSourceHeader } from '../../terminal/verdict/source.ts';
import { renderCapacity } from '../../terminal/status/capacity.ts';
import { renderDrivers } from '../../terminal/status/drivers.ts';
import { renderNodes } from '../../terminal/status/nodes.ts';
import { unreadText } from '../../terminal/status/lists.ts';
import { renderStuck, renderWaiting } from '../../terminal/status/stuck.ts';
import { countText, sayVerdict, stateWords } from '../../terminal/status/words.ts';
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

function paintBad(line: string, screen: Screen): string {
  return line.replace(/\d+ (?:stuck|lost|failed)/g, (words) => screen.theme.paint('blocked', words));
}
