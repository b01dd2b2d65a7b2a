import { sanitise } from '../../terminal/sanitise.ts';
import { keys } from '../keys.ts';
import type { Command } from '../keys.ts';
import { questionedDriver, topView } from '../state/selectors.ts';
import type { Prompt, State, Tab } from '../state/state.ts';
import { isList, whereabouts } from './shown.ts';
import type { Shown } from './shown.ts';

/** The last line. */
export type FooterModel =
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'prompt'; readonly label: string; readonly text: string }
  | { readonly type: 'remark'; readonly text: string; readonly isTrouble: boolean }
  | { readonly type: 'hints'; readonly hints: string; readonly whereabouts: string };

const promptLabels: Readonly<Record<Prompt['purpose'], string>> = {
  wanted: '/',
  command: ':',
  capture: 'Save to (Enter generates a name): ',
};

export function footerOf(state: State, shown: Shown): FooterModel {
  const { question, prompt, remark } = state;
  if (question !== undefined) return { type: 'question', text: questionText(state) };
  if (prompt !== undefined)
    return { type: 'prompt', label: promptLabels[prompt.purpose], text: typedText(prompt.text) };
  if (remark !== undefined) return { type: 'remark', text: sanitise(remark.text), isTrouble: remark.isTrouble };
  return { type: 'hints', hints: hintsOf(state, shown), whereabouts: whereabouts(shown) };
}

function questionText(state: State): string {
  const { driver, isKnown } = questionedDriver(state);
  if (driver !== undefined) return `Probe ${sanitise(driver)}?  y health check  e run a command in its pods  n no`;
  return isKnown ? 'No driver is known for this object. Press any key.' : 'Looking up its driver';
}

/** A space that was just typed is seen, although text that is made safe has none at its end. */
function typedText(text: string): string {
  return sanitise(text) + (text.endsWith(' ') ? ' ' : '');
}

function hintsOf(state: State, shown: Shown): string {
  const { wanted } = shown.position;
  if (wanted === '') return usualHints(state);
  return `/${sanitise(wanted)}  ${isList(shown) ? '' : 'n next  N previous  '}esc clear`;
}

const tableHints = ['enter', 'wanted', 'sortCause', 'chain', 'log', 'namespace', 'help', 'quit'] as const;
const tabHints: Readonly<Record<Tab, readonly Command[]>> = {
  stuck: ['enter', 'wanted', 'explain', 'copy', 'log', 'namespace', 'help', 'quit'],
  claims: tableHints,
  pods: tableHints,
  volumes: tableHints,
  classes: tableHints,
  drivers: ['enter', 'probe', 'log', 'wanted', 'events', 'yaml', 'help', 'quit'],
  attachments: tableHints,
  snapshots: tableHints,
  events: ['enter', 'wanted', 'chain', 'yaml', 'namespace', 'help', 'quit'],
};

function usualHints(state: State): string {
  if (state.chooser !== undefined) return 'enter choose  / filter  esc back';
  const view = topView(state);
  if (view === undefined) return hintLine(tabHints[state.tab]);
  if (view.type === 'log') return textHints(['log', 'back', 'wanted', 'help', 'quit']).replace('log', 'read again');
  if (view.type !== 'object') return textHints(['back', 'wanted', 'help', 'quit']);
  if (view.pane === 'journey') return hintLine(['explain', 'copy', 'log', 'probe', 'nextPane', 'back', 'help', 'quit']);
  if (view.pane === 'chain') return hintLine(['enter', 'probe', 'nextPane', 'back', 'help', 'quit']);
  return textHints(['wanted', 'nextPane', 'back', 'help', 'quit']);
}

/** The same key filters a list and searches a text. */
function textHints(commands: readonly Command[]): string {
  return hintLine(commands).replace('filter', 'find');
}

/** The keys that are likely to be wanted, in one line. */
function hintLine(commands: readonly Command[]): string {
  return commands
    .flatMap((command) => keys.find((key) => key.command === command && key.hint !== undefined) ?? [])
    .map(({ names, hint = '' }) => `${names[0] ?? ''} ${hint}`)
    .join('  ');
}
