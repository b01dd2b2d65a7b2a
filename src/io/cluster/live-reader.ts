import type { Kind } from '../../core/kube/kinds.ts';
import { matchesLabelSelector, parseLabelSelector } from '../../core/kube/selectors.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';
import type { LiveList } from './live-list.ts';
import { tableOf } from './live-table.ts';
import type {
  AccessQuestion,
  ClusterReader,
  GetResult,
  ListOptions,
  ListResult,
  Refusal,
  TableOptions,
  TableResult,
  TableRow,
  WatchEvent,
  WatchState,
} from './reader.ts';

/** How long an answer about something that is not watched is used again. */
const usualFreshMs = 10_000;
const freshMs: Readonly<Partial<Record<Kind, number>>> = { Event: 5000, Pod: 5000 };
/** Rights and installed APIs seldom change. */
const refusedMs = 60_000;
const failedMs = 3000;
/** An answer is kept for at least this many times as long as it took. */
const restPerWork = 10;
const mostRemembered = 2000;
const purgeEveryMs = 60_000;
const pageSize = 500;

interface Remembered {
  readonly answer: Promise<unknown>;
  until: number;
}

/**
 * Answers from memory what is watched, and remembers other answers for some seconds. A diagnosis that is repeated at
 * every change then costs as much as what is stuck, not as much as the whole cluster.
 */
export class LiveReader implements ClusterReader {
  readonly #reader: ClusterReader;
  readonly #lists: readonly LiveList[];
  readonly #remembered = new Map<string, Remembered>();
  readonly #clock: () => number;
  #version: string | undefined;
  #purgeAt = 0;

  constructor(reader: ClusterReader, lists: readonly LiveList[], clock: () => number = () => performance.now()) {
    this.#reader = reader;
    this.#lists = lists;
    this.#clock = clock;
  }

  get name(): string {
    return this.#reader.name;
  }

  get server(): string {
    return this.#reader.server;
  }

  get namespace(): string {
    return this.#reader.namespace;
  }

  now(): Date {
    return this.#reader.now();
  }

  close(): void {
    this.#reader.close();
  }

  mayI(question: AccessQuestion): Promise<boolean | undefined> {
    return this.#reader.mayI(question);
  }

  watch(
    kind: Kind,
    scope: Scope,
    from: string,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onState?: (state: WatchState) => void,
  ): Promise<Refusal | undefined> {
    return this.#reader.watch(kind, scope, from, onEvent, signal, onState);
  }

  async serverVersion(): Promise<string | undefined> {
    this.#version ??= await this.#reader.serverVersion();
    return this.#version;
  }

