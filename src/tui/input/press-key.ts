import { commandOf } from '../keys.ts';
import type { Action } from '../state/actions.ts';
import { questionedDriver } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import type { Screen } from '../view-models/screen.ts';
import { isList } from '../view-models/shown.ts';
import { chooseKey } from './chooser-keys.ts';
import { runCommand } from './command-keys.ts';
import { typeKey } from './prompt-keys.ts';
import { remark } from './remarks.ts';

/** What a key does on the screen that is shown. A message in the last line goes with any key. */
export function pressKey(state: State, screen: Screen, name: string): readonly Action[] {
  const actions = actionsOf(state, screen, name);
  return state.remark === undefined ? actions : [{ type: 'remark', remark: undefined }, ...actions];
}

function actionsOf(state: State, screen: Screen, name: string): Action[] {
  if (name === 'ctrl-c') return [{ type: 'quit', how: 'interrupted' }];
  if (state.question !== undefined) return answerQuestion(state, name);
  if (state.prompt !== undefined) return typeKey(state, screen, state.prompt, name);
  if (state.chooser !== undefined) return chooseKey(state, screen, state.chooser, name);
  const command = commandOf(name, isList(screen.shown) ? 'list' : 'text');
  return command === undefined ? [] : runCommand(state, screen, command);
}

/** Anything but a clear yes is a no. */
function answerQuestion(state: State, name: string): Action[] {
  const closed: Action = { type: 'question', question: undefined };
  const { driver } = questionedDriver(state);
  const isYes = name === 'y' || name === 'e';
  if (!isYes || driver === undefined) return [closed, remark('Nothing was probed.')];
  return [closed, { type: 'probe', driver, exec: name === 'e' }];
}
