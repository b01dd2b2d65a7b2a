import type { Kind } from '../../core/kube/kinds.ts';
import { pendingPods } from '../../core/kube/snapshot.ts';
import type { Scope, Snapshot } from '../../core/kube/snapshot.ts';
import type { Freshness } from '../../core/report/freshness.ts';
import { LiveSnapshot } from '../../io/cluster/live-snapshot.ts';
import type { LiveOptions } from '../../io/cluster/live-snapshot.ts';
import type { ClusterReader } from '../../io/cluster/reader.ts';

/** At most a few judgements a second, and at most a third of the time is spent on them. */
const usualPauseMs = 250;
const restPerWork = 2;
/** Changes come in bursts, which are judged together. */
const burstMs = 60;
/** What is not watched (events, leases) usually changes shortly after something that is. */
const afterChangeMs = 1500;
/** Even without a change: a wait may have become too long, and something that is not watched may have changed. */
const withoutChangeMs = 10_000;

/** What was computed from the cluster, and the snapshot it was computed from. */
export interface FollowedResult {
  readonly snapshot: Snapshot;
}

export interface FollowOptions<Result extends FollowedResult> extends Pick<LiveOptions, 'beatMs' | 'patienceMs'> {
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  /** The least time between two judgements. */
  readonly pauseMs?: number;
  /** After each judgement, and when the data went out of date or came back. */
  readonly onResult: (result: Result, freshness: Freshness) => void;
}

export interface Following<Result extends FollowedResult> {
  /** Reads through its memory are answered from what is watched. */
  readonly live: LiveSnapshot;
  /** Judges once, then watches and judges again whenever something changes. Rejects when the first judgement fails. */
  begin(judge: () => Promise<Result>, judgeFirst?: () => Promise<Result>): Promise<void>;
  close(): Promise<void>;
}

/** What a search for stuck objects reads, and the kinds that most of its questions are about. */
function watchedIn(namespace: string | undefined): { readonly kind: Kind; readonly scope: Scope }[] {
  const scope: Scope = { ...(namespace !== undefined && { namespace }) };
  const everywhere: readonly Kind[] = [
    'StorageClass',
    'CSIDriver',
    'CSINode',
    ...(namespace === undefined ? (['PersistentVolume', 'VolumeAttachment', 'Node'] as const) : []),
  ];
  return [
    { kind: 'PersistentVolumeClaim', scope },
    // Pods are many and large; one that has started has got its volumes.
    { kind: 'Pod', scope: { ...scope, fieldSelector: pendingPods } },
    { kind: 'StatefulSet', scope },
    { kind: 'VolumeSnapshot', scope },
    ...everywhere.map((kind) => ({ kind, scope: {} })),
  ];
}

/** Follows a cluster and judges it again after changes, as long as the server is there. */
export function followCluster<Result extends FollowedResult>(
  reader: ClusterReader,
  { namespace, pauseMs = usualPauseMs, onResult, ...heartbeat }: FollowOptions<Result>,
): Following<Result> {
  const ending = new AbortController();
  const alarm = createAlarm(ending.signal);
  let judgement: LiveJudgement<Result> | undefined;
  const live = new LiveSnapshot(reader, {
    ...heartbeat,
    watched: watchedIn(namespace),
    onChange: () => {
      alarm.ring();
      judgement?.showIfStale();
    },
  });
  let working: Promise<void> = Promise.resolve();
  return {
    live,
    async begin(judge, judgeFirst = judge) {
      const begun = reader.now();
      judgement = new LiveJudgement(live, judge, await judgeFirst(), begun, onResult);
      judgement.show();
      live.start();
      working = judgeOnChange(judgement, alarm, pauseMs, ending.signal);
    },
    async close() {
      ending.abort();
      await Promise.all([live.close(), working]);
    },
  };
}

