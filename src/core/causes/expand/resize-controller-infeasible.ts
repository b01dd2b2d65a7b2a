import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { controllerErrorOf } from './controller-error.ts';
import type { ControllerError } from './controller-error.ts';
import {
  driverWords,
  growthEvidence,
  isRequestChanged,
  resizerOf,
  sizeNow,
  volumeOf,
  volumeWords,
} from './expansion.ts';
import { lowerRequest } from './lower-request.ts';
import { answerWords, targetOf } from './resize-controller-error.ts';
import { driverLog } from './storage-fixes.ts';

/** The state's current name, and its name in 1.28 to 1.30. */
const states = ['ControllerResizeInfeasible', 'ControllerResizeFailed'];

/** external-resizer markControllerExpansionInfeasible: the driver will never accept this size. */
export const resizeControllerInfeasible = claimRule({
  cause: 'resize-controller-infeasible',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (!states.includes(resizeStateOf(c.claim)) || isRequestChanged(c)) return undefined;
    const error = controllerErrorOf(c);
    return {
      summary: `${sentence(answerOf(c, error))}${error?.code === 'NotFound' ? '' : sizeNow(c)}`,
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: adviceFor(c, error),
    };
  },
});

function answerOf(c: PresentClaim, error: ControllerError | undefined): string {
  const driver = driverWords(c);
  const quoted = error && (error.words || error.code) ? `: ${answerWords(error)}` : '';
  return error?.code === 'NotFound'
    ? `${driver} does not find the storage of pv/${c.volumeName} and cannot grow it${quoted}`
    : `${driver} cannot grow ${volumeWords(c)} to ${targetOf(c)}${quoted}`;
}

/** The driver's answer is known, so its log is of use only where it says nothing. */
function adviceFor(c: PresentClaim, error: ControllerError | undefined): Fix[] {
  if (error?.code === 'NotFound') return [findVolume(c), ...driverLog(c, resizerOf(c).driver)];
  return [lowerRequest(c, error?.words ?? ''), ...(error?.words ? [] : driverLog(c, resizerOf(c).driver))];
}

/** NotFound proves only that this account, region or pool does not know the id. */
function findVolume(c: PresentClaim): Fix {
  const handle = volumeOf(c)?.spec?.csi?.volumeHandle;
  return steps(
    `Ask your storage team whether volume ${handle ?? `of pv/${c.volumeName}`} exists in the account, region ` +
      'or pool that the driver uses. If it was deleted, restore it from a backup or a snapshot; ' +
      'a smaller request does not bring it back. ' +
      'The resizer retries rarely after this answer; restarting it retries at once.',
    [],
  );
}
