import { LiveSnapshot } from '../../io/cluster/live-snapshot.ts';
import type { ClusterReader } from '../../io/cluster/reader.ts';
import { diagnose } from '../../core/engine/diagnose.ts';
import { graphOf } from '../../core/graph/cluster-graph.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { Selection } from '../../core/kube/selection.ts';
import { pendingPods } from '../../core/kube/snapshot.ts';
import type { Scope, Snapshot } from '../../core/kube/snapshot.ts';
import { foldStuck } from '../../core/survey/status/status-stuck.ts';
import type { Frame, Freshness, Place } from '../../tui/ports.ts';
import type { ClusterSource } from '../../cli/open-source.ts';

/** At most a few frames a second, and at most a third of the time is spent on them. */
const leastPauseMs = 250;
const restPerWork = 2;
/** Changes come in bursts, which are judged together. */
const burstMs = 60;
/** What is not watched (events, leases) usually changes shortly after something that is. */
const afterChangeMs = 1500;
/** Even without a change: a wait may have become too long, and something that is not watched may have changed. */
const withoutChangeMs = 10_000;

export interface Judged {
  readonly frame: Omit<Frame, 'freshness'>;
  readonly snapshot: Snapshot;
}

export function selectionIn({ namespace }: Place): Selection {
  return { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
}

/** All that is stuck, as `why` has it, folded by cause. */
export async function judge(
  source: ClusterSource,
  place: Place,
  commandEnd: string,
  breadth: 'pending' | 'everything' = 'everything',
): Promise<Judged> {
  const selection: Selection = { ...selectionIn(place), breadth };
  const { report, snapshot } = await source.answer(
    (known) => {
      const diagnosis = diagnose(known, selection);
      return { report: diagnosis.report, needs: diagnosis.needs, snapshot: known };
    },
    { search: selection },
  );
  return {
    frame: {
      report,
      stuck: foldStuck(report, [], graphOf(snapshot), commandEnd),
      context: source.name,
      namespace: place.namespace,
    },
    snapshot,
  };
}

/** What a search for stuck objects reads, and the kinds that most of its questions are about. */
function watchedIn({ namespace }: Place): { readonly kind: Kind; readonly scope: Scope }[] {
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

interface LiveFrames {
  readonly live: LiveSnapshot;
  /** Judges once, then watches and judges again whenever something changes. Rejects when the first judgement fails. */
  begin(source: ClusterSource, onFrame: OnFrame): Promise<void>;
  close(): Promise<void>;
}

type OnFrame = (frame: Frame, snapshot: Snapshot) => void;

export function liveFrames(reader: ClusterReader, place: Place): LiveFrames {
  const ending = new AbortController();
  const alarm = createAlarm(ending.signal);
  const live = new LiveSnapshot(reader, { watched: watchedIn(place), onChange: () => alarm.ring() });
  let working: Promise<void> = Promise.resolve();
  return {
    live,
    async begin(source, onFrame) {
      const judgement = new LiveJudgement(live, source, place, await firstJudgement(source, place), onFrame);
      judgement.show();
      live.start();
      working = judgeOnChange(judgement, alarm, ending.signal);
    },
    async close() {
      ending.abort();
      await Promise.all([live.close(), working]);
    },
  };
}

async function judgeOnChange(judgement: LiveJudgement, alarm: Alarm, signal: AbortSignal): Promise<void> {
  let tookMs = 0;
  let waitMs = withoutChangeMs;
  for (;;) {
    const hasChanged = await alarm.next(waitMs);
    await alarm.pause(Math.max(burstMs, Math.max(leastPauseMs, tookMs * restPerWork) - burstMs));
    if (signal.aborted) return;
    alarm.settle();
    const begun = performance.now();
    await judgement.refresh();
    tookMs = performance.now() - begun;
    waitMs = hasChanged || judgement.hasFailed ? afterChangeMs : withoutChangeMs;
    if (!signal.aborted) judgement.show();
  }
}

/** The last judgement of a cluster that is watched, and whether it is still true. */
class LiveJudgement {
  readonly #live: LiveSnapshot;
  readonly #source: ClusterSource;
  readonly #place: Place;
  readonly #onFrame: OnFrame;
  #last: Judged;
  #failure: Freshness | undefined;
  /** What was shown last, without the time at which it was taken. */
  #shown = '';

  constructor(live: LiveSnapshot, source: ClusterSource, place: Place, first: Judged, onFrame: OnFrame) {
    this.#live = live;
    this.#source = source;
    this.#place = place;
    this.#last = first;
    this.#onFrame = onFrame;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Hands out a frame if it differs from the last one. */
  show(): void {
    const frame: Frame = { ...this.#last.frame, freshness: this.#failure ?? freshnessOf(this.#live) };
    const essence = JSON.stringify([{ ...frame.report, takenAt: '' }, frame.stuck, frame.freshness]);
    if (essence === this.#shown) return;
    this.#shown = essence;
    this.#onFrame(frame, this.#last.snapshot);
  }

  async refresh(): Promise<void> {
    try {
      await this.#judge();
      this.#failure = undefined;
    } catch (error) {
      this.#failure ??= {
        state: 'stale',
        since: this.#last.frame.report.takenAt,
        reason: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** While the server is away, the last judgement says more than a new one without the server could. */
  async #judge(): Promise<void> {
    const isStale = (): boolean => this.#live.freshness().state === 'stale';
    if (isStale()) return;
    const next = await judge(this.#source, this.#place, '');
    if (next.snapshot.observations.some(({ state }) => state === 'failed')) await this.#live.check();
    if (!isStale()) this.#last = next;
  }
}

/** What waits for its volume is found much sooner than the rest, but only a full search can say that nothing is stuck. */
async function firstJudgement(source: ClusterSource, place: Place): Promise<Judged> {
  const soon = await judge(source, place, '', 'pending');
  return soon.frame.report.items.length > 0 ? soon : judge(source, place, '');
}

function freshnessOf(live: LiveSnapshot): Freshness {
  const { state, since, reason } = live.freshness();
  return { state, since: since.toISOString(), ...(reason !== undefined && { reason }) };
}

/** Tells that something has changed. */
interface Alarm {
  ring(): void;
  /** Waits until it rings, at most so long, and answers whether it rang. */
  next(milliseconds: number): Promise<boolean>;
  /** Waits so long, even if it rings. */
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
