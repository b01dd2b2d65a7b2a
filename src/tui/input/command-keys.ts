import { isKnownKind } from '../../core/kube/kinds.ts';
import { commandsOf } from '../../core/report/fix-commands.ts';
import type { Fix, ObjectRef } from '../../core/report/report.ts';
import type { Command } from '../keys.ts';
import type { Action } from '../state/actions.ts';
import { answerTo } from '../state/answers.ts';
import { itemOf, topView } from '../state/selectors.ts';
import { byName, panes, start, tabKinds, tabs } from '../state/state.ts';
import type { Pane, SortKey, State } from '../state/state.ts';
import type { Screen } from '../view-models/screen.ts';
import { copyCommand, openChooser } from './chooser-keys.ts';
import { foundPosition, isMove, movedPosition } from './move.ts';
import type { Move } from './move.ts';
import { remark } from './remarks.ts';

/** What a command does on the screen that is shown. */
export function runCommand(state: State, screen: Screen, command: Command): Action[] {
  if (isMove(command)) return [{ type: 'moveTo', position: movedPosition(screen.shown, command) }];
  return handlers[command](state, screen);
}

type Handler = (state: State, screen: Screen) => Action[];

const handlers: Readonly<Record<Exclude<Command, Move>, Handler>> = {
  'tab stuck': () => [{ type: 'showTab', tab: 'stuck' }],
  'tab claims': () => [{ type: 'showTab', tab: 'claims' }],
  'tab pods': () => [{ type: 'showTab', tab: 'pods' }],
  'tab volumes': () => [{ type: 'showTab', tab: 'volumes' }],
  'tab classes': () => [{ type: 'showTab', tab: 'classes' }],
  'tab drivers': () => [{ type: 'showTab', tab: 'drivers' }],
  'tab attachments': () => [{ type: 'showTab', tab: 'attachments' }],
  'tab snapshots': () => [{ type: 'showTab', tab: 'snapshots' }],
  'tab events': () => [{ type: 'showTab', tab: 'events' }],
  enter,
  back: () => [{ type: 'goBack' }],
  fold: (_state, screen) => toggleFold(screen),
  nextPane: (state) => stepAside(state, 1),
  previousPane: (state) => stepAside(state, -1),
  journey: (state, screen) => showPane(state, screen, 'journey'),
  chain: (state, screen) => showPane(state, screen, 'chain'),
  timeline: (state, screen) => showPane(state, screen, 'timeline'),
  events: (state, screen) => showPane(state, screen, 'events'),
  yaml: (state, screen) => showPane(state, screen, 'yaml'),
  explain,
  log: showLog,
  sortName: (state) => sortBy(state, 'name'),
  sortAge: (state) => sortBy(state, 'age'),
  sortCause: (state) => sortBy(state, 'cause'),
  wide: () => [{ type: 'toggleWide' }],
  wanted: (_state, { shown }) => [{ type: 'prompt', prompt: { purpose: 'wanted', text: shown.position.wanted } }],
  nextFound: (_state, screen) => findNext(screen, 1),
  previousFound: (_state, screen) => findNext(screen, -1),
  prompt: () => [{ type: 'prompt', prompt: { purpose: 'command', text: '' } }],
  capture: () => [{ type: 'prompt', prompt: { purpose: 'capture', text: '' } }],
  namespace: (state) => openChooser(state, 'namespace'),
  context: (state) => openChooser(state, 'context'),
  everywhere: openEverywhere,
  copy: copyFix,
  probe: askProbe,
  help: (state) => (isHelp(state) ? [{ type: 'goBack' }] : [openHelp]),
  quit: (state) => (isHelp(state) ? [{ type: 'goBack' }] : [{ type: 'quit', how: 'quit' }]),
  interrupt: () => [{ type: 'quit', how: 'interrupted' }],
};

const openHelp: Action = { type: 'openView', view: { type: 'help', position: start } };

function isHelp(state: State): boolean {
  return topView(state)?.type === 'help';
}

function openObject(target: ObjectRef, pane: Pane): Action[] {
  if (!isKnownKind(target.kind)) return [remark(`Nothing more is known about a ${target.kind}.`)];
  return [{ type: 'openView', view: { type: 'object', target, pane, positions: {} } }];
}

function enter(state: State, screen: Screen): Action[] {
  const view = topView(state);
  if (view?.type === 'object' && view.pane === 'journey') return explain(state, screen);
  const { item } = screen.shown;
  if (item?.type === 'fold') return toggleFold(screen);
  return item?.type === 'object' ? openObject(item.target, 'journey') : [];
}

