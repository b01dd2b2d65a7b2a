import { parseTime } from '../../kube/time.ts';
import type { ReportItem } from '../../report/report.ts';

/**
 * auto: if objects and events leave the cause open, or only likely. always: for everything that is stuck. `isAsked`:
 * the user wants a note about logs that could not be read.
 */
export interface LogUse {
  readonly mode: 'auto' | 'always';
  readonly isAsked: boolean;
}

/**
 * These causes are certain, but they name the component that has to act and not why it does not: only its log can show
 * that.
 */
export const openCauses: ReadonlySet<string> = new Set([
  'attach-rpc-timeout',
  'blocked-unexplained',
  'driver-registration-failed',
  'in-progress',
  'modify-in-progress',
  'mount-rpc-timeout',
  'pod-terminating-unmount-stuck',
  'provision-in-background',
  'resize-controller-in-progress',
  'resize-fs-pending-pod-running',
  'snap-create-in-flight',
  'snap-delete-failed',
]);

/** What began a moment ago usually finishes a moment later. */
const patienceMs = 60_000;

/** Whether a line of a log could add to this answer. */
export function wantsLogs(item: ReportItem, { mode }: LogUse, now: number): boolean {
  const { status, stage, stages, cause, findings } = item;
  if (status === 'healthy' || stage === undefined) return false;
  if (mode === 'always') return true;
  const since = parseTime(stages.find((result) => result.stage === stage)?.since);
  if (status === 'waiting' && since !== undefined && now - since < patienceMs) return false;
  const confidence = findings.find(({ role }) => role === 'cause')?.confidence;
  return confidence !== 'certain' || (cause !== undefined && openCauses.has(cause));
}
