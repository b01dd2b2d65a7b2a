import type { ObjectRef } from '../../core/report/report.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import { hangWithin } from '../../terminal/wrap.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { Want } from '../state/answers.ts';
import { currentPosition, itemOf, topView } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import { currentSheet } from './current-sheet.ts';
import { divisionOf } from './division.ts';
import type { Division } from './division.ts';
import { footerOf } from './footer.ts';
import type { FooterModel } from './footer.ts';
import { headerOf, troubleOf } from './header.ts';
import type { HeaderModel } from './header.ts';
import { navigationOf } from './navigation.ts';
import type { Navigation } from './navigation.ts';
import { journeySheet, paneSheet } from './object-panes.ts';
import { textRows } from './rows.ts';
import type { CellRow, Row } from './rows.ts';
import { shownPart } from './shown.ts';
import type { Shown } from './shown.ts';
import type { Item, Sheet } from './sheet.ts';
import type { Viewport } from './viewport.ts';
import { wantsOf } from './wants.ts';

/** The lines of a list or text that are on the screen. */
export interface Body {
  /** A list has lines to choose from, a text has not. */
  readonly type: 'list' | 'text';
  readonly notes: readonly Row[];
  /** The titles of the columns of a table. */
  readonly titles?: CellRow | undefined;
  readonly rows: readonly Row[];
  /** The row under the cursor; -1 where there is none. */
  readonly selected: number;
  /** Columns that are scrolled off to the left. */
  readonly left: number;
  /** The word of the search in a text. */
  readonly wanted: string;
  /** The text if there are no rows. */
  readonly empty: readonly string[];
}

/** The pane next to the list or text, without a cursor. */
interface Beside {
  readonly rows: readonly Row[];
  /** How many lines have no room. */
  readonly left: number;
}

/** The object that keys act on, and the cause that is known of it. */
export interface Target {
  readonly target: ObjectRef;
  readonly cause?: string | undefined;
}

/** All that is on the screen, computed once per state and viewport. */
export interface Screen {
  readonly viewport: Viewport;
  readonly division: Division;
  readonly header: HeaderModel;
  readonly trouble?: string | undefined;
  readonly navigation: Navigation;
  readonly body: Body;
  readonly beside?: Beside | undefined;
  readonly strip?: readonly string[] | undefined;
  readonly footer: FooterModel;
  /** What keys move in. */
  readonly shown: Shown;
  readonly target?: Target | undefined;
  readonly wants: readonly Want[];
}

export const screenOf = memoiseLast((state: State, viewport: Viewport): Screen => {
  const division = divisionOf(state, viewport);
  const sheet = currentSheet(state, division.width, viewport);
  const shown = shownPart(sheet, currentPosition(state), division.width, division.height);
  const target = targetOf(state, shown.item);
  return {
    viewport,
    division,
    header: headerOf(state),
    trouble: troubleOf(state),
    navigation: navigationOf(state),
    body: bodyOf(shown, viewport),
    beside: division.beside === 0 ? undefined : besideOf(state, target, division, viewport),
    strip: division.strip === 0 ? undefined : stripLines(state, shown.item, viewport).slice(0, division.strip - 1),
    footer: footerOf(state, shown),
    shown,
    target,
    wants: wantsOf(state, division, shown.item),
  };
});

/** The object under the cursor, or else the one that is open. */
function targetOf(state: State, item: Item | undefined): Target | undefined {
  const isObject = item !== undefined && item.type !== 'choice';
  const view = state.views.findLast((one) => one.type === 'object');
  const target = isObject ? item.target : view?.target;
  const listed = item?.type === 'object' ? item.cause : undefined;
  return target === undefined ? undefined : { target, cause: itemOf(state, target)?.cause ?? listed };
}

function bodyOf(shown: Shown, { look }: Viewport): Body {
  const { sheet, position, cursor, top, notes, height, width } = shown;
  const count = Math.max(0, Math.min(height, sheet.count - top));
  const { prose } = createTheme(look);
  return {
    type: sheet.stops === undefined ? 'text' : 'list',
    notes,
    titles: sheet.titles,
    rows: Array.from({ length: count }, (_, row) => sheet.rowAt(top + row)),
    selected: cursor < 0 ? -1 : cursor - top,
    left: position.left,
    wanted: position.wanted,
    empty: sheet.count === 0 ? hangWithin('', prose(sheet.empty), width).slice(0, height) : [],
  };
}

function besideOf(
  state: State,
  target: Target | undefined,
  { beside: width, height }: Division,
  viewport: Viewport,
): Beside {
  const sheet = besideSheet(state, target, width, viewport);
  if (sheet === undefined) return { rows: [], left: 0 };
  if (sheet.count === 0) {
    const lines = hangWithin('', createTheme(viewport.look).prose(sheet.empty), width);
    return { rows: textRows(lines.slice(0, height)), left: 0 };
  }
  // The last line states how much is left out.
  const room = sheet.count > height ? height - 1 : sheet.count;
  return { rows: Array.from({ length: room }, (_, index) => sheet.rowAt(index)), left: sheet.count - room };
}

function besideSheet(state: State, target: Target | undefined, width: number, viewport: Viewport): Sheet | undefined {
  const view = topView(state);
  if (view?.type === 'object') return paneSheet(state, view.target, 'chain', width, viewport);
  return target === undefined ? undefined : journeySheet(state, target.target, width, viewport);
}

/** If no journey is next to the list: the sentence about what is under the cursor. */
function stripLines(state: State, item: Item | undefined, { columns, look }: Viewport): readonly string[] {
  if (item === undefined || item.type === 'choice') return [];
  const said = item.type === 'object' ? item.said : undefined;
  const sentence = said ?? itemOf(state, item.target)?.summary;
  return sentence === undefined ? [] : hangWithin('  ', createTheme(look).prose(sanitise(sentence)), columns);
}
