import type { Happenings } from '../../core/report/happenings.ts';
import type { ProbeReport } from '../../core/report/probe-report.ts';
import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import type { RowKind } from '../../core/report/rows.ts';
import type { Status } from '../../core/report/status.ts';
import type { Trace } from '../../core/report/trace.ts';
import type { Frame, KindRows, Place } from '../ports.ts';
import type { Look } from '../theme.ts';

export const tabs = ['stuck', 'claims', 'volumes', 'drivers', 'attachments', 'snapshots', 'timeline'] as const;
export type Tab = (typeof tabs)[number];

/** The kinds behind the tabs that are plain tables. */
export const tabKinds: Readonly<Partial<Record<Tab, RowKind>>> = {
  claims: 'PersistentVolumeClaim',
  volumes: 'PersistentVolume',
  attachments: 'VolumeAttachment',
  snapshots: 'VolumeSnapshot',
};

export const panes = ['journey', 'chain', 'timeline', 'events', 'yaml'] as const;
export type Pane = (typeof panes)[number];

/** Where someone stands in a list or a text. */
export interface Position {
  /** The line under the cursor. */
  readonly cursor: number;
  /** What is under the cursor, so that it is found again when lines come and go above it. */
  readonly key?: string | undefined;
  readonly top: number;
  /** The columns that are scrolled away on the left. */
  readonly left: number;
  /** In a list: only lines with this are shown. In a text: lines with this are found. */
  readonly wanted: string;
}

export const start: Position = { cursor: 0, top: 0, left: 0, wanted: '' };

/** What lies over the tab, the topmost last. */
export type View =
  | {
      readonly type: 'object';
      readonly target: ObjectRef;
      readonly pane: Pane;
      readonly positions: Readonly<Partial<Record<Pane, Position>>>;
    }
  | { readonly type: 'cause'; readonly cause: string; readonly position: Position }
  | { readonly type: 'probe'; readonly driver: string; readonly exec: boolean; readonly position: Position }
  | { readonly type: 'help'; readonly position: Position };

/** A line of text that is being typed. */
export interface Prompt {
  readonly purpose: 'wanted' | 'command' | 'capture';
  readonly text: string;
}

/** A list to choose one thing of. */
export interface Chooser {
  readonly purpose: 'namespace' | 'context' | 'copy';
  readonly position: Position;
  /** What is offered, where that is known at once. */
  readonly offers?: readonly string[];
}

/** Whether to probe a driver: the one that is named, or the one that serves the object. */
export interface Question {
  readonly driver?: string | undefined;
  readonly target?: ObjectRef;
}

/** A remark at the foot of the screen, until the next key. */
export interface Remark {
  readonly text: string;
  readonly isTrouble: boolean;
}

/** What the screen may lack, and what it is when it has come. */
export interface Wanted {
  readonly why: ReportItem | undefined;
  readonly trace: Trace | undefined;
  readonly page: string | undefined;
  readonly yaml: string | undefined;
  readonly rows: KindRows;
  readonly status: Status;
  readonly events: Happenings;
  readonly namespaces: readonly string[];
  readonly contexts: readonly string[];
  readonly probe: ProbeReport;
}

export type Want =
  | { readonly type: 'why' | 'trace' | 'yaml'; readonly target: ObjectRef }
  | { readonly type: 'events'; readonly target?: ObjectRef }
  | { readonly type: 'page'; readonly cause: string }
  | { readonly type: 'rows'; readonly kind: RowKind }
  | { readonly type: 'probe'; readonly driver: string; readonly exec: boolean }
  | { readonly type: 'status' | 'namespaces' | 'contexts' };

export interface Answer {
  /** What it was at last; an older one is shown until the newer one has come. */
  readonly value?: Wanted[keyof Wanted];
  readonly hasValue: boolean;
  readonly trouble?: string;
  /** The frame that it belongs to. */
  readonly frame: number;
}

export interface State {
  readonly size: { readonly columns: number; readonly rows: number };
  readonly look: Look;
  /** All findings and all evidence are shown. */
  readonly isWide: boolean;
  readonly place: Place;
  readonly frame: Frame | undefined;
  /** How many frames there were. */
  readonly frames: number;
  /** Why the cluster could not be opened. */
  readonly failure: string | undefined;
  readonly tab: Tab;
  readonly positions: Readonly<Partial<Record<Tab, Position>>>;
  /** The causes whose subjects are shown. */
  readonly unfolded: ReadonlySet<string>;
  readonly views: readonly View[];
  readonly prompt: Prompt | undefined;
  readonly chooser: Chooser | undefined;
  readonly question: Question | undefined;
  readonly remark: Remark | undefined;
  readonly answers: ReadonlyMap<string, Answer>;
}

export function initialState(options: Pick<State, 'size' | 'look' | 'place'>): State {
  return {
    ...options,
    isWide: false,
    frame: undefined,
    frames: 0,
    failure: undefined,
    tab: 'stuck',
    positions: {},
    unfolded: new Set(),
    views: [],
    prompt: undefined,
    chooser: undefined,
    question: undefined,
    remark: undefined,
    answers: new Map(),
  };
}

export function wantKey(want: Want): string {
  const target =
    'target' in want && want.target !== undefined
      ? `${want.target.kind}|${want.target.namespace ?? ''}|${want.target.name}`
      : '';
  const rest =
    'cause' in want ? want.cause : 'kind' in want ? want.kind : 'driver' in want ? `${want.driver}|${want.exec}` : '';
  return [want.type, target, rest].join('|');
}

/** The newest that is known of it. */
export function answerTo<W extends Want>(
  state: State,
  want: W,
): { readonly value?: Wanted[W['type']]; readonly hasValue: boolean; readonly trouble?: string } {
  return (state.answers.get(wantKey(want)) ?? { hasValue: false }) as {
    readonly value?: Wanted[W['type']];
    readonly hasValue: boolean;
    readonly trouble?: string;
  };
}
