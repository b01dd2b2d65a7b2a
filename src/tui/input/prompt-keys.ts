import { resourceNamed } from '../../core/kube/resources.ts';
import type { Action } from '../state/actions.ts';
import { tabKinds, tabs } from '../state/state.ts';
import type { Prompt, State, Tab } from '../state/state.ts';
import type { Screen } from '../view-models/screen.ts';
import { isList } from '../view-models/shown.ts';
import { openChooser } from './chooser-keys.ts';
import { foundPosition } from './move.ts';
import { remark, trouble } from './remarks.ts';

const closePrompt: Action = { type: 'prompt', prompt: undefined };

/** A key while a line of text is being typed. */
export function typeKey(state: State, screen: Screen, prompt: Prompt, name: string): Action[] {
  if (name === 'esc' || (name === 'backspace' && prompt.text === '')) return giveUp(screen, prompt);
  if (name === 'enter') return [closePrompt, ...enterLine(state, screen, prompt)];
  const text = editedText(prompt.text, name);
  if (text === prompt.text) return [];
  const typed: Action = { type: 'prompt', prompt: { ...prompt, text } };
  // A list is filtered while the user types; a text is searched when the word is complete.
  const isFilter = prompt.purpose === 'wanted' && isList(screen.shown);
  if (!isFilter) return [typed];
  return [typed, { type: 'moveTo', position: { ...screen.shown.position, wanted: text, cursor: 0, top: 0 } }];
}

function editedText(text: string, name: string): string {
  if (name === 'backspace') return Array.from(text).slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.replace(/\S*\s*$/, '');
  if (name === 'space') return `${text} `;
  return Array.from(name).length === 1 ? text + name : text;
}

function giveUp({ shown }: Screen, { purpose }: Prompt): Action[] {
  if (purpose !== 'wanted') return [closePrompt];
  return [closePrompt, { type: 'moveTo', position: { ...shown.position, wanted: '' } }];
}

function enterLine(state: State, { shown }: Screen, { purpose, text }: Prompt): Action[] {
  if (purpose === 'capture') return [{ type: 'capture', path: text.trim() }];
  if (purpose === 'command') return runLine(state, text.trim());
  const wanted: Action = { type: 'moveTo', position: { ...shown.position, wanted: text } };
  if (text === '' || isList(shown)) return [wanted];
  const position = foundPosition(shown, text, shown.top - 1, 1);
  return position === undefined
    ? [wanted, remark(`"${text}" was not found in this text.`)]
    : [{ type: 'moveTo', position }];
}

/** `:ns shop`, `:ctx prod`, `:claims`, `:q`. */
function runLine(state: State, line: string): Action[] {
  const [word = '', argument] = line.split(/\s+/);
  switch (word) {
    case '':
      return [];
    case 'q':
    case 'q!':
    case 'quit':
      return [{ type: 'quit', how: 'quit' }];
    case 'ns':
    case 'namespace':
      return argument === undefined ? openChooser(state, 'namespace') : openNamespace(state, argument);
    case 'ctx':
    case 'context':
      return argument === undefined
        ? openChooser(state, 'context')
        : [{ type: 'openPlace', place: { context: argument } }];
  }
  const tab = tabNamed(word);
  return tab === undefined ? [noCommand(word)] : [{ type: 'showTab', tab }];
}

function openNamespace({ place }: State, argument: string): Action[] {
  const namespace = argument === 'all' || argument === '-A' ? undefined : argument;
  return [{ type: 'openPlace', place: { ...place, namespace } }];
}

function noCommand(word: string): Action {
  const names = ['ns', 'ctx', 'q', ...tabs].map((name) => `:${name}`);
  return trouble(`Unknown command :${word}. Commands: ${names.join(', ')}`);
}

/** By its own name, or by what kubectl calls its kind. */
function tabNamed(word: string): Tab | undefined {
  const kind = resourceNamed(word)?.kind;
  if (kind === 'CSIDriver' || kind === 'CSINode' || kind === 'Node') return 'drivers';
  if (kind === 'Event' || word === 'timeline') return 'events';
  return tabs.find((tab) => tab === word) ?? tabs.find((tab) => kind !== undefined && tabKinds[tab] === kind);
}
