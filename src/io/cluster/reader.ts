import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';

/** Why a read did not succeed, in the states of an observation. */
export interface Refusal {
  readonly state: 'denied' | 'absentApi' | 'failed';
  /** The server's message. */
  readonly message: string;
}

export type GetResult =
  { readonly state: 'found'; readonly object: RawObject } | { readonly state: 'missing' } | Refusal;

interface Listed {
  readonly state: 'complete' | 'partial';
  readonly objects: readonly RawObject[];
  /** The version to start a watch from. */
  readonly resourceVersion?: string;
  /** Why the rest could not be read; a list that was ended on purpose has none. */
  readonly failure?: Refusal;
}
export type ListResult = Listed | Refusal;

export interface ListOptions {
  /**
   * Answer from the server's cache (resourceVersion=0): perhaps seconds old, and without regard to the limit. Only for
   * few objects that are checked afterwards.
   */
  readonly isAnyVersion?: boolean;
  /** metadata: PartialObjectMetadata instead of whole objects. */
  readonly form?: 'full' | 'metadata';
  /** Stop after this many objects; the result is then partial. */
  readonly limit?: number;
  /** Called after the first page with the number of objects left; true leaves the rest unread. */
  readonly isEnough?: (page: readonly RawObject[], remaining: number) => boolean;
  /** Called for each object as its page arrives; the others are dropped, so that a long list needs no memory. */
  readonly keep?: (object: RawObject) => boolean;
}

export interface TableOptions {
  /**
   * cells: a tenth of the bytes, but without namespaces and metadata, so that a table of the whole cluster has names
   * only.
   */
  readonly form?: 'cells' | 'metadata';
  /** Called for each row as its page arrives; the others are dropped, so that a long table needs no memory. */
  readonly keep?: (row: TableRow) => boolean;
  readonly limit?: number;
}

export interface TableRow {
  readonly name: string;
  /** Also absent in a table of cells, which does not show it. */
  readonly namespace?: string;
  /** The cells by the lower-case name of their column. */
  readonly cells: Readonly<Record<string, string>>;
  /** The metadata of the object; empty in a table of cells. */
  readonly metadata: Readonly<Record<string, unknown>>;
}
export interface Table {
  /** partial: the rest could not be read, or is beyond the limit. */
  readonly state: 'complete' | 'partial';
  /** The rows that were kept. */
  readonly rows: readonly TableRow[];
  /** The number of all rows. */
  readonly looked: number;
  /** The number of rows by their column `status`; empty for a kind without that column. */
  readonly states: Readonly<Record<string, number>>;
  /** Why the rest could not be read. */
  readonly failure?: Refusal;
}
/** A server that does not support tables answers with the objects themselves. */
export type TableResult = Table | Listed | Refusal;

/** Why a list is not known as a whole; undefined if it is, or if it was ended on purpose. */
export function refusalOf(result: ListResult | TableResult): Refusal | undefined {
  return 'objects' in result || 'rows' in result ? result.failure : result;
}

export type WatchEvent =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: RawObject }
  /** The watch had lost its place: these are all objects that exist now. */
  | { readonly type: 'relisted'; readonly objects: readonly RawObject[] };

/** Whether a watch is connected, or cut off and trying again. */
export type WatchState = { readonly state: 'following' } | { readonly state: 'broken'; readonly message: string };

/** One right, in the fields of a SelfSubjectAccessReview. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
}

/** What one answer contained, for -v: whole objects, or rows of a table and metadata. */
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
 * The only way to read a cluster. Expected refusals are values; an EnvironmentError is thrown when the server cannot be
 * reached at all or does not accept the credentials.
 */
export interface ClusterReader {
  /** The name of the cluster for people: the context, or the server's address. */
  readonly name: string;
  readonly server: string;
  /** The default namespace. */
  readonly namespace: string;
  get(kind: Kind, namespace: string | undefined, name: string): Promise<GetResult>;
  list(kind: Kind, scope: Scope, options?: ListOptions): Promise<ListResult>;
  listTable(kind: Kind, scope: Scope, options?: TableOptions): Promise<TableResult>;
  /**
   * The object of a row of listTable for the same scope; none if it no longer exists. For a row without a namespace:
   * all objects with its name and state. `hint` is the namespace it is probably in.
   */
  readRow(kind: Kind, scope: Scope, row: TableRow, hint?: string): Promise<ListResult>;
  /** Ends with the signal, or with the refusal that ended it. */
  watch(
    kind: Kind,
    scope: Scope,
    resourceVersion: string,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onState?: (state: WatchState) => void,
  ): Promise<Refusal | undefined>;
  serverVersion(): Promise<string | undefined>;
  /** Whether this user has the right; undefined if the server does not answer. */
  mayI(question: AccessQuestion): Promise<boolean | undefined>;
  /** Whether each round of requests is a wait, as far as the answers so far show it. */
  readonly isDistant?: boolean;
  /** Now, by the server's clock if it is known. */
  now(): Date;
  close(): void;
}
