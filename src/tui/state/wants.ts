import { currentPick, divisionOf, topView } from '../view-models/current.ts';
import { isShared, neighbourKinds } from '../view-models/neighbours.ts';
import { itemOf } from '../view-models/object-panes.ts';
import { tabKinds, wantKey } from './state.ts';
import type { State, Want } from './state.ts';

/** What the screen shows and does not have yet, or has from an older frame. */
export function wantsOf(state: State): Want[] {
  return shownWants(state).filter((want) => {
    const answer = state.answers.get(wantKey(want));
    return answer === undefined || (isChanging(want) && answer.frame < state.frames);
  });
}

/** Pages and lists of contexts stay as they are, and a probe is made once for each time that someone said yes. */
function isChanging({ type }: Want): boolean {
  return type !== 'page' && type !== 'contexts' && type !== 'probe' && type !== 'namespaces';
}

function shownWants(state: State): Want[] {
  const { question } = state;
  const asked: Want[] =
    question?.driver === undefined && question?.target !== undefined
      ? [{ type: 'trace', target: question.target }]
      : [];
  return [...asked, ...screenWants(state)];
}

function screenWants(state: State): Want[] {
  if (state.chooser?.purpose === 'namespace') return [{ type: 'namespaces' }];
  if (state.chooser?.purpose === 'context') return [{ type: 'contexts' }];
  const view = topView(state);
  if (view?.type === 'cause') return [{ type: 'page', cause: view.cause }];
  if (view?.type === 'help') return [];
  if (state.frame === undefined) return [];
  if (view?.type === 'probe') return [{ type: 'probe', driver: view.driver, exec: view.exec }];
  if (view?.type === 'object') {
    const { target, pane } = view;
    const journey: Want[] = state.frame.report.items.some((item) => item === itemOf(state, target))
      ? []
      : [{ type: 'why', target }];
    if (pane === 'events' || pane === 'yaml') return [...journey, { type: pane, target }];
    if (isShared(target) && pane !== 'timeline')
      return [
        ...journey,
        ...(pane === 'chain' || divisionOf(state).beside > 0
          ? neighbourKinds.map((kind) => ({ type: 'rows', kind }) as const)
          : []),
      ];
    // The chain also tells which driver a probe would be of.
    return [...journey, { type: 'trace', target }];
  }
  if (state.tab === 'drivers') return [{ type: 'status' }];
  if (state.tab === 'timeline') return [{ type: 'events' }];
  const kind = tabKinds[state.tab];
  if (kind !== undefined) return [{ type: 'rows', kind }];
  const pick = divisionOf(state).beside > 0 ? currentPick(state) : undefined;
  return pick === undefined || pick.type === 'choice' || itemOf(state, pick.target) !== undefined
    ? []
    : [{ type: 'why', target: pick.target }];
}
