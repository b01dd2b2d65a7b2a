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
  /** A word for the last line of the screen, for keys that are likely to be wanted. */
  readonly hint?: string;
}

const tabWords: Readonly<Record<Tab, string>> = {
  stuck: 'what is stuck, by cause',
  claims: 'the claims',
  volumes: 'the volumes',
  drivers: 'the drivers and where they run',
  attachments: 'the attachments',
  snapshots: 'the snapshots',
  timeline: 'what the components said, the newest first',
};

/** All keys: the program acts on this table, and the help prints it. */
export const keys: readonly Key[] = [
  { command: 'down', names: ['j', 'down'], does: 'one line down', group: 'move' },
  { command: 'up', names: ['k', 'up'], does: 'one line up', group: 'move' },
  { command: 'top', names: ['g', 'home'], does: 'to the first line', group: 'move' },
  { command: 'bottom', names: ['G', 'end'], does: 'to the last line', group: 'move' },
  { command: 'halfDown', names: ['ctrl-d'], does: 'half a screen down', group: 'move' },
  { command: 'halfUp', names: ['ctrl-u'], does: 'half a screen up', group: 'move' },
  { command: 'pageDown', names: ['ctrl-f', 'pagedown'], does: 'a screen down', group: 'move' },
  { command: 'pageUp', names: ['ctrl-b', 'pageup'], does: 'a screen up', group: 'move' },
  { command: 'right', names: ['l', 'right'], does: 'what is cut off on the right', group: 'move' },
  { command: 'left', names: ['h', 'left'], does: 'back to the left', group: 'move' },
  {
    command: 'enter',
    names: ['enter'],
    does: 'go in: the subjects of a cause, an object, the page of its cause',
    group: 'move',
    hint: 'open',
  },
  { command: 'back', names: ['esc', 'backspace'], does: 'back, or clear the filter', group: 'move', hint: 'back' },
  ...tabs.map((tab, index): Key => ({
    command: `tab ${tab}`,
    names: [String(index + 1)],
    does: tabWords[tab],
    group: 'look',
  })),
  {
    command: 'nextPane',
    names: ['tab'],
    does: 'the next pane of the object, or the next tab',
    group: 'look',
    hint: 'next',
  },
  { command: 'previousPane', names: ['shift-tab'], does: 'the one before', group: 'look' },
  { command: 'journey', names: ['d'], does: 'the journey: stages, evidence, fixes', group: 'look', hint: 'journey' },
  {
    command: 'chain',
    names: ['r'],
    does: 'the related objects: pod, claim, volume, attachment, node, driver',
    group: 'look',
    hint: 'related',
  },
  { command: 'timeline', names: ['t'], does: 'the timeline of the object', group: 'look' },
  { command: 'events', names: ['e'], does: 'the events of the object', group: 'look', hint: 'events' },
  { command: 'yaml', names: ['v'], does: 'the object as YAML', group: 'look', hint: 'yaml' },
  { command: 'explain', names: ['x'], does: 'the page of the cause', group: 'look', hint: 'explain' },
  { command: 'fold', names: ['space'], does: 'show or hide the subjects of a cause', group: 'look', where: 'list' },
  { command: 'wide', names: ['w'], does: 'all evidence and all columns, or the usual ones', group: 'look' },
  {
    command: 'wanted',
    names: ['/'],
    does: 'only lines with a word; in a text, find it',
    group: 'find',
    hint: 'filter',
  },
  { command: 'nextFound', names: ['n'], does: 'in a text: the next one found', group: 'find', where: 'text' },
  { command: 'previousFound', names: ['N'], does: 'in a text: the one before', group: 'find', where: 'text' },
  {
    command: 'namespace',
    names: ['n'],
    does: 'in a list: choose a namespace',
    group: 'find',
    where: 'list',
    hint: 'namespace',
  },
  { command: 'everywhere', names: ['0'], does: 'all namespaces', group: 'find' },
  { command: 'context', names: ['c'], does: 'choose a context', group: 'find' },
  { command: 'prompt', names: [':'], does: 'a command: :ns NAME, :ctx NAME, :claims, :q', group: 'find' },
  { command: 'copy', names: ['y'], does: 'copy a command of the fix', group: 'act', hint: 'copy fix' },
  {
    command: 'probe',
    names: ['p'],
    does: 'probe the driver; asks before anything is executed',
    group: 'act',
    hint: 'probe',
  },
  { command: 'capture', names: ['s'], does: 'save a capture of what is on the screen', group: 'act' },
  { command: 'help', names: ['?'], does: 'this help', group: 'act', hint: 'help' },
  { command: 'quit', names: ['q'], does: 'quit', group: 'act', hint: 'quit' },
  { command: 'interrupt', names: ['ctrl-c'], does: 'quit at once, from anywhere', group: 'act' },
];

/** What a key means; undefined where it means nothing. */
export function commandOf(name: string, situation: Situation): Command | undefined {
  return keys.find(({ names, where }) => names.includes(name) && (where === undefined || where === situation))?.command;
}

/** `j down` as the help shows it. */
export function keyText({ names }: Key): string {
  return names.join(' ');
}
