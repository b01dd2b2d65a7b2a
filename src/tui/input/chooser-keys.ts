import { sanitise } from '../../terminal/sanitise.ts';
import { commandOf } from '../keys.ts';
import type { Action } from '../state/actions.ts';
import { start } from '../state/state.ts';
import type { Chooser, State } from '../state/state.ts';
import type { Screen } from '../view-models/screen.ts';
import type { Item } from '../view-models/sheet.ts';
import { isMove, movedPosition } from './move.ts';
import { remark } from './remarks.ts';

const closeChooser: Action = { type: 'chooser', chooser: undefined };

export function openChooser({ frame, place }: State, purpose: 'namespace' | 'context'): Action[] {
  if (purpose === 'context' && frame?.freshness.state === 'dump') return [remark('A dump has no contexts.')];
  const id = purpose === 'namespace' ? place.namespace : frame?.context;
  return [{ type: 'chooser', chooser: { purpose, position: { ...start, id } } }];
}

/** A key while the user chooses from a list: most keys mean nothing then. */
export function chooseKey(state: State, screen: Screen, chooser: Chooser, name: string): Action[] {
  const { shown } = screen;
  const { position } = chooser;
  const command = commandOf(name, 'list');
  if (isMove(command)) return [{ type: 'moveTo', position: movedPosition(shown, command) }];
  switch (command) {
    case 'wanted':
      return [{ type: 'prompt', prompt: { purpose: 'wanted', text: position.wanted } }];
    case 'back':
    case 'quit':
      return position.wanted === '' ? [closeChooser] : [{ type: 'moveTo', position: { ...position, wanted: '' } }];
    case 'enter':
      return [closeChooser, ...chooseItem(state, chooser, shown.item)];
    default:
      return [];
  }
}

function chooseItem({ place }: State, { purpose }: Chooser, item: Item | undefined): Action[] {
  if (item?.type !== 'choice') return [];
  const { value } = item;
  if (purpose === 'namespace') return [{ type: 'openPlace', place: { ...place, namespace: value } }];
  if (value === undefined) return [];
  return purpose === 'context' ? [{ type: 'openPlace', place: { context: value } }] : [copyCommand(value)];
}

export function copyCommand(command: string): Action {
  return { type: 'copy', text: sanitise(command) };
}
