import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Scope } from '../../core/kube/snapshot.ts';
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
  /** Called when objects have changed, or their freshness. */
  readonly onChange: () => void;
  readonly beatMs?: number;
  /** How long the server may take to answer a heartbeat. */
  readonly patienceMs?: number;
}

/** A dead connection that was never closed shows only when something is asked over it. */
const usualBeatMs = 10_000;
const usualPatienceMs = 8000;
/** While the data are old, the server is asked more often. */
const silentBeatMs = 1000;
const noAnswer = 'the server does not answer';
/** When one of these changes, events about it are likely to be new. */
const kindsWithEvents: readonly Kind[] = ['PersistentVolumeClaim', 'Pod', 'VolumeSnapshot', 'VolumeAttachment'];

/** A cluster as it is now: some kinds are watched, others are read on demand and remembered for some seconds. */
export class LiveSnapshot {
  readonly reader: LiveReader;
  readonly #source: ClusterReader;
  readonly #lists: readonly LiveList[];
  readonly #options: LiveOptions;
  readonly #ending = new AbortController();
  #following: Promise<unknown> = Promise.resolve();
  #hasAnswered = false;
  #lastBeat: Date;
  #silence: { readonly since: Date; readonly reason: string } | undefined;
  #liveSince: Date | undefined;

  constructor(source: ClusterReader, options: LiveOptions) {
    this.#source = source;
    this.#options = options;
    this.#lastBeat = source.now();
    this.#lists = options.watched.map(
      ({ kind, scope }) => new LiveList(source, kind, scope, () => this.#noteChange(kind, scope)),
    );
    this.reader = new LiveReader(source, this.#lists);
  }

  /** Begins to watch; until then every question goes to the server. */
  start(): void {
    const { signal } = this.#ending;
    this.#following = Promise.all([...this.#lists.map((list) => list.follow(signal)), this.#beat(signal)]);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  /** The state of each watched kind. */
  states(): readonly { readonly kind: Kind; readonly scope: Scope; readonly state: ListState }[] {
    return this.#lists.map(({ kind, scope, state }) => ({ kind, scope, state }));
  }

  /** Whether everything is live, or since when the oldest part is not. A kind that is refused does not count. */
  freshness(): LiveFreshness {
    const states = this.#lists.map(({ state }) => state);
    const stale = states
      .filter((state) => state.state === 'stale')
      .sort((a, b) => a.since.getTime() - b.since.getTime());
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
    if (kindsWithEvents.includes(kind)) this.reader.doubt('Event');
    this.#options.onChange();
  }

  /** Asks the server whether it is there; the result shows in `freshness`. */
  async check(): Promise<void> {
    const { signal } = this.#ending;
    const limit = new AbortController();
    const answer = await Promise.race([
      this.#source.serverVersion().then(
        (version) => (version === undefined && this.#hasAnswered ? noAnswer : undefined),
        (error: Error) => error.message,
      ),
      sleep(this.#options.patienceMs ?? usualPatienceMs, noAnswer, {
        signal: AbortSignal.any([signal, limit.signal]),
      }).catch(() => undefined),
    ]);
    limit.abort();
    if (signal.aborted) return;
    const wasSilent = this.#silence !== undefined;
    if (answer === undefined) {
      this.#hasAnswered = true;
      this.#lastBeat = this.#source.now();
      this.#silence = undefined;
    } else this.#silence ??= { since: this.#lastBeat, reason: answer };
    // After an outage it may be another server, so earlier answers do not count.
    if (wasSilent && this.#silence === undefined) this.reader.forget();
    if (wasSilent !== (this.#silence !== undefined)) this.#options.onChange();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { beatMs = usualBeatMs } = this.#options;
    while (!signal.aborted) {
      await this.check();
      await sleep(this.#silence === undefined ? beatMs : Math.min(beatMs, silentBeatMs), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }
}
