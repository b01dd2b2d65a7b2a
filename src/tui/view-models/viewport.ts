import { parseTime } from '../../core/kube/time.ts';
import type { State } from '../state/state.ts';
import type { Look } from '../theme.ts';

/** What the state is shown on, and when. */
export interface Viewport {
  readonly columns: number;
  readonly rows: number;
  readonly look: Look;
  /** The time in milliseconds while ages grow; undefined while they are frozen. */
  readonly now?: number | undefined;
}

/** The time by which the ages of something are shown that was read at `takenAt`. */
export function agesAt({ now }: Viewport, takenAt: string): string {
  return now === undefined || now <= (parseTime(takenAt) ?? now) ? takenAt : new Date(now).toISOString();
}

/**
 * The time of the cluster, to the second: ages grow while what is shown is live, and are frozen while it is not. Only
 * time that has passed here is added to the time of the frame, so a clock that differs does no harm.
 */
export function clusterTime({ frame, frameReceivedAt }: State, clock: number): number | undefined {
  const takenAt = parseTime(frame?.report.takenAt);
  if (takenAt === undefined || frame?.freshness.state !== 'live') return undefined;
  return Math.floor((takenAt + clock - frameReceivedAt) / 1000) * 1000;
}
