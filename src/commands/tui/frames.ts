import { followCluster } from '../../cli/follow/follow-cluster.ts';
import type { ClusterReader } from '../../io/cluster/reader.ts';
import type { LiveSnapshot } from '../../io/cluster/live-snapshot.ts';
import { diagnose } from '../../core/engine/diagnose.ts';
import { graphOf } from '../../core/graph/cluster-graph.ts';
import type { Selection } from '../../core/kube/selection.ts';
import type { Snapshot } from '../../core/kube/snapshot.ts';
import type { Freshness } from '../../core/report/freshness.ts';
import { foldStuck } from '../../core/survey/status/status-stuck.ts';
import type { Frame, Place } from '../../tui/ports.ts';
import type { ClusterSource } from '../../cli/open-source.ts';

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

interface LiveFrames {
  readonly live: LiveSnapshot;
  /** Judges once, then watches and judges again whenever something changes. Rejects when the first judgement fails. */
  begin(source: ClusterSource): Promise<void>;
  close(): Promise<void>;
}

type OnFrame = (frame: Frame, snapshot: Snapshot) => void;

export function liveFrames(reader: ClusterReader, place: Place, onFrame: OnFrame): LiveFrames {
  const following = followCluster<Judged>(reader, { namespace: place.namespace, onResult: onlyChanges(onFrame) });
  return {
    live: following.live,
    begin: (source) =>
      following.begin(
        () => judge(source, place, ''),
        () => firstJudgement(source, place),
      ),
    close: () => following.close(),
  };
}

/** Hands out a frame if it differs from the last one in more than the time at which it was taken. */
function onlyChanges(onFrame: OnFrame): (judged: Judged, freshness: Freshness) => void {
  let shown = '';
  return (judged, freshness) => {
    const frame: Frame = { ...judged.frame, freshness };
    const essence = JSON.stringify([{ ...frame.report, takenAt: '' }, frame.stuck, frame.freshness]);
    if (essence === shown) return;
    shown = essence;
    onFrame(frame, judged.snapshot);
  };
}

/**
 * What waits for its volume is found much sooner than the rest, but only a full search can prove that nothing is stuck.
 */
async function firstJudgement(source: ClusterSource, place: Place): Promise<Judged> {
  const soon = await judge(source, place, '', 'pending');
  return soon.frame.report.items.length > 0 ? soon : judge(source, place, '');
}
