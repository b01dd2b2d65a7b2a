import type { Unread } from '../../core/report/report.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import type { Look } from '../theme.ts';

/** The list is what counts on a small screen. */
const mostLines = 2;

/** What could not be looked at, above a list from which it may be missing. */
export function unreadNotes(unread: readonly Unread[], takenAt: string, width: number, look: Look): string[] {
  return unread.length === 0
    ? []
    : renderUnreadBriefly(sanitiseReport(unread), createScreen(takenAt, { width, ...look })).slice(0, mostLines);
}
