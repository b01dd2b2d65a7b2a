import type { Unread } from '../../core/report/report.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderUnreadBriefly } from '../../terminal/verdict/unread.ts';
import { hangWithin } from '../../terminal/wrap.ts';
import type { Look } from '../theme.ts';
import { textRows } from './rows.ts';
import type { Row } from './rows.ts';

/** On a small screen the list matters more. */
const mostLines = 2;
/** A note is wrapped after the hint at a flag was removed, since no key sets a flag. */
const unbroken = 10_000;
const flagHint = / \(-o wide [^)]*\)$/;

/** What could not be read, above a list that may lack something because of it. */
export function unreadNotes(unread: readonly Unread[], takenAt: string, width: number, look: Look): Row[] {
  if (unread.length === 0) return [];
  const screen = createScreen(takenAt, { width: unbroken, ...look });
  const notes = renderUnreadBriefly(sanitiseReport(unread), screen).map((line) => line.replace(flagHint, ''));
  return textRows(notes.flatMap((note) => hangWithin('', note, width, 4)).slice(0, mostLines));
}
