import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { answerRule, logsOf, senseFix } from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';

/** Before that a slow backend is only slow; three attempts that end the same way are no coincidence. */
const patienceSeconds = 120;
const manyAttempts = 3;

/** external-provisioner checkError: it is not known whether the volume is being created, so the same call is repeated until it ends. */
export const provisionInBackground = answerRule('provision-in-background', 'background', (c, error, driver) => {
  const isYoung = error.count < manyAttempts && (c.now - error.firstSeen) / 1000 < patienceSeconds;
  const attempts = error.count > 1 ? ` (${error.count} attempts)` : '';
  return {
    severity: isYoung ? 'info' : 'blocking',
    about: driver,
    summary: `${errorText(error, driver)}${attempts}${isYoung ? '; the call is repeated until it ends' : ''}`,
    fix: advise(c, error),
  };
});

function errorText({ code, sense }: ProvisionError, driver: string): string {
  if (sense?.about === 'throttling') return `${driver} cannot make the volume now: ${sense.meaning}`;
  // The code says already that it is slow.
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

function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  const isSlow = error.code === 'DeadlineExceeded' || error.code === 'Aborted';
  return [
    ...(error.sense?.about === 'slow' ? [] : senseFix(error)),
    ...logsOf(c),
    ...(isSlow
      ? [
          fix(
            'check that the driver reaches its storage; if it is only slow, raise --timeout of the provisioner (10 s unless set)',
          ),
        ]
      : []),
  ];
}
