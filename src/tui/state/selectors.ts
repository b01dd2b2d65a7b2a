import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { Frame } from '../ports.ts';
import { answerTo, objectKey } from './answers.ts';
import { start } from './state.ts';
import type { Position, State, View } from './state.ts';

export function topView({ views }: State): View | undefined {
  return views.at(-1);
}

/** The position in what the keys move in: the chooser, the view on top, or the tab. */
export function currentPosition(state: State): Position {
  if (state.chooser !== undefined) return state.chooser.position;
  const view = topView(state);
  if (view === undefined) return state.positions[state.tab] ?? start;
  return view.type === 'object' ? (view.positions[view.pane] ?? start) : view.position;
}

export function withPosition(state: State, position: Position): State {
  if (state.chooser !== undefined) return { ...state, chooser: { ...state.chooser, position } };
  const view = topView(state);
  if (view === undefined) return { ...state, positions: { ...state.positions, [state.tab]: position } };
  const moved: View =
    view.type === 'object'
      ? { ...view, positions: { ...view.positions, [view.pane]: position } }
      : { ...view, position };
  return { ...state, views: [...state.views.slice(0, -1), moved] };
}

/** The verdict on an object: from the report if it is stuck, or else the one that was requested. */
export function itemOf(state: State, target: ObjectRef): ReportItem | undefined {
  return reportedItem(state.frame, target) ?? answerTo(state, { type: 'why', target }).last?.value;
}

export function reportedItem(frame: Frame | undefined, target: ObjectRef): ReportItem | undefined {
  return itemsByKey(frame?.report.items).get(objectKey(target));
}

const itemsByKey = memoiseLast(
  (items: readonly ReportItem[] = []): ReadonlyMap<string, ReportItem> =>
    new Map(items.map((item) => [objectKey(item.target), item])),
);

/** The driver that the question is about; `isKnown` is false while it is being determined. */
export function questionedDriver(state: State): { readonly driver?: string | undefined; readonly isKnown: boolean } {
  const { driver, target } = state.question ?? {};
  if (driver !== undefined || target === undefined) return { driver, isKnown: true };
  const { last, trouble } = answerTo(state, { type: 'trace', target });
  return {
    driver: last?.value?.chain.find(({ role }) => role === 'driver')?.object?.name,
    isKnown: last !== undefined || trouble !== undefined,
  };
}
