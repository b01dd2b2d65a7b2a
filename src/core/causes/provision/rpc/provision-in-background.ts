import { fix } from '../../../facts/evidence.ts';
import { answerRule, logsOf, senseFix } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';

/** Before that a slow backend is only slow; three attempts that end the same way are no chance. */
const patienceSeconds = 120;
const manyAttempts = 3;

/** external-provisioner checkError: nobody knows whether the volume is being made, so the same call is repeated until it ends. */
export const provisionInBackground = answerRule('provision-in-background', 'background', (c, error, driver) => {
  const isYoung = error.count < manyAttempts && (c.now - error.firstSeen) / 1000 < patienceSeconds;
  return {
    ...(isYoung && { severity: 'info' as const }),
    about: driver,
    summary: `${wordsOf(error, driver)}${error.count > 1 ? ` (${error.count} attempts)` : ''}${isYoung ? '; the call is repeated until it ends' : ''}`,
    fix: [
      ...(error.sense?.about === 'slow' ? [] : senseFix(error)),
      ...logsOf(c),
      ...(error.code === 'DeadlineExceeded' || error.code === 'Aborted'
        ? [
            fix(
              'check that the driver reaches its storage; if it is only slow, raise --timeout of the provisioner (10 s unless set)',
            ),
          ]
        : []),
    ],
  };
});

function wordsOf({ code, sense }: ProvisionError, driver: string): string {
  if (sense?.about === 'throttling') return `${driver} cannot make the volume now: ${sense.meaning}`;
  // That it is slow the code has said already.
  const why = sense && sense.about !== 'slow' ? `, since ${sense.meaning}` : '';
  switch (code) {
    case 'DeadlineExceeded':
      return `${driver} does not answer in time when asked to make the volume${why || ': it or its storage hangs or is slow'}`;
    case 'Aborted':
      return `an earlier attempt of ${driver} to make this volume has not ended, and a second one may not start${why}`;
    case 'Canceled':
      return `the call that makes the volume was cut off before ${driver} answered${why}`;
    default:
      return `${driver} is not available to make the volume${why}`;
  }
}
