import { isKnownKind } from '../../core/kube/kinds.ts';
import type { ObjectRef } from '../../core/report/report.ts';
import type { Command } from '../keys.ts';
import {
  currentPick,
  currentPosition,
  currentSheet,
  currentTarget,
  divisionOf,
  topView,
} from '../view-models/current.ts';
import { findLine, topOf } from '../view-models/sheet.ts';
import { copyFix, openChooser, openPlace } from './choosers.ts';
import { isMove, moved, withPosition } from './position.ts';
import { panes, start, tabs } from './state.ts';
import type { Pane, State, Tab, View } from './state.ts';
import { stay } from './step.ts';
import type { Step } from './step.ts';

/** Does what a key asks for. */
export function obey(state: State, command: Command): Step {
  if (command.startsWith('tab ')) return stay(toTab(state, command.slice('tab '.length) as Tab));
  if (isMove(command)) return stay(moved(state, command));
  switch (command) {
    case 'enter':
      return stay(entered(state));
    case 'back':
      return stay(wentBack(state));
    case 'fold':
      return stay(toggled(state));
    case 'nextPane':
    case 'previousPane':
      return stay(stepped(state, command === 'nextPane' ? 1 : -1));
    case 'journey':
    case 'chain':
    case 'timeline':
    case 'events':
    case 'yaml':
      return stay(toPane(state, command));
    case 'explain':
      return stay(explained(state));
    case 'wide':
      return stay({ ...state, isWide: !state.isWide });
    case 'wanted':
      return stay({ ...state, prompt: { purpose: 'wanted', text: currentPosition(state).wanted } });
    case 'nextFound':
    case 'previousFound':
      return stay(found(state, command === 'nextFound' ? 1 : -1));
    case 'prompt':
      return stay({ ...state, prompt: { purpose: 'command', text: '' } });
    case 'namespace':
    case 'context':
      return stay(openChooser(state, command));
    case 'everywhere':
      return state.frame !== undefined && state.place.namespace === undefined
        ? stay(state)
        : openPlace(state, { ...state.place, namespace: undefined });
    case 'copy':
      return copyFix(state);
    case 'probe':
      return stay(askProbe(state));
    case 'capture':
      return stay({ ...state, prompt: { purpose: 'capture', text: '' } });
    case 'help':
      return stay(topView(state)?.type === 'help' ? wentBack(state) : opened(state, { type: 'help', position: start }));
    case 'quit':
      return topView(state)?.type === 'help'
        ? stay(wentBack(state))
        : { state, orders: [{ type: 'quit', how: 'quit' }] };
    default:
      return stay(state);
  }
}

export function toTab(state: State, tab: Tab): State {
  return { ...state, tab, views: [], chooser: undefined };
}

function opened(state: State, view: View): State {
  return { ...state, views: [...state.views, view] };
}

export function openObject(state: State, target: ObjectRef, pane: Pane = 'journey'): State {
  if (!isKnownKind(target.kind))
    return { ...state, remark: { text: `nothing more is known of a ${target.kind}`, isTrouble: false } };
  return opened(state, { type: 'object', target, pane, positions: {} });
}

function entered(state: State): State {
  const view = topView(state);
  if (view?.type === 'object' && view.pane === 'journey') return explained(state);
  const pick = currentPick(state);
  if (pick?.type === 'fold') return toggled(state);
  return pick?.type === 'object' ? openObject(state, pick.target) : state;
}

/** One step back: the filter, then what lies on top. */
function wentBack(state: State): State {
  const position = currentPosition(state);
  if (position.wanted !== '') return withPosition(state, { ...position, wanted: '' });
  return { ...state, views: state.views.slice(0, -1) };
}

function toggled(state: State): State {
  const pick = currentPick(state);
  if (pick?.type !== 'fold') return state;
  const unfolded = new Set(state.unfolded);
  if (!unfolded.delete(pick.key)) unfolded.add(pick.key);
  return { ...state, unfolded };
}

/** The next pane of an object, or the next tab. */
function stepped(state: State, step: 1 | -1): State {
  const view = topView(state);
  if (view === undefined) return toTab(state, beside(tabs, state.tab, step));
  return view.type === 'object' ? withPane(state, view, beside(panes, view.pane, step)) : state;
}

function beside<T>(all: readonly T[], one: T, step: 1 | -1): T {
  return all[(all.indexOf(one) + step + all.length) % all.length] ?? one;
}

function withPane(state: State, view: View & { readonly type: 'object' }, pane: Pane): State {
  return { ...state, views: [...state.views.slice(0, -1), { ...view, pane }] };
}

/** Of the object that is being looked at; from a list, of the one under the cursor. */
function toPane(state: State, pane: Pane): State {
  const view = topView(state);
  if (view?.type === 'object' && (view.pane !== 'chain' || pane === 'chain')) return withPane(state, view, pane);
  const pick = currentPick(state);
  return pick === undefined || pick.type === 'choice' ? state : openObject(state, pick.target, pane);
}

function explained(state: State): State {
  const cause = currentTarget(state)?.cause;
  if (topView(state)?.type === 'cause') return state;
  if (cause === undefined) return { ...state, remark: { text: 'it has no cause to explain', isTrouble: false } };
  return opened(state, { type: 'cause', cause, position: start });
}

export function found(state: State, step: 1 | -1): State {
  const sheet = currentSheet(state);
  const position = currentPosition(state);
  const height = divisionOf(state).height - sheet.head.length;
  if (position.wanted === '') return { ...state, remark: { text: 'nothing was looked for yet: /', isTrouble: false } };
  const line = findLine(sheet, position.wanted, position.cursor, step);
  if (line === undefined)
    return { ...state, remark: { text: `"${position.wanted}" is not in this text`, isTrouble: false } };
  const top = topOf(sheet, position, height);
  return withPosition(state, {
    ...position,
    cursor: line,
    top: line >= top && line < top + height ? top : Math.max(0, line - 2),
  });
}

/** Nothing is executed before someone said yes to this. */
function askProbe(state: State): State {
  const view = topView(state);
  if (view?.type === 'probe') return { ...state, question: { driver: view.driver } };
  const looked = view?.type === 'object' ? view.target : undefined;
  const target = [currentTarget(state)?.target, looked].find(
    (one) => one !== undefined && one.kind !== 'Node' && one.kind !== 'CSINode',
  );
  if (target === undefined)
    return {
      ...state,
      remark: { text: 'no driver is meant here: go to one, or to something that it serves', isTrouble: false },
    };
  return { ...state, question: target.kind === 'CSIDriver' ? { driver: target.name } : { target } };
}
