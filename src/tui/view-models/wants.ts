import type { ObjectRef } from '../../core/report/report.ts';
import type { Want } from '../state/answers.ts';
import { itemOf, reportedItem, topView } from '../state/selectors.ts';
import { tabKinds } from '../state/state.ts';
import type { Pane, State } from '../state/state.ts';
import type { Division } from './division.ts';
import { isShared, neighbourKinds } from './neighbours.ts';
import type { Item } from './sheet.ts';

/** All that the screen shows and the frame does not have. */
export function wantsOf(state: State, division: Division, item: Item | undefined): Want[] {
  return [...questionWants(state), ...screenWants(state, division, item)];
}

/** The chain of an object shows which driver serves it. */
function questionWants({ question }: State): Want[] {
  return question?.driver === undefined && question?.target !== undefined
    ? [{ type: 'trace', target: question.target }]
    : [];
}

function screenWants(state: State, division: Division, item: Item | undefined): Want[] {
  const { chooser, frame } = state;
  if (chooser?.purpose === 'namespace') return [{ type: 'namespaces' }];
  if (chooser?.purpose === 'context') return [{ type: 'contexts' }];
  const view = topView(state);
  if (view?.type === 'cause') return [{ type: 'page', cause: view.cause }];
  if (view?.type === 'help' || frame === undefined) return [];
  if (view?.type === 'probe') return [{ type: 'probe', driver: view.driver, exec: view.exec }];
  if (view?.type === 'log') return [{ type: 'log', target: view.target }];
  if (view?.type === 'object') return objectWants(state, view.target, view.pane, division);
  return tabWants(state, division, item);
}

function objectWants(state: State, target: ObjectRef, pane: Pane, { beside }: Division): Want[] {
  const journey: Want[] = reportedItem(state.frame, target) === undefined ? [{ type: 'why', target }] : [];
  if (pane === 'events' || pane === 'yaml') return [...journey, { type: pane, target }];
  // The driver that a probe would be of is found in the chain as well.
  if (!isShared(target) || pane === 'timeline') return [...journey, { type: 'trace', target }];
  const showsNeighbours = pane === 'chain' || beside > 0;
  return [...journey, ...(showsNeighbours ? neighbourKinds.map((kind) => ({ type: 'rows', kind }) as const) : [])];
}

function tabWants(state: State, { beside }: Division, item: Item | undefined): Want[] {
  if (state.tab === 'drivers') return [{ type: 'status' }];
  if (state.tab === 'events') return [{ type: 'events' }];
  const kind = tabKinds[state.tab];
  if (kind !== undefined) return [{ type: 'rows', kind }];
  const isJourneyMissing =
    beside > 0 && item !== undefined && item.type !== 'choice' && itemOf(state, item.target) === undefined;
  return isJourneyMissing ? [{ type: 'why', target: item.target }] : [];
}
