import type { Diagnosis } from '../../core/engine/diagnose.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import type { WaitItem, WaitReport, WaitResult, WaitState } from '../../core/report/wait.ts';
import type { WaitAnswer } from './answer.ts';

/** How a wait ended. */
export interface WaitEnding {
  readonly result: WaitResult;
  readonly reached: readonly WaitState[];
  readonly pending: readonly WaitState[];
  readonly unreachable: readonly WaitState[];
  /** The last look that succeeded. */
  readonly answer: WaitAnswer;
  readonly waitedMs: number;
  /** There was a single look: at a dump, or with a timeout of 0. */
  readonly isOnce: boolean;
  /** Why the server did not answer in the end. */
  readonly silence?: string;
}

export function waitReportOf({ result, reached, pending, unreachable, answer, waitedMs }: WaitEnding): WaitReport {
  const items = [...reached, ...pending].map((state) => itemOf(state, unreachable.includes(state)));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'WaitReport',
    takenAt: answer.takenAt,
    source: answer.source,
    result,
    waitedSeconds: Math.round(waitedMs / 1000),
    items,
    summary: { reached: reached.length, unreached: pending.length },
  };
}

/** What will not be reached, or else all that was not reached in time. */
export function unreachedOf({ unreachable, pending }: WaitEnding): readonly TargetRef[] {
  return (unreachable.length > 0 ? unreachable : pending).map(({ wish }) => wish.target);
}

/** What `why` answers about it. */
export function explanationOf(ending: WaitEnding): Diagnosis {
  return ending.answer.explain(unreachedOf(ending));
}

function itemOf(state: WaitState, isUnreachable: boolean): WaitItem {
  const { wish, summary, uid, item } = state;
  const { kind, namespace, name } = wish.target;
  return {
    target: { kind, ...(namespace !== undefined && { namespace }), name, ...(uid !== undefined && { uid }) },
    goal: wish.goal,
    state: itemState(state, isUnreachable),
    summary,
    ...(item && { explanation: item }),
  };
}

function itemState({ prospect }: WaitState, isUnreachable: boolean): WaitItem['state'] {
  if (prospect === 'reached') return prospect;
  if (isUnreachable) return 'unreachable';
  return prospect === 'absent' || prospect === 'unknown' ? prospect : 'waiting';
}