function toggleFold({ shown: { item } }: Screen): Action[] {
  return item?.type === 'fold' ? [{ type: 'toggleFold', fold: item.fold }] : [];
}

/** The next pane of an object, or the next tab. */
function stepAside(state: State, step: 1 | -1): Action[] {
  const view = topView(state);
  if (view === undefined) return [{ type: 'showTab', tab: neighbourIn(tabs, state.tab, step) }];
  return view.type === 'object' ? [{ type: 'showPane', pane: neighbourIn(panes, view.pane, step) }] : [];
}

function neighbourIn<T>(all: readonly T[], one: T, step: 1 | -1): T {
  return all[(all.indexOf(one) + step + all.length) % all.length] ?? one;
}

/** Of the object that is open; in a list, of the one under the cursor. */
function showPane(state: State, { shown: { item } }: Screen, pane: Pane): Action[] {
  const view = topView(state);
  const isInObject = view?.type === 'object' && (view.pane !== 'chain' || pane === 'chain');
  if (isInObject) return [{ type: 'showPane', pane }];
  return item === undefined || item.type === 'choice' ? [] : openObject(item.target, pane);
}

function explain(state: State, { target }: Screen): Action[] {
  if (topView(state)?.type === 'cause') return [];
  const cause = target?.cause;
  if (cause === undefined) return [remark('This object has no cause to explain.')];
  return [{ type: 'openView', view: { type: 'cause', cause, position: start } }];
}

/** Tables only: what is stuck is ordered by urgency, and events by time. */
function sortBy(state: State, by: SortKey): Action[] {
  if (topView(state) !== undefined) return [];
  if (tabKinds[state.tab] === undefined) return [remark(`The tab "${state.tab}" has an order of its own.`)];
  const { by: old, isReversed } = state.sorts[state.tab] ?? byName;
  return [{ type: 'sort', sort: { by, isReversed: by === old && !isReversed } }];
}

/** Only this key requests a log: it needs a right of its own. */
function showLog(state: State, { target }: Screen): Action[] {
  const view = topView(state);
  if (view?.type === 'log') return [{ type: 'log', target: view.target }];
  return target === undefined ? [remark('No object is selected.')] : [{ type: 'log', target: target.target }];
}

function findNext({ shown }: Screen, step: 1 | -1): Action[] {
  const { wanted, cursor } = shown.position;
  if (wanted === '') return [remark('Nothing to find yet. Press / and enter a word.')];
  const position = foundPosition(shown, wanted, cursor, step);
  return [position === undefined ? remark(`"${wanted}" was not found in this text.`) : { type: 'moveTo', position }];
}

function openEverywhere({ frame, place }: State): Action[] {
  const isThere = frame !== undefined && place.namespace === undefined;
  return isThere ? [] : [{ type: 'openPlace', place: { ...place, namespace: undefined } }];
}

/** The commands of the fix: a single one is copied at once, of several one is chosen. */
function copyFix(state: State, screen: Screen): Action[] {
  const commands = shownFixes(state, screen).flatMap(commandsOf);
  const offers = [...new Set(commands)];
  const [first] = offers;
  if (first === undefined) return [remark('This fix has no command to copy.')];
  if (offers.length === 1) return [copyCommand(first)];
  return [{ type: 'chooser', chooser: { purpose: 'copy', position: start, offers } }];
}

function shownFixes(state: State, { target }: Screen): readonly Fix[] {
  const view = topView(state);
  if (view?.type === 'probe') {
    const { driver, exec } = view;
    return answerTo(state, { type: 'probe', driver, exec }).last?.value.items.flatMap(({ fix }) => fix) ?? [];
  }
  const findings = target === undefined ? undefined : itemOf(state, target.target)?.findings;
  return (findings ?? []).filter(({ role }) => role === 'cause').flatMap(({ fix }) => fix);
}

/** Nothing is executed before the user agrees to this question. */
function askProbe(state: State, screen: Screen): Action[] {
  const view = topView(state);
  if (view?.type === 'probe') return [{ type: 'question', question: { driver: view.driver } }];
  const looked = view?.type === 'object' ? view.target : undefined;
  const target = [screen.target?.target, looked].find(
    (one) => one !== undefined && one.kind !== 'Node' && one.kind !== 'CSINode',
  );
  if (target === undefined) return [remark('No driver is selected. Go to a driver, or to an object that it serves.')];
  return [{ type: 'question', question: target.kind === 'CSIDriver' ? { driver: target.name } : { target } }];
}
