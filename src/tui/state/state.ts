import type { ObjectRef } from '../../core/report/report.ts';
import type { RowKind } from '../../core/report/rows.ts';
import type { Frame, Place } from '../ports.ts';
import { noAnswers } from './answers.ts';
import type { Answers } from './answers.ts';

export const tabs = [
  'stuck',
  'claims',
  'pods',
  'volumes',
  'classes',
  'drivers',
  'attachments',
  'snapshots',
  'events',
] as const;
export type Tab = (typeof tabs)[number];

/** The kinds behind the tabs that are plain tables. */
export const tabKinds: Readonly<Partial<Record<Tab, RowKind>>> = {
  claims: 'PersistentVolumeClaim',
  pods: 'Pod',
  volumes: 'PersistentVolume',
  classes: 'StorageClass',
  attachments: 'VolumeAttachment',
  snapshots: 'VolumeSnapshot',
};

/** What a table can be sorted by: its names, its ages, or how bad its rows are. */
export type SortKey = 'name' | 'age' | 'cause';

export interface Sort {
  readonly by: SortKey;
  readonly isReversed: boolean;
}

/** The order in which rows arrive. */
export const byName: Sort = { by: 'name', isReversed: false };

export const panes = ['journey', 'chain', 'timeline', 'events', 'yaml'] as const;
export type Pane = (typeof panes)[number];

/** Where the user is in a list or a text. */
export interface Position {
  /** The line under the cursor. */
  readonly cursor: number;
  /** The id of what is under the cursor, so that the cursor stays on it when lines are added or removed above. */
  readonly id?: string | undefined;
  /** The first line on the screen. */
  readonly top: number;
  /** How many columns are scrolled off to the left. */
  readonly left: number;
  /** In a list: only lines with this word are shown. In a text: lines with this word are found. */
  readonly wanted: string;
}

export const start: Position = { cursor: 0, top: 0, left: 0, wanted: '' };

interface ObjectView {
  readonly type: 'object';
  readonly target: ObjectRef;
  readonly pane: Pane;
  readonly positions: Readonly<Partial<Record<Pane, Position>>>;
}

/** What was opened from a tab and covers it. */
export type View =
  | ObjectView
  | { readonly type: 'cause'; readonly cause: string; readonly position: Position }
  | { readonly type: 'probe'; readonly driver: string; readonly exec: boolean; readonly position: Position }
  /** The log of the component that owns the stage at which the object is stuck. */
  | { readonly type: 'log'; readonly target: ObjectRef; readonly position: Position }
  | { readonly type: 'help'; readonly position: Position };

/** A line of text that is being typed. */
export interface Prompt {
  readonly purpose: 'wanted' | 'command' | 'capture';
  readonly text: string;
}

/** A list from which one entry is chosen. */
export interface Chooser {
  readonly purpose: 'namespace' | 'context' | 'copy';
  readonly position: Position;
  /** The entries, where they are known at once. */
  readonly offers?: readonly string[];
}

/** Whether to probe a driver: the one that is named, or the one that serves the object. */
export interface Question {
  readonly driver?: string | undefined;
  readonly target?: ObjectRef;
}

/** A message in the last line, until the next key. */
export interface Remark {
  readonly text: string;
  readonly isTrouble: boolean;
}

export interface State {
  /** All findings, all evidence and all columns are shown. */
  readonly isWide: boolean;
  readonly place: Place;
  readonly frame: Frame | undefined;
  /** When the frame arrived, by the clock of `performance.now()`. */
  readonly frameReceivedAt: number;
  /** How many frames have arrived. */
  readonly frames: number;
  /** Why the cluster could not be opened. */
  readonly failure: string | undefined;
  readonly tab: Tab;
  readonly positions: Readonly<Partial<Record<Tab, Position>>>;
  /** Tables that are not sorted by name. */
  readonly sorts: Readonly<Partial<Record<Tab, Sort>>>;
  /** The causes whose subjects are shown. */
  readonly unfolded: ReadonlySet<string>;
  /** The latest is the one on the screen. */
  readonly views: readonly View[];
  readonly prompt: Prompt | undefined;
  readonly chooser: Chooser | undefined;
  readonly question: Question | undefined;
  readonly remark: Remark | undefined;
  readonly answers: Answers;
}

export function initialState(place: Place): State {
  return {
    isWide: false,
    place,
    frame: undefined,
    frameReceivedAt: 0,
    frames: 0,
    failure: undefined,
    tab: 'stuck',
    positions: {},
    sorts: {},
    unfolded: new Set(),
    views: [],
    prompt: undefined,
    chooser: undefined,
    question: undefined,
    remark: undefined,
    answers: noAnswers,
  };
}
