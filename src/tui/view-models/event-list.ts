import type { Happening, Happenings } from '../../core/report/happenings.ts';
import { alignColumns } from '../../terminal/columns.ts';
import { objectName, objectNameFrom } from '../../terminal/verdict/nouns.ts';
import { sanitise, sanitiseReport } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import { renderUnread } from '../../terminal/verdict/unread.ts';
import { hang } from '../../terminal/wrap.ts';
import { plainText } from '../theme.ts';
import type { Look } from '../theme.ts';
import { lastOf } from './sheet.ts';
import type { Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

/** On less than this the type is left to the glyph. */
const roomy = 120;

/** What the components said of anything, a line each. */
export const happeningsSheet = lastOf(
  ({ events, takenAt, unread }: Happenings, wanted: string, width: number, look: Look): Sheet => {
    const screen = createScreen(takenAt, { width, ...look });
    const isRoomy = width >= roomy;
    const { lines } = alignColumns([
      ['AGE', ...(isRoomy ? ['TYPE'] : []), '  REASON', 'OBJECT', 'MESSAGE'].map((text) => ({ text })),
      ...events.map((event) => [
        { text: screen.age(event.at) ?? '' },
        ...(isRoomy ? [{ text: typeOf(event) }] : []),
        {
          text: `${event.isWarning ? screen.theme.glyph.blocked : ' '} ${sanitise(event.reason)}`,
          ...(event.isWarning && { paint: (text: string) => screen.theme.paint('blocked', text) }),
        },
        {
          text: sanitise(
            `${objectName(event.object)}${event.object.namespace === undefined ? '' : ` -n ${event.object.namespace}`}`,
          ),
        },
        { text: sanitise(event.message) + repeats(event) },
      ]),
    ]);
    const word = wanted.toLowerCase();
    const shown = events.flatMap((_, index) =>
      word === '' ||
      plainText(lines[index + 1] ?? '')
        .toLowerCase()
        .includes(word)
        ? [index]
        : [],
    );
    return {
      head: [
        ...unreadNotes(unread, takenAt, width, look),
        ...(events.length === 0 ? [] : [screen.theme.paint('strong', lines[0] ?? '')]),
      ],
      count: shown.length,
      lineAt: (index) => lines[(shown[index] ?? -2) + 1] ?? '',
      pickAt: (index) => {
        const event = events[shown[index] ?? -1];
        return event === undefined
          ? undefined
          : { type: 'object', target: event.object, cause: String(shown[index]), said: event.message };
      },
      empty:
        wanted === ''
          ? unread.length > 0
            ? 'no events were seen, but not all could be read'
            : 'there are no events: they are kept for an hour or so'
          : `no event has "${wanted}" in its line`,
      isWide: true,
    };
  },
);

/** The events of one object in full. */
export function eventLines(
  { events, takenAt, unread }: Happenings,
  home: string | undefined,
  width: number,
  look: Look,
): string[] {
  const screen = createScreen(takenAt, { width, ...look });
  const { paint } = screen.theme;
  return [
    ...events.flatMap((event) => {
      const head = [
        screen.age(event.at) === undefined ? '' : `${screen.age(event.at) ?? ''} ago`,
        typeOf(event),
        sanitise(event.reason),
        sanitise(objectNameFrom(event.object, home)),
        sanitise(event.component ?? ''),
      ]
        .filter((part) => part !== '')
        .join('  ');
      return [
        paint(event.isWarning ? 'blocked' : 'strong', head),
        ...hang('    ', sanitise(event.message) + repeats(event), screen.width),
      ];
    }),
    ...renderUnread(sanitiseReport(unread), screen),
  ];
}

const typeOf = ({ isWarning }: Happening): string => (isWarning ? 'Warning' : 'Normal');
const repeats = ({ count = 1 }: Happening): string => (count > 1 ? ` (${count} times)` : '');
