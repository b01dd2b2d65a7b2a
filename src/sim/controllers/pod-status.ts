import type { RawObject } from '../../core/kube/snapshot.ts';
import { listAt, textAt } from '../fields.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** The pod with the condition; the time changes only with the status of the condition. */
export function withCondition(pod: RawObject, condition: Condition, now: string): RawObject {
  const conditions = listAt(pod, 'status', 'conditions');
  const known = conditions.find((candidate) => textAt(candidate, 'type') === condition.type);
  const isSame =
    known !== undefined &&
    (['status', 'reason', 'message'] as const).every((field) => textAt(known, field) === (condition[field] ?? ''));
  if (isSame) return pod;
  const lastTransitionTime = textAt(known, 'status') === condition.status ? textAt(known, 'lastTransitionTime') : now;
  const next = { lastProbeTime: null, lastTransitionTime, ...condition };
  return {
    ...pod,
    status: {
      ...(pod['status'] as object),
      conditions: [...conditions.filter((candidate) => candidate !== known), next],
    },
  };
}

/** All containers wait, run or are gone with their pod. */
export function containerStatuses(pod: RawObject, state: Record<string, unknown>, isReady: boolean): object[] {
  return listAt(pod, 'spec', 'containers').map((container) => ({
    name: textAt(container, 'name'),
    image: textAt(container, 'image'),
    imageID: '',
    ready: isReady,
    started: isReady,
    restartCount: 0,
    lastState: {},
    state,
  }));
}
