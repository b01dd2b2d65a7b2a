import type { Unread } from '../../core/report/report.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import type { Look } from '../theme.ts';
import { textRows } from './rows.ts';
import type { Row } from './rows.ts';

/** On a small screen the list matters more. */
const mostLines = 2;

/** What could not be read, above a list that may lack something because of it. */
export function unreadNotes(unread: readonly Unread[], takenAt: string, width: number, look: Look): Row[] {
  if (unread.length === 0) return [];
  const screen = createScreen(takenAt, { width, ...look });
  return textRows(renderUnreadBriefly(sanitiseReport(unread), screen).slice(0, mostLines));
}
