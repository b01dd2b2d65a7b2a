import type { Fix } from '../../core/report/report.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import type { Place } from '../ports.ts';
import { currentPick, currentPosition, currentTarget, isEverywhere, topView } from '../view-models/current.ts';
import { itemOf } from '../view-models/object-panes.ts';
import { commandOf } from '../keys.ts';
import { isMove, moved, withPosition } from './position.ts';
import { answerTo, start } from './state.ts';
import type { Chooser, State } from './state.ts';
import { stay } from './step.ts';
import type { Order, Step } from './step.ts';

export function openChooser(state: State, purpose: 'namespace' | 'context'): State {
  if (state.frame?.freshness.state === 'dump' && purpose === 'context')
    return { ...state, remark: { text: 'a dump has no contexts', isTrouble: false } };
  return {
    ...state,
    chooser: {
      purpose,
      position: { ...start, key: purpose === 'namespace' ? state.place.namespace : state.frame?.context },
    },
  };
}

/** A key while something is being chosen: most mean nothing then. */
export function chosen(state: State, chooser: Chooser, name: string): Step {
  const command = commandOf(name, 'list');
  if (command === 'wanted')
    return stay({ ...state, prompt: { purpose: 'wanted', text: currentPosition(state).wanted } });
  if (command === 'back' || command === 'quit')
    return stay(
      chooser.position.wanted === ''
        ? { ...state, chooser: undefined }
        : withPosition(state, { ...chooser.position, wanted: '' }),
    );
  if (isMove(command)) return stay(moved(state, command));
  if (command !== 'enter') return stay(state);
  const pick = currentPick(state);
  const closed = { ...state, chooser: undefined };
  if (pick?.type !== 'choice') return stay(closed);
  if (chooser.purpose === 'copy') return copied(closed, pick.value);
  if (chooser.purpose === 'context') return openPlace(closed, { context: pick.value });
  return openPlace(closed, { ...state.place, namespace: isEverywhere(pick.value) ? undefined : pick.value });
}

/** Somewhere else everything is new: what was read here is forgotten. */
export function openPlace(state: State, place: Place): Step {
  const order: Order = { type: 'open', place };
  const { answers } = state;
  const kept = new Map(
    [...answers].filter(
      ([key]) =>
        key.startsWith('contexts') ||
        key.startsWith('page') ||
        (key.startsWith('namespaces') && place.context === state.place.context),
    ),
  );
  return {
    state: {
      ...state,
      place,
      frame: undefined,
      failure: undefined,
      views: [],
      positions: {},
      unfolded: new Set(),
      chooser: undefined,
      answers: kept,
    },
    orders: [order],
  };
}

/** The commands of the fix of what is being looked at: one is copied, of more one is chosen. */
export function copyFix(state: State): Step {
  const fixes = shownFixes(state).flatMap(({ command }) => (command === undefined || command === '' ? [] : [command]));
  const offers = [...new Set(fixes)];
  const [only] = offers;
  if (only === undefined)
    return stay({ ...state, remark: { text: 'its fix has no command to copy', isTrouble: false } });
  return offers.length === 1
    ? copied(state, only)
    : stay({ ...state, chooser: { purpose: 'copy', position: start, offers } });
}

function shownFixes(state: State): readonly Fix[] {
  const view = topView(state);
  if (view?.type === 'probe') return answerTo(state, view).value?.items.flatMap(({ fix }) => fix) ?? [];
  const target = currentTarget(state)?.target;
  const item = target === undefined ? undefined : itemOf(state, target);
  return (item?.findings ?? []).filter(({ role }) => role === 'cause').flatMap(({ fix }) => fix);
}

function copied(state: State, text: string): Step {
  const safe = sanitise(text);
  return {
    state: { ...state, remark: { text: `copied, if the terminal allows it: ${safe}`, isTrouble: false } },
    orders: [{ type: 'copy', text: safe }],
  };
}