async function judgeOnChange<Result extends FollowedResult>(
  judgement: LiveJudgement<Result>,
  alarm: Alarm,
  pauseMs: number,
  signal: AbortSignal,
): Promise<void> {
  let tookMs = 0;
  let waitMs = withoutChangeMs;
  for (;;) {
    const hasChanged = await alarm.next(waitMs);
    await alarm.pause(Math.max(burstMs, Math.max(pauseMs, tookMs * restPerWork) - burstMs));
    if (signal.aborted) return;
    alarm.settle();
    const begun = performance.now();
    await judgement.refresh();
    // Waiting for a server that does not answer is no work to rest from.
    tookMs = judgement.isOutOfDate ? 0 : performance.now() - begun;
    waitMs = hasChanged || judgement.isOutOfDate ? afterChangeMs : withoutChangeMs;
    if (!signal.aborted) judgement.show();
  }
}

/** The last judgement of a cluster that is watched, and whether it is still true. */
class LiveJudgement<Result extends FollowedResult> {
  readonly #live: LiveSnapshot;
  readonly #judge: () => Promise<Result>;
  readonly #onResult: (result: Result, freshness: Freshness) => void;
  #last: Result;
  #lastAt: Date;
  #failure: Freshness | undefined;
  /** What was said last while the data were old: it holds until the cluster was judged anew, also when the server is back. */
  #outOfDate: Freshness | undefined;

  constructor(
    live: LiveSnapshot,
    judge: () => Promise<Result>,
    first: Result,
    at: Date,
    onResult: (result: Result, freshness: Freshness) => void,
  ) {
    this.#live = live;
    this.#judge = judge;
    this.#last = first;
    this.#lastAt = at;
    this.#onResult = onResult;
  }

  get isOutOfDate(): boolean {
    return this.#failure !== undefined || this.#outOfDate !== undefined;
  }

  show(): void {
    const freshness = this.#failure ?? freshnessOf(this.#live);
    if (freshness.state === 'stale') this.#outOfDate = freshness;
    this.#onResult(this.#last, this.#outOfDate ?? freshness);
  }

  /** A judgement that waits for the server must not hide that it is away. */
  showIfStale(): void {
    if (this.#outOfDate === undefined && this.#live.freshness().state === 'stale') this.show();
  }

  async refresh(): Promise<void> {
    try {
      await this.#judgeUnlessStale();
      this.#failure = undefined;
    } catch (error) {
      this.#failure ??= {
        state: 'stale',
        since: this.#lastAt.toISOString(),
        reason: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** While the server is away, the last judgement says more than a new one without the server could. */
  async #judgeUnlessStale(): Promise<void> {
    const isStale = (): boolean => this.#live.freshness().state === 'stale';
    if (isStale()) return;
    const begun = this.#live.reader.now();
    const next = await this.#judge();
    if (next.snapshot.observations.some(({ state }) => state === 'failed')) await this.#live.check();
    if (isStale()) return;
    this.#last = next;
    this.#lastAt = begun;
    this.#outOfDate = undefined;
  }
}

function freshnessOf(live: LiveSnapshot): Freshness {
  const { state, since, reason } = live.freshness();
  return { state, since: since.toISOString(), ...(reason !== undefined && { reason }) };
}

/** Signals that something has changed. */
interface Alarm {
  ring(): void;
  /** Waits until it rings, at most this long, and returns whether it rang. */
  next(milliseconds: number): Promise<boolean>;
  /** Waits this long, even if it rings. */
  pause(milliseconds: number): Promise<void>;
  /** Forgets that it rang. */
  settle(): void;
}

function createAlarm(signal: AbortSignal): Alarm {
  let isRung = false;
  let wake: (() => void) | undefined;
  const rest = (milliseconds: number, mayWake: boolean): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', finish);
        wake = undefined;
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      signal.addEventListener('abort', finish);
      if (mayWake) wake = finish;
    });
  return {
    ring: () => {
      isRung = true;
      wake?.();
    },
    next: async (milliseconds) => {
      if (!isRung) await rest(milliseconds, true);
      return isRung;
    },
    pause: (milliseconds) => rest(milliseconds, false),
    settle: () => {
      isRung = false;
    },
  };
}