  /**
   * Some objects of the kind have changed, perhaps others as well: answers about it are used for a second more at most.
   */
  doubt(kind: Kind): void {
    const soon = this.#clock() + 1000;
    for (const [key, entry] of this.#remembered)
      if (key.split('|', 2)[1] === kind) entry.until = Math.min(entry.until, soon);
  }

  /** Drops every remembered answer. */
  forget(): void {
    this.#remembered.clear();
  }

  async get(kind: Kind, namespace: string | undefined, name: string): Promise<GetResult> {
    const list = this.#lists.find(
      (candidate) =>
        candidate.isListed &&
        isWhole(candidate) &&
        covers(candidate, kind, { ...(namespace !== undefined && { namespace }) }),
    );
    if (list === undefined)
      return this.#remember('get', kind, { ...(namespace !== undefined && { namespace }), name }, () =>
        this.#reader.get(kind, namespace, name),
      );
    const object = list.find(namespace, name);
    return object === undefined ? { state: 'missing' } : { state: 'found', object };
  }

  async list(kind: Kind, scope: Scope, { keep, ...options }: ListOptions = {}): Promise<ListResult> {
    const result = await this.#listAll(kind, scope, options);
    return keep !== undefined && 'objects' in result ? { ...result, objects: result.objects.filter(keep) } : result;
  }

  async #listAll(kind: Kind, scope: Scope, options: ListOptions): Promise<ListResult> {
    const refused = this.#refusalOf(kind, scope);
    if (refused) return refused;
    const known = this.#known(kind, scope);
    if (known === undefined) {
      if (options.limit !== undefined) return this.#reader.list(kind, scope, options);
      // A list that was ended after its first page ends there for the next caller too: the narrow reads that replace it
      // are remembered.
      return this.#remember(
        `list ${options.form ?? ''}${options.isEnough === undefined ? '' : ' or less'}`,
        kind,
        scope,
        () => this.#reader.list(kind, scope, options),
      );
    }
    const first = known.slice(0, options.limit ?? pageSize);
    const isLeftOff =
      options.limit !== undefined
        ? known.length > options.limit
        : known.length > pageSize && options.isEnough?.(first, known.length - first.length) === true;
    return isLeftOff ? { state: 'partial', objects: first } : { state: 'complete', objects: known };
  }

  async listTable(kind: Kind, scope: Scope, options?: TableOptions): Promise<TableResult> {
    const refused = this.#refusalOf(kind, scope);
    if (refused) return refused;
    const known = this.#known(kind, scope);
    if (known !== undefined) return tableOf(kind, known, options?.keep) ?? { state: 'complete', objects: known };
    // All rows are kept: the next caller may need others.
    const { keep, ...rest } = options ?? {};
    const table = await this.#remember(`table ${rest.form ?? ''} ${rest.limit ?? ''}`, kind, scope, () =>
      this.#reader.listTable(kind, scope, rest),
    );
    return keep !== undefined && 'rows' in table ? { ...table, rows: table.rows.filter(keep) } : table;
  }

  async readRow(kind: Kind, scope: Scope, row: TableRow, hint?: string): Promise<ListResult> {
    const known = this.#known(kind, {
      ...(row.namespace !== undefined && { namespace: row.namespace }),
      name: row.name,
    });
    if (known !== undefined) return { state: 'complete', objects: known };
    return this.#remember(
      `row ${row.namespace ?? ''} ${row.cells['status'] ?? ''} ${hint ?? ''}`,
      kind,
      { ...scope, name: row.name },
      () => this.#reader.readRow(kind, scope, row, hint),
    );
  }

  #refusalOf(kind: Kind, scope: Scope): Refusal | undefined {
    const exact = this.#lists.find((list) => scopeKey(list.kind, list.scope) === scopeKey(kind, scope));
    return exact?.state.state === 'refused' ? exact.state.refusal : undefined;
  }

  /** The objects of a scope, if a watched list has all of them. */
  #known(kind: Kind, scope: Scope): readonly RawObject[] | undefined {
    const exact = this.#lists.find(
      (list) => list.isListed && scopeKey(list.kind, list.scope) === scopeKey(kind, scope),
    );
    if (exact) return exact.objects();
    const list = this.#lists.find(
      (candidate) => candidate.isListed && isWhole(candidate) && covers(candidate, kind, scope),
    );
    const selects = list && selectorOf(scope);
    return selects && list.objects().filter(selects);
  }

  /** Answers that are too old to be used can be long lists, and a server runs for weeks. */
  #purge(now: number): void {
    for (const [old, { until }] of this.#remembered) if (until <= now) this.#remembered.delete(old);
    this.#purgeAt = now + purgeEveryMs;
  }

  async #remember<Result extends { readonly state: string; readonly failure?: Refusal }>(
    verb: string,
    kind: Kind,
    scope: Scope,
    read: () => Promise<Result>,
  ): Promise<Result> {
    const key = `${verb}|${scopeKey(kind, scope)}`;
    const now = this.#clock();
    const known = this.#remembered.get(key);
    if (known !== undefined && known.until > now) return known.answer as Promise<Result>;
    if (now >= this.#purgeAt || this.#remembered.size >= mostRemembered) this.#purge(now);
    const entry: Remembered = { answer: read(), until: Number.POSITIVE_INFINITY };
    this.#remembered.set(key, entry);
    try {
      const result = (await entry.answer) as Result;
      const taken = this.#clock() - now;
      const state = result.failure !== undefined ? 'failed' : result.state;
      entry.until = this.#clock() + lifetimeMs(kind, state, taken);
      return result;
    } catch (error) {
      if (this.#remembered.get(key) === entry) this.#remembered.delete(key);
      throw error;
    }
  }
}

function lifetimeMs(kind: Kind, state: string, takenMs: number): number {
  if (state === 'failed') return failedMs;
  if (state === 'denied' || state === 'absentApi') return refusedMs;
  return Math.max(freshMs[kind] ?? usualFreshMs, takenMs * restPerWork);
}

const isWhole = ({ scope }: LiveList): boolean =>
  scope.fieldSelector === undefined && scope.labelSelector === undefined && scope.name === undefined;

const covers = (list: LiveList, kind: Kind, scope: Scope): boolean =>
  list.kind === kind && (list.scope.namespace === undefined || list.scope.namespace === scope.namespace);

/** Undefined for a selector that only the server can evaluate. */
function selectorOf({
  namespace,
  name,
  fieldSelector,
  labelSelector,
}: Scope): ((object: RawObject) => boolean) | undefined {
  const named = fieldSelector === undefined ? undefined : /^metadata\.name==?([^,=!]+)$/.exec(fieldSelector)?.[1];
  if (fieldSelector !== undefined && named === undefined) return undefined;
  const labels = labelSelector === undefined ? undefined : parseLabelSelector(labelSelector);
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (name === undefined || metadata.name === name) &&
    (named === undefined || metadata.name === named) &&
    (labels === undefined ||
      matchesLabelSelector(labels, (metadata['labels'] ?? {}) as Readonly<Record<string, string>>));
}
