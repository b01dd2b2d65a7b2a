import { LiveSnapshot } from '../../io/cluster/live-snapshot.ts';
import type { ClusterReader } from '../../io/cluster/reader.ts';
import { diagnose } from '../../core/engine/diagnose.ts';
import { graphOf } from '../../core/graph/cluster-graph.ts';
import { isKnownKind } from '../../core/kube/kinds.ts';
import type { Kind } from '../../core/kube/kinds.ts';
import type { ObjectRef } from '../../core/report/report.ts';
import type { Selection } from '../../core/kube/selection.ts';
import { pendingPods } from '../../core/kube/snapshot.ts';
import type { Scope, Snapshot } from '../../core/kube/snapshot.ts';
import { foldStuck } from '../../core/survey/status/status-stuck.ts';
import type { Frame, Freshness, Place } from '../../tui/ports.ts';
import type { ClusterSource } from '../../cli/open-source.ts';

/** No more than a few frames a second, and no more than a third of the time spent on them. */
const leastPauseMs = 250;
const restPerWork = 2;
/** Changes come in flocks. */
const flockMs = 60;
/** After a change, what is not watched has changed too, and is told a little later. */
const againMs = 1500;
/** Time alone makes a wait too long, and what is not watched changes as well. */
const lookAgainMs = 10_000;

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
  const graph = graphOf(snapshot);
  const bornAt = ({ kind, namespace, name }: ObjectRef): string | undefined =>
    isKnownKind(kind) ? graph.find(kind, namespace, name)?.metadata.creationTimestamp : undefined;
  return {
    frame: {
      report,
      stuck: foldStuck(report, [], bornAt, commandEnd),
      context: source.name,
      namespace: place.namespace,
    },
    snapshot,
  };
}

/** What a search for stuck things looks through, and the few objects that most of its questions are about. */
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
    // Pods are many and large; one that has started has its volumes.
    { kind: 'Pod', scope: { ...scope, fieldSelector: pendingPods } },
    { kind: 'StatefulSet', scope },
    { kind: 'VolumeSnapshot', scope },
    ...everywhere.map((kind) => ({ kind, scope: {} })),
  ];
}

export interface LiveFrames {
  readonly live: LiveSnapshot;
  /** Judges once, then watches and judges again whenever something changes. Rejects when the first judgement fails. */
  begin(source: ClusterSource, onFrame: (frame: Frame, snapshot: Snapshot) => void): Promise<void>;
  close(): Promise<void>;
}

export function liveFrames(reader: ClusterReader, place: Place): LiveFrames {
  const ending = new AbortController();
  const bell = createAlarm(ending.signal);
  const live = new LiveSnapshot(reader, { watched: watchedIn(place), onChange: () => bell.ring() });
  let working: Promise<void> = Promise.resolve();
  return {
    live,
    async begin(source, onFrame) {
      let shown = '';
      let last = await firstJudgement(source, place);
      let failure: Freshness | undefined;
      const show = (): void => {
        const frame: Frame = { ...last.frame, freshness: failure ?? freshnessOf(live) };
        const essence = JSON.stringify([{ ...frame.report, takenAt: '' }, frame.stuck, frame.freshness]);
        if (essence === shown) return;
        shown = essence;
        onFrame(frame, last.snapshot);
      };
      show();
      live.start();
      const work = async (): Promise<void> => {
        let tookMs = 0;
        let waitMs = lookAgainMs;
        for (;;) {
          const isRung = await bell.next(waitMs);
          await bell.pause(Math.max(flockMs, Math.max(leastPauseMs, tookMs * restPerWork) - flockMs));
          if (ending.signal.aborted) return;
          bell.settle();
          const begun = performance.now();
          try {
            // What was read last is more than what can be told of a server that is away.
            if (live.freshness().state !== 'stale') {
              const next = await judge(source, place, '');
              if (next.snapshot.observations.some(({ state }) => state === 'failed')) await live.check();
              if (live.freshness().state !== 'stale') last = next;
            }
            failure = undefined;
          } catch (error) {
            failure ??= {
              state: 'stale',
              since: last.frame.report.takenAt,
              reason: error instanceof Error ? error.message : String(error),
            };
          }
          tookMs = performance.now() - begun;
          waitMs = isRung || failure !== undefined ? againMs : lookAgainMs;
          if (!ending.signal.aborted) show();
        }
      };
      working = work();
    },
    async close() {
      ending.abort();
      await Promise.all([live.close(), working]);
    },
  };
}

/** What waits for its volume is found much sooner than the rest; but that nothing is stuck is said only of everything. */
async function firstJudgement(source: ClusterSource, place: Place): Promise<Judged> {
  const soon = await judge(source, place, '', 'pending');
  return soon.frame.report.items.length > 0 ? soon : judge(source, place, '');
}

function freshnessOf(live: LiveSnapshot): Freshness {
  const { state, since, reason } = live.freshness();
  return { state, since: since.toISOString(), ...(reason !== undefined && { reason }) };
}

interface Alarm {
  ring(): void;
  /** Whether it rang, or the time was over. */
  next(milliseconds: number): Promise<boolean>;
  pause(milliseconds: number): Promise<void>;
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
