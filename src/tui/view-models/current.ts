import type { ObjectRef } from '../../core/report/report.ts';
import { renderExplain } from '../../commands/explain/text.ts';
import { renderProbeText } from '../../commands/probe/text.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { answerTo, start, tabKinds } from '../state/state.ts';
import type { Position, State, View } from '../state/state.ts';
import { driverSheet } from './driver-list.ts';
import { happeningsSheet } from './event-list.ts';
import { helpLines } from './help.ts';
import { itemOf, journeySheet, paneSheet } from './object-panes.ts';
import { pending } from './pending.ts';
import { cursorOf, lastOf, textSheet, wrapLong } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';
import { stuckSheet } from './stuck-list.ts';
import { tableSheet } from './table-list.ts';

/** From so many columns on there is something beside: the journey beside the list, the chain beside the journey. */
const roomy = 120;
/** Prose in longer lines than this is hard to read. */
const readable = 100;
/** The cursor and a space. */
export const gutter = 2;

/** How the screen is divided. */
export interface Division {
  /** Columns of the list or text, without the gutter. */
  readonly width: number;
  /** Columns of what stands beside it; 0 where there is nothing. */
  readonly beside: number;
  readonly height: number;
  /** Lines at the foot that tell of what is under the cursor. */
  readonly strip: number;
}

export function divisionOf(state: State): Division {
  const { columns, rows } = state.size;
  const body = Math.max(3, rows - 3 - (isTroubled(state) ? 1 : 0));
  const view = topView(state);
  const isStuckList = view === undefined && state.tab === 'stuck' && state.chooser === undefined;
  const isJourney = view?.type === 'object' && view.pane === 'journey' && state.chooser === undefined;
  const beside = (isStuckList || isJourney) && columns >= roomy ? Math.floor(columns * (isStuckList ? 0.46 : 0.42)) : 0;
  const isTelling = isStuckList || (view === undefined && state.chooser === undefined && state.tab === 'timeline');
  const strip = isTelling && beside === 0 ? Math.min(4, Math.max(0, body - 10)) : 0;
  return { width: columns - gutter - (beside === 0 ? 0 : beside + 3), beside, height: body - strip, strip };
}

export function isTroubled({ frame, failure }: State): boolean {
  return failure !== undefined || frame?.freshness.state === 'stale';
}

export function topView({ views }: State): View | undefined {
  return views.at(-1);
}

/** What the keys move in: the list to choose from, what lies on top, or the tab. */
export function currentSheet(state: State): Sheet {
  if (state.chooser !== undefined) return chooserSheet(state);
  const view = topView(state);
  const { width } = divisionOf(state);
  return view === undefined ? tabSheet(state, width) : viewSheet(state, view, width);
}

export function currentPosition(state: State): Position {
  if (state.chooser !== undefined) return state.chooser.position;
  const view = topView(state);
  if (view === undefined) return state.positions[state.tab] ?? start;
  return view.type === 'object' ? (view.positions[view.pane] ?? start) : view.position;
}

export function currentPick(state: State): Pick | undefined {
  const sheet = currentSheet(state);
  return sheet.pickAt?.(cursorOf(sheet, currentPosition(state)));
}

/** The object that a key acts on: the one under the cursor, or else the one that is being looked at. */
export function currentTarget(
  state: State,
): { readonly target: ObjectRef; readonly cause?: string | undefined } | undefined {
  const pick = currentPick(state);
  if (pick !== undefined && pick.type !== 'choice')
    return { target: pick.target, cause: itemOf(state, pick.target)?.cause };
  const view = state.views.findLast((one) => one.type === 'object');
  return view?.type === 'object' ? { target: view.target, cause: itemOf(state, view.target)?.cause } : undefined;
}

/** What is shown beside the list or the text, to look at only. */
export function besideSheet(state: State, width: number): Sheet | undefined {
  const view = topView(state);
  if (view?.type === 'object') return paneSheet(state, { ...view, pane: 'chain' }, width);
  const target = currentTarget(state)?.target;
  return target === undefined ? undefined : journeySheet(state, target, width);
}

