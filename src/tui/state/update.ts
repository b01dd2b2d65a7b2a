import type { ObjectRef } from '../../core/report/report.ts';
import type { Place } from '../ports.ts';
import type { Action } from './actions.ts';
import { noAnswers, withAnswer, withoutAnswer } from './answers.ts';
import { currentPosition, topView, withPosition } from './selectors.ts';
import { start } from './state.ts';
import type { Pane, Sort, State, View } from './state.ts';

/** The state after an action. It knows nothing of lines, sizes and colours. */
export function update(state: State, action: Action): State {
  switch (action.type) {
    case 'frame':
      return afterFrame(state, action);
    case 'failed':
      return { ...state, failure: action.trouble };
    case 'answered':
      return { ...state, answers: withAnswer(state.answers, action.answered) };
    case 'quit':
      return state;
    case 'openPlace':
      return inPlace(state, action.place);
    case 'copy':
      return withRemark(state, `Copied (if the terminal allows it): ${action.text}`);
    case 'capture':
      return withRemark(state, 'Saving');
    case 'remark':
      return { ...state, remark: action.remark };
    case 'showTab':
      return { ...state, tab: action.tab, views: [], chooser: undefined };
    case 'showPane':
      return withPane(state, action.pane);
    case 'openView':
      return withView(state, action.view);
    case 'goBack':
      return afterGoingBack(state);
    case 'moveTo':
      return withPosition(state, action.position);
    case 'toggleFold':
      return withToggledFold(state, action.fold);
    case 'toggleWide':
      return { ...state, isWide: !state.isWide };
    case 'prompt':
      return { ...state, prompt: action.prompt };
    case 'chooser':
      return { ...state, chooser: action.chooser };
    case 'question':
      return { ...state, question: action.question };
    case 'sort':
      return withSort(state, action.sort);
    case 'log':
      return withLog(state, action.target);
    case 'probe':
      return withProbe(state, action.driver, action.exec);
  }
}

function afterFrame(state: State, { frame, receivedAt }: Extract<Action, { readonly type: 'frame' }>): State {
  return { ...state, frame, frameReceivedAt: receivedAt, frames: state.frames + 1, failure: undefined };
}

function withRemark(state: State, text: string): State {
  return { ...state, remark: { text, isTrouble: false } };
}

function withView(state: State, view: View): State {
  return { ...state, views: [...state.views, view] };
}

function withPane(state: State, pane: Pane): State {
  const view = topView(state);
  return view?.type === 'object' ? { ...state, views: [...state.views.slice(0, -1), { ...view, pane }] } : state;
}

function withToggledFold(state: State, fold: string): State {
  const unfolded = new Set(state.unfolded);
  if (!unfolded.delete(fold)) unfolded.add(fold);
  return { ...state, unfolded };
}

/** One step back: first the filter is cleared, then the view on top is closed. */
function afterGoingBack(state: State): State {
  const position = currentPosition(state);
  if (position.wanted !== '') return withPosition(state, { ...position, wanted: '' });
  return { ...state, views: state.views.slice(0, -1) };
}

/** A new probe replaces the one on the screen, and an earlier answer of the same driver is forgotten. */
function withProbe(state: State, driver: string, exec: boolean): State {
  const below = topView(state)?.type === 'probe' ? state.views.slice(0, -1) : state.views;
  return {
    ...state,
    answers: withoutAnswer(state.answers, { type: 'probe', driver, exec }),
    views: [...below, { type: 'probe', driver, exec, position: start }],
  };
}

/** The first lines are what one sorts for. */
function withSort(state: State, sort: Sort): State {
  const { tab } = state;
  const position = state.positions[tab] ?? start;
  return {
    ...state,
    sorts: { ...state.sorts, [tab]: sort },
    positions: { ...state.positions, [tab]: { ...position, cursor: 0, top: 0, id: undefined } },
  };
}

/** A log that is on the screen is read again. */
function withLog(state: State, target: ObjectRef): State {
  const below = topView(state)?.type === 'log' ? state.views.slice(0, -1) : state.views;
  return {
    ...state,
    answers: withoutAnswer(state.answers, { type: 'log', target }),
    views: [...below, { type: 'log', target, position: start }],
  };
}

/** Another cluster or namespace: what was read and opened in the old one is forgotten. */
function inPlace(state: State, place: Place): State {
  const { answers } = state;
  const isSameCluster = place.context === state.place.context;
  return {
    ...state,
    place,
    frame: undefined,
    failure: undefined,
    views: [],
    positions: {},
    unfolded: new Set(),
    chooser: undefined,
    answers: {
      ...noAnswers,
      contexts: answers.contexts,
      page: answers.page,
      namespaces: isSameCluster ? answers.namespaces : noAnswers.namespaces,
    },
  };
}
