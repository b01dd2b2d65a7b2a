import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';

/** How one read ended when it did not succeed; the same words as an observation's. */
export interface Refusal {
  readonly state: 'denied' | 'absentApi' | 'failed';
  /** The server's words. */
  readonly message: string;
}

export type GetResult =
  { readonly state: 'found'; readonly object: RawObject } | { readonly state: 'missing' } | Refusal;

export interface Listed {
  readonly state: 'complete' | 'partial';
  readonly objects: readonly RawObject[];
  /** Where a watch may begin. */
  readonly resourceVersion?: string;
}
export type ListResult = Listed | Refusal;

export interface ListOptions {
  /** Whatever the server has at hand, which may be seconds old; it may then leave a limit out of account. For what is checked or few only. */
  readonly isAnyVersion?: boolean;
  /** metadata: names, labels and the like only. */
  readonly form?: 'full' | 'metadata';
  /** Stop after so many objects; the result is then partial. */
  readonly limit?: number;
  /** Asked after the first page, with how many objects are left: true leaves the rest unread. */
  readonly isEnough?: (page: readonly RawObject[], remaining: number) => boolean;
  /** Asked of each object as its page comes: what it refuses is forgotten, so that a long list needs no memory. */
  readonly keep?: (object: RawObject) => boolean;
}

export interface TableOptions {
  /** cells: a tenth of the bytes, but neither namespaces nor metadata; a list of the whole cluster then tells names only. */
  readonly form?: 'cells' | 'metadata';
  /** Asked of each row as its page comes: what it refuses is forgotten, so that a long table needs no memory. */
  readonly keep?: (row: TableRow) => boolean;
  readonly limit?: number;
}

export interface TableRow {
  readonly name: string;
  /** Absent where it is not known, too: see TableOptions. */
  readonly namespace?: string;
  /** The cells by the lower-case name of their column. */
  readonly cells: Readonly<Record<string, string>>;
  /** The metadata of the object; empty in a table of cells. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
export interface Table {
  readonly state: 'complete';
  /** Those that were kept. */
  readonly rows: readonly TableRow[];
  /** How many rows there were. */
  readonly looked: number;
  /** All rows by what their column `status` says; empty for a kind without that column. */
  readonly states: Readonly<Record<string, number>>;
}
/** A server that makes no tables answers with the objects themselves. */
export type TableResult = Table | Listed | Refusal;

export type WatchEvent =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: RawObject }
  /** The watch lost its place: these are all the objects there are now. */
  | { readonly type: 'relisted'; readonly objects: readonly RawObject[] };

/** How a watch fares between its events: it follows, or it is cut off and tries again. */
export type WatchState = { readonly state: 'following' } | { readonly state: 'broken'; readonly message: string };

/** One right, as the server's own reviews describe it. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
}

/** How much one answer held, for -v: whole objects, or rows of a table and metadata. */
export interface ReadCount {
  readonly objects?: number;
  readonly rows?: number;
}

/** One request that was made, for -v. */
export interface RequestTrace {
  readonly method: string;
  readonly path: string;
  /** 0 when no answer came. */
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
}

/**
 * The only way to a cluster. Expected refusals are values; an EnvironmentError is thrown when the server cannot be
 * reached at all or takes nobody's word for who we are.
 */
export interface ClusterReader {
  /** What people call this cluster: the context, or the server's address. */
  readonly name: string;
  readonly server: string;
  /** The namespace that is meant when none is named. */
  readonly namespace: string;
  get(kind: Kind, namespace: string | undefined, name: string): Promise<GetResult>;
  list(kind: Kind, scope: Scope, options?: ListOptions): Promise<ListResult>;
  listTable(kind: Kind, scope: Scope, options?: TableOptions): Promise<TableResult>;
  /**
   * The object of a row that listTable gave for this scope; none if it is gone. Of a row without a namespace: all objects of its name and
   * state. `hint` is a namespace where it probably lies.
   */
  readRow(kind: Kind, scope: Scope, row: TableRow, hint?: string): Promise<ListResult>;
  /** Ends when the signal does, or with the refusal that ended it. */
  watch(
    kind: Kind,
    scope: Scope,
    resourceVersion: string,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onState?: (state: WatchState) => void,
  ): Promise<Refusal | undefined>;
  serverVersion(): Promise<string | undefined>;
  /** Whether this user may do it; undefined when the server does not tell. */
  mayI(question: AccessQuestion): Promise<boolean | undefined>;
  /** Now, by the server's clock where it told. */
  now(): Date;
  close(): void;
}
