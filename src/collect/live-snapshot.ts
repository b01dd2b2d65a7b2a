import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../model/kinds.ts';
import type { Scope } from '../model/snapshot.ts';
import { LiveList } from './live-list.ts';
import type { ListState } from './live-list.ts';
import { LiveReader } from './live-reader.ts';
import type { ClusterReader } from './reader.ts';

export interface LiveFreshness {
  readonly state: 'connecting' | 'live' | 'stale';
  readonly since: Date;
  readonly reason?: string;
}

export interface LiveOptions {
  readonly watched: readonly { readonly kind: Kind; readonly scope: Scope }[];
  /** Something changed, or how fresh it is. */
  readonly onChange: () => void;
  readonly beatMs?: number;
  /** How long the server may take to say that it is there. */
  readonly patienceMs?: number;
}

/** A line that is dead without having been closed shows only when something is asked through it. */
const usualBeatMs = 10_000;
const usualPatienceMs = 8000;
/** The events about these are among the first things that change. */
const spokenOf: readonly Kind[] = ['PersistentVolumeClaim', 'Pod', 'VolumeSnapshot', 'VolumeAttachment'];

/** A cluster as it is now: some kinds are watched, the rest is read when it is asked for and remembered for some seconds. */
export class LiveSnapshot {
  readonly reader: LiveReader;
  readonly #source: ClusterReader;
  readonly #lists: readonly LiveList[];
  readonly #options: LiveOptions;
  readonly #ending = new AbortController();
  #following: Promise<unknown> = Promise.resolve();
  #lastBeat: Date;
  #silence: { readonly since: Date; readonly reason: string } | undefined;
  #liveSince: Date | undefined;

  constructor(source: ClusterReader, options: LiveOptions) {
    this.#source = source;
    this.#options = options;
    this.#lastBeat = source.now();
    this.#lists = options.watched.map(({ kind, scope }) => new LiveList(source, kind, scope, () => this.#noteChange(kind, scope)));
    this.reader = new LiveReader(source, this.#lists);
  }

  /** Begins to watch. Before, every question goes to the server. */
  start(): void {
    const { signal } = this.#ending;
    this.#following = Promise.all([...this.#lists.map((list) => list.follow(signal)), this.#beat(signal)]);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  /** How each watched kind fares. */
  states(): readonly { readonly kind: Kind; readonly scope: Scope; readonly state: ListState }[] {
    return this.#lists.map(({ kind, scope, state }) => ({ kind, scope, state }));
  }

  /** All is live, or since when the oldest part is not. A kind that is refused is no less fresh for it. */
  freshness(): LiveFreshness {
    const states = this.#lists.map(({ state }) => state);
    const stale = states.filter((state) => state.state === 'stale').sort((a, b) => a.since.getTime() - b.since.getTime());
    const [worst] = [...(this.#silence ? [this.#silence] : []), ...stale];
    if (worst !== undefined) {
      this.#liveSince = undefined;
      return { state: 'stale', since: worst.since, reason: worst.reason };
    }
    if (states.some(({ state }) => state === 'reading')) return { state: 'connecting', since: this.#lastBeat };
    this.#liveSince ??= this.#source.now();
    return { state: 'live', since: this.#liveSince };
  }

  #noteChange(kind: Kind, scope: Scope): void {
    if (scope.fieldSelector !== undefined || scope.labelSelector !== undefined) this.reader.doubt(kind);
    if (spokenOf.includes(kind)) this.reader.doubt('Event');
    this.#options.onChange();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { beatMs = usualBeatMs, patienceMs = usualPatienceMs } = this.#options;
    for (let hasAnswered = false; !signal.aborted; await sleep(beatMs, undefined, { signal }).catch(() => undefined)) {
      const limit = new AbortController();
      const answer = await Promise.race([
        this.#source.serverVersion().then((version) => (version === undefined && hasAnswered ? 'the server does not answer' : true), (error: Error) => error.message),
        sleep(patienceMs, 'the server does not answer', { signal: AbortSignal.any([signal, limit.signal]) }).catch(() => true),
      ]);
      limit.abort();
      if (signal.aborted) return;
      const wasSilent = this.#silence !== undefined;
      if (typeof answer === 'string') this.#silence ??= { since: this.#lastBeat, reason: answer };
      else {
        hasAnswered = true;
        this.#lastBeat = this.#source.now();
        this.#silence = undefined;
      }
      if (wasSilent !== (this.#silence !== undefined)) this.#options.onChange();
    }
  }
}
