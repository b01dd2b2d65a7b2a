import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../core/kube/errors.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { RawObject, Scope } from '../../core/kube/snapshot.ts';
import { objectKey } from '../identify.ts';
import { refusalOf } from './reader.ts';
import type { ClusterReader, Refusal, WatchEvent, WatchState } from './reader.ts';

/** reading: not listed yet. stale: the objects are those of `since`. refused: the server does not show them. */
export type ListState =
  | { readonly state: 'reading' | 'live' }
  | { readonly state: 'stale'; readonly since: Date; readonly reason: string }
  | { readonly state: 'refused'; readonly refusal: Refusal };

/** Rights may be granted and APIs installed in the meantime. */
const askAgainMs = 60_000;
const leastPauseMs = 500;
const mostPauseMs = 15_000;

/**
 * The objects of one kind in one scope, as they are now: listed once, then watched, and listed again when the watch has
 * lost its place.
 */
export class LiveList {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly #reader: ClusterReader;
  readonly #onChange: () => void;
  readonly #objects = new Map<string, RawObject>();
  #sorted: readonly RawObject[] | undefined;
  #state: ListState = { state: 'reading' };
  #isListed = false;

  constructor(reader: ClusterReader, kind: Kind, scope: Scope, onChange: () => void) {
    this.#reader = reader;
    this.kind = kind;
    this.scope = scope;
    this.#onChange = onChange;
  }

  get state(): ListState {
    return this.#state;
  }

  /** Whether the list has been read, so that an object that is not in it does not exist. */
  get isListed(): boolean {
    return this.#isListed;
  }

  find(namespace: string | undefined, name: string): RawObject | undefined {
    return this.#objects.get(`${this.kind}|${namespace ?? ''}|${name}`);
  }

  /** Sorted by namespace and name. */
  objects(): readonly RawObject[] {
    this.#sorted ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return this.#sorted;
  }

  /** Follows until the signal, even if the server fails. */
  async follow(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      const { trouble, wasListed } = await this.#followOnce(signal);
      if (signal.aborted) return;
      failures = wasListed ? 0 : failures + 1;
      if (trouble !== undefined) this.#noteTrouble(trouble);
      await sleep(this.#pauseMs(trouble, failures), undefined, { signal }).catch(() => undefined);
    }
  }

  #pauseMs(trouble: Refusal | undefined, failures: number): number {
    if (this.#state.state === 'refused') return askAgainMs;
    return trouble === undefined ? 0 : Math.min(leastPauseMs * 2 ** failures, mostPauseMs);
  }

  async #followOnce(signal: AbortSignal): Promise<{ readonly trouble?: Refusal; readonly wasListed: boolean }> {
    let wasListed = false;
    try {
      const listed = await this.#reader.list(this.kind, this.scope);
      const refusal = refusalOf(listed);
      if (refusal !== undefined || !('objects' in listed)) return { ...(refusal && { trouble: refusal }), wasListed };
      if (signal.aborted) return { wasListed };
      wasListed = true;
      this.#take({ type: 'relisted', objects: listed.objects });
      const trouble = await this.#watch(listed.resourceVersion ?? '0', signal);
      return { ...(trouble && { trouble }), wasListed };
    } catch (error) {
      return { trouble: { state: 'failed', message: messageOf(error) }, wasListed };
    }
  }

  /** Ends without a refusal when the server was away for a while: it may be another one, so the list is read again. */
  async #watch(from: string, signal: AbortSignal): Promise<Refusal | undefined> {
    const lost = new AbortController();
    let cuts = 0;
    const onState = (state: WatchState): void => {
      // Proxies cut connections now and then; a single cut is resumed at once and means nothing.
      if (state.state === 'broken') cuts += 1;
      if (state.state === 'broken' && cuts > 1) this.#noteTrouble({ state: 'failed', message: state.message });
      if (state.state === 'following' && cuts > 1) lost.abort();
      if (state.state === 'following') cuts = 0;
    };
    return this.#reader.watch(
      this.kind,
      this.scope,
      from,
      (event) => this.#take(event),
      AbortSignal.any([signal, lost.signal]),
      onState,
    );
  }

  #take(event: WatchEvent): void {
    if (event.type === 'relisted') {
      this.#objects.clear();
      for (const object of event.objects) this.#objects.set(objectKey(object), object);
    } else if (event.type === 'deleted') this.#objects.delete(objectKey(event.object));
    else this.#objects.set(objectKey(event.object), event.object);
    this.#sorted = undefined;
    this.#isListed = true;
    this.#state = { state: 'live' };
    this.#onChange();
  }

  #noteTrouble(trouble: Refusal): void {
    if (trouble.state === 'failed') {
      const since = this.#state.state === 'stale' ? this.#state.since : this.#reader.now();
      this.#state = { state: 'stale', since, reason: trouble.message };
    } else {
      // Objects that may no longer be read are no longer known.
      this.#objects.clear();
      this.#sorted = undefined;
      this.#isListed = false;
      this.#state = { state: 'refused', refusal: trouble };
    }
    this.#onChange();
  }
}

function messageOf(error: unknown): string {
  if (error instanceof EnvironmentError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
