import { tabs } from './state/state.ts';
import type { Tab } from './state/state.ts';

export type Command =
  | 'down'
  | 'up'
  | 'top'
  | 'bottom'
  | 'halfDown'
  | 'halfUp'
  | 'pageDown'
  | 'pageUp'
  | 'left'
  | 'right'
  | 'enter'
  | 'back'
  | 'fold'
  | 'nextPane'
  | 'previousPane'
  | 'journey'
  | 'chain'
  | 'timeline'
  | 'events'
  | 'yaml'
  | 'explain'
  | 'log'
  | 'sortName'
  | 'sortAge'
  | 'sortCause'
  | 'wide'
  | 'wanted'
  | 'nextFound'
  | 'previousFound'
  | 'prompt'
  | 'namespace'
  | 'everywhere'
  | 'context'
  | 'copy'
  | 'probe'
  | 'capture'
  | 'help'
  | 'quit'
  | 'interrupt'
  | `tab ${Tab}`;

/** A list has lines to choose from; a text is only read. */
type Situation = 'list' | 'text';

export interface Key {
  readonly command: Command;
  readonly names: readonly string[];
  readonly does: string;
  readonly where?: Situation;
  readonly group: 'move' | 'look' | 'find' | 'act';
  /** A word for the last line of the screen, for keys that are used often. */
  readonly hint?: string;
}

const tabWords: Readonly<Record<Tab, string>> = {
  stuck: 'Show what is stuck, by cause',
  claims: 'List the claims',
  pods: 'List the pods that use storage',
  volumes: 'List the volumes',
  classes: 'List the storage classes',
  drivers: 'List the drivers and the nodes they run on',
  attachments: 'List the attachments',
  snapshots: 'List the snapshots',
  events: 'List the events about storage, latest first',
};

/** All keys: the program acts on this table, and the help prints it. */
export const keys: readonly Key[] = [
  { command: 'down', names: ['j', 'down'], does: 'Move down one line', group: 'move' },
  { command: 'up', names: ['k', 'up'], does: 'Move up one line', group: 'move' },
  { command: 'top', names: ['g', 'home'], does: 'Go to the first line', group: 'move' },
  { command: 'bottom', names: ['G', 'end'], does: 'Go to the last line', group: 'move' },
  { command: 'halfDown', names: ['ctrl-d'], does: 'Move down half a screen', group: 'move' },
  { command: 'halfUp', names: ['ctrl-u'], does: 'Move up half a screen', group: 'move' },
  { command: 'pageDown', names: ['ctrl-f', 'pagedown'], does: 'Move down one screen', group: 'move' },
  { command: 'pageUp', names: ['ctrl-b', 'pageup'], does: 'Move up one screen', group: 'move' },
  { command: 'right', names: ['l', 'right'], does: 'Scroll right', group: 'move' },
  { command: 'left', names: ['h', 'left'], does: 'Scroll left', group: 'move' },
  {
    command: 'enter',
    names: ['enter'],
    does: 'Open: the objects of a cause, an object, the page of its cause',
    group: 'move',
    hint: 'open',
  },
  { command: 'back', names: ['esc', 'backspace'], does: 'Go back, or clear the filter', group: 'move', hint: 'back' },
  ...tabs.map((tab, index): Key => ({
    command: `tab ${tab}`,
    names: [String(index + 1)],
    does: tabWords[tab],
    group: 'look',
  })),
  {
    command: 'nextPane',
    names: ['tab'],
    does: 'Show the next pane of the object, or the next tab',
    group: 'look',
    hint: 'next',
  },
  {
    command: 'previousPane',
    names: ['shift-tab'],
    does: 'Show the previous pane of the object, or the previous tab',
    group: 'look',
  },
  {
    command: 'journey',
    names: ['d'],
    does: 'Show the journey: stages, evidence, fixes',
    group: 'look',
    hint: 'journey',
  },
  {
    command: 'chain',
    names: ['r'],
    does: 'Show related objects: pod, claim, volume, attachment, node, driver',
    group: 'look',
    hint: 'related',
  },
  { command: 'timeline', names: ['t'], does: 'Show the timeline of the object', group: 'look' },
  { command: 'events', names: ['e'], does: 'Show the events of the object', group: 'look', hint: 'events' },
  { command: 'yaml', names: ['v'], does: 'Show the object as YAML', group: 'look', hint: 'yaml' },
  {
    command: 'log',
    names: ['L'],
    does: 'Read the log of the component that has to act next: sidecar, driver or node plugin',
    group: 'look',
    hint: 'log',
  },
  { command: 'explain', names: ['x'], does: 'Show the page of the cause', group: 'look', hint: 'explain' },
  { command: 'fold', names: ['space'], does: 'Show or hide the objects of a cause', group: 'look', where: 'list' },
  { command: 'wide', names: ['w'], does: 'Show all evidence and all columns, or the usual ones', group: 'look' },
  { command: 'sortName', names: ['N'], does: 'In a list: sort by name; again reverses', group: 'find', where: 'list' },
  { command: 'sortAge', names: ['A'], does: 'In a list: sort by age; again reverses', group: 'find', where: 'list' },
  {
    command: 'sortCause',
    names: ['S'],
    does: 'In a list: sort by cause or status; again reverses',
    group: 'find',
    where: 'list',
    hint: 'sort',
  },
  {
    command: 'wanted',
    names: ['/'],
    does: 'In a list: show only lines with a word; in a text: find it',
    group: 'find',
    hint: 'filter',
  },
  { command: 'nextFound', names: ['n'], does: 'In a text: go to the next match', group: 'find', where: 'text' },
  { command: 'previousFound', names: ['N'], does: 'In a text: go to the previous match', group: 'find', where: 'text' },
  {
    command: 'namespace',
    names: ['n'],
    does: 'In a list: choose a namespace',
    group: 'find',
    where: 'list',
    hint: 'ns',
  },
  { command: 'everywhere', names: ['0'], does: 'Show all namespaces', group: 'find' },
  { command: 'context', names: ['c'], does: 'Choose a context', group: 'find' },
  { command: 'prompt', names: [':'], does: 'Enter a command: :ns NAME, :ctx NAME, :claims, :q', group: 'find' },
  { command: 'copy', names: ['y'], does: 'Copy a command of the fix', group: 'act', hint: 'copy' },
  {
    command: 'probe',
    names: ['p'],
    does: 'Probe the driver; asks before it runs anything',
    group: 'act',
    hint: 'probe',
  },
  { command: 'capture', names: ['s'], does: 'Save a capture of what the screen shows', group: 'act' },
  { command: 'help', names: ['?'], does: 'Show this help', group: 'act', hint: 'help' },
  { command: 'quit', names: ['q'], does: 'Quit', group: 'act', hint: 'quit' },
  { command: 'interrupt', names: ['ctrl-c'], does: 'Quit at once, from anywhere', group: 'act' },
];

/** What a key means; undefined where it means nothing. */
export function commandOf(name: string, situation: Situation): Command | undefined {
  return keys.find(({ names, where }) => names.includes(name) && (where === undefined || where === situation))?.command;
}

/** `j down` as the help shows it. */
export function keyText({ names }: Key): string {
  return names.join(' ');
}
