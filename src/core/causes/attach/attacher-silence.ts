import type { Evidence } from '../../report/report.ts';
import { attacherHealth } from './attacher-health.ts';
import type { AttacherHealth } from './attacher-health.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { saysNoAnswer, unansweredDriver } from '../lib/driver-error/senses/time.ts';

/** How soon a running attacher puts its finalizer on a new attachment. */
const startSeconds = 20;
/** csi_attacher.go waits this long for the attacher before it reports a timeout. */
export const silenceSeconds = 120;

/** An attachment that is neither attached nor going away, and the state of the attacher that has to act on it. */
export interface AttacherSilence {
  readonly driver: string;
  readonly health: AttacherHealth;
  /** The controller's report that the attacher did not act in time. */
  readonly said: readonly Evidence[];
}

export function silenceOf({
  ask,
  driver,
  attachment,
  error,
  waitedSeconds,
}: AttachTrouble): AttacherSilence | undefined {
  const isSaid = error !== undefined && saysNoAnswer(error);
  const name = driver ?? (error && unansweredDriver(error));
  if (name === undefined || (attachment.state !== 'found' && !isSaid)) return undefined;
  if (
    attachment.state === 'found' &&
    (attachment.object.metadata.deletionTimestamp !== undefined || attachment.object.status?.attached === true)
  )
    return undefined;
  if (waitedSeconds < startSeconds) return undefined;
  return { driver: name, health: attacherHealth(ask, name), said: isSaid ? [error.evidence] : [] };
}