/** The driver that a probe would be of: `undefined` while it is looked up, or where none serves the object. */
export function questionedDriver(state: State): { readonly driver?: string | undefined; readonly isKnown: boolean } {
  const { driver, target } = state.question ?? {};
  if (driver !== undefined || target === undefined) return { driver, isKnown: true };
  const { value, hasValue, trouble } = answerTo(state, { type: 'trace', target });
  return {
    driver: value?.chain.find(({ role }) => role === 'driver')?.object?.name,
    isKnown: hasValue || trouble !== undefined,
  };
}

function tabSheet(state: State, width: number): Sheet {
  const { frame, tab, look, isWide } = state;
  const { wanted } = state.positions[tab] ?? start;
  if (frame === undefined) return pending(state.failure);
  if (tab === 'stuck') return stuckSheet(frame, state.unfolded, wanted, width, look);
  if (tab === 'drivers') {
    const { value, trouble } = answerTo(state, { type: 'status' });
    return value === undefined ? pending(trouble) : driverSheet(value, wanted, width, isWide, look);
  }
  if (tab === 'timeline') {
    const { value, trouble } = answerTo(state, { type: 'events' });
    return value === undefined ? pending(trouble) : happeningsSheet(value, wanted, width, look);
  }
  const kind = tabKinds[tab];
  if (kind === undefined) return pending(undefined);
  const { value, trouble } = answerTo(state, { type: 'rows', kind });
  return value === undefined
    ? pending(trouble)
    : tableSheet(kind, value, wanted, { width, isWide, withNamespace: frame.namespace === undefined }, look);
}

function viewSheet(state: State, view: View, width: number): Sheet {
  const { look, isWide } = state;
  if (view.type === 'object') return paneSheet(state, view, width);
  if (view.type === 'help') return textSheet(helpLines(width, look));
  if (view.type === 'cause') {
    const answer = answerTo(state, { type: 'page', cause: view.cause });
    if (!answer.hasValue) return pending(answer.trouble);
    return answer.value === undefined
      ? textSheet([], `there is no page about ${sanitise(view.cause)}`)
      : pageSheet(answer.value, Math.min(width, readable), look);
  }
  const { value, trouble } = answerTo(state, view);
  if (value !== undefined)
    return textSheet(
      wrapLong(
        renderProbeText(value, { width, wide: isWide, ...look })
          .trimEnd()
          .split('\n'),
        width,
      ),
    );
  return textSheet(
    [],
    trouble === undefined ? `probing ${sanitise(view.driver)}` : `could not be probed: ${sanitise(trouble)}`,
  );
}

const pageSheet = lastOf((page: string, width: number, look: State['look']): Sheet =>
  textSheet(
    wrapLong(
      renderExplain(page, { width, ...look })
        .trimEnd()
        .split('\n'),
      width,
    ),
  ),
);

const everyNamespace = 'all namespaces';

/** The choice of a namespace that stands for all of them. */
export function isEverywhere(choice: string): boolean {
  return choice === everyNamespace;
}

function chooserSheet(state: State): Sheet {
  const { purpose, position, offers: known } = state.chooser as NonNullable<State['chooser']>;
  const { value = known, trouble } =
    purpose === 'copy' ? {} : answerTo(state, { type: purpose === 'namespace' ? 'namespaces' : 'contexts' });
  if (value === undefined && purpose !== 'namespace') return pending(trouble);
  const word = position.wanted.toLowerCase();
  const offers = [...(purpose === 'namespace' ? [everyNamespace] : []), ...(value ?? [])].filter((offer) =>
    offer.toLowerCase().includes(word),
  );
  return {
    head: trouble === undefined ? [] : [`the namespaces could not be read (${sanitise(trouble)}); by name: :ns NAME`],
    count: offers.length,
    lineAt: (index) => sanitise(offers[index] ?? ''),
    pickAt: (index) => (offers[index] === undefined ? undefined : { type: 'choice', value: offers[index] }),
    empty: word === '' ? 'there is nothing to choose from' : `nothing has "${position.wanted}" in it`,
    isWide: true,
  };
}
