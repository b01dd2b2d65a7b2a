import type { Happening, Happenings } from '../../core/report/happenings.ts';
import { sanitise, sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen } from '../../terminal/screen.ts';
import { objectNameFrom } from '../../terminal/verdict/nouns.ts';
import { renderUnread } from '../../terminal/verdict/unread.ts';
import { hangWithin, widest } from '../../terminal/wrap.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { Look } from '../theme.ts';
import { ageWidth } from './rows.ts';
import type { Cell } from './rows.ts';
import { noRow, objectItem, rowsOnDemand } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { nameAndNamespace } from './stuck-list.ts';
import { unreadNotes } from './unread-notes.ts';

/** On fewer columns only the glyph shows the type. */
const roomy = 120;

/** The events about storage, one a line; ages are those at `at`. */
export const eventSheet = memoiseLast(
  (happenings: Happenings, at: string, wanted: string, width: number, look: Look): Sheet => {
    const { takenAt, unread, events } = happenings;
    const screen = createScreen(at, { width, ...look });
    const titles: readonly Cell[] = titlesOf(width).map((text) => ({ text, style: 'strong' }));
    const ages = events.map((event) => screen.age(event.at) ?? '');
    const widths = [Math.max(ageWidth, widest(ages)), ...fixedWidths(events, width, look)];
    const shown = eventsWith(events, wanted.toLowerCase());
    const eventAt = (index: number): Happening | undefined => events[shown[index] ?? -1];
    return {
      notes: unreadNotes(unread, takenAt, width, look),
      titles: events.length === 0 ? undefined : { type: 'cells', cells: titles, widths },
      count: shown.length,
      rowAt: rowsOnDemand((index) => {
        const event = eventAt(index);
        return event === undefined ? noRow : { type: 'cells', cells: cellsOf(event, width, screen), widths };
      }),
      stops: everyIndex(shown),
      itemAt: (index) => {
        const event = eventAt(index);
        return event === undefined ? undefined : objectItem(event.object, String(shown[index]), event.message);
      },
      empty: wanted === '' ? noEvents(happenings) : `No event matches "${wanted}".`,
      isWide: true,
    };
  },
);

function titlesOf(width: number): string[] {
  return ['AGE', ...(width >= roomy ? ['TYPE'] : []), '  REASON', 'OBJECT', 'MESSAGE'];
}

function cellsOf(event: Happening, width: number, screen: Screen): Cell[] {
  return [{ text: screen.age(event.at) ?? '' }, ...fixedCells(event, width, screen)];
}

/** All but the age, which changes with time. */
function fixedCells(event: Happening, width: number, { theme }: Screen): Cell[] {
  const { isWarning, reason, object, message } = event;
  return [
    ...(width >= roomy ? [{ text: typeOf(event) }] : []),
    {
      text: `${isWarning ? theme.glyph.blocked : ' '} ${sanitise(reason)}`,
      style: isWarning ? 'blocked' : undefined,
    },
    { text: nameAndNamespace(object) },
    { text: sanitise(message) + repeats(event) },
  ];
}

const fixedWidths = memoiseLast((events: readonly Happening[], width: number, look: Look): readonly number[] => {
  const screen = createScreen('', { width, ...look });
  const titles = titlesOf(width).slice(1);
  const cells = events.map((event) => fixedCells(event, width, screen));
  return titles.map((title, column) => widest([title, ...cells.map((row) => row[column]?.text ?? '')]));
});

/** The indices of the events with the word. */
const eventsWith = memoiseLast((events: readonly Happening[], word: string): readonly number[] =>
  events.flatMap((event, index) => (word === '' || wordsOf(event).includes(word) ? [index] : [])),
);

function wordsOf(event: Happening): string {
  const { reason, object, message } = event;
  return [typeOf(event), sanitise(reason), nameAndNamespace(object), sanitise(message)].join(' ').toLowerCase();
}

const everyIndex = memoiseLast((shown: readonly number[]): readonly number[] => shown.map((_, index) => index));

function noEvents({ unread }: Happenings): string {
  return unread.length > 0
    ? 'No events were found, but not everything could be read.'
    : 'There are no events. Kubernetes keeps them for about an hour.';
}

/** The events of one object in full. */
export const eventLines = memoiseLast(
  (
    { events, unread }: Happenings,
    at: string,
    home: string | undefined,
    width: number,
    look: Look,
  ): readonly string[] => {
    const screen = createScreen(at, { width, ...look });
    return [
      ...events.flatMap((event) => [
        screen.theme.paint(event.isWarning ? 'blocked' : 'strong', eventTitle(event, home, screen)),
        ...hangWithin('    ', sanitise(event.message) + repeats(event), screen.width),
      ]),
      ...renderUnread(sanitiseReport(unread), screen),
    ];
  },
);

function eventTitle(event: Happening, home: string | undefined, screen: Screen): string {
  const age = screen.age(event.at);
  return [
    age === undefined ? '' : `${age} ago`,
    typeOf(event),
    sanitise(event.reason),
    sanitise(objectNameFrom(event.object, home)),
    sanitise(event.component ?? ''),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

function typeOf({ isWarning }: Happening): string {
  return isWarning ? 'Warning' : 'Normal';
}

function repeats({ count = 1 }: Happening): string {
  return count > 1 ? ` (${count} times)` : '';
}
