import { ageText } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { growthSince, hasCondition, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { isWithoutAnswer } from '../lib/driver-error/speakers.ts';
import { capabilitiesUnknownTexts, runningTexts, volumeHeldTexts } from '../lib/driver-error/senses/time.ts';
import { controllerErrorOf, untrueSuccess } from './controller-error.ts';
import type { ControllerError } from './controller-error.ts';
import { driverWords, growthEvidence, isRequestChanged, resizerOf, resizerRetries, volumeWords } from './expansion.ts';
import { answerWords, targetOf } from './resize-controller-error.ts';
import { correctUnit } from './lower-request.ts';
import { driverLog, readStorage, restartDriver } from './storage-fixes.ts';

const patienceSeconds = 600;
/** By then the resizer has called again, at its longest interval: a failure that passes would have passed. */
const failedSeconds = 300;

/**
 * external-resizer markControllerResizeInProgress: errors that may pass leave no condition, and are retried at least
 * every five minutes.
 */
export const resizeControllerInProgress = claimRule({
  cause: 'resize-controller-in-progress',
  stage: 'expand',
  severity: 'info',
  explain(c) {
    const { claim } = c;
    const state = resizeStateOf(claim);
    if (isForNode(claim)) return undefined;
    if (state === 'ControllerResizeInfeasible' || state === 'ControllerResizeFailed')
      return isRequestChanged(c) ? explainRetry(c) : undefined;
    if (!isInProgress(c) || mayMissErrors(c)) return undefined;
    const error = controllerErrorOf(c);
    if (error && !mayPass(error.code)) return undefined;
    const since = growthSince(c);
    return since !== undefined &&
      (c.now - since) / 1000 > (error && !runningTexts.test(error.text) ? failedSeconds : patienceSeconds)
      ? explainLong(c, since, error)
      : explainProgress(c, error);
  },
});

function isInProgress({ claim }: PresentClaim): boolean {
  const isMarked = resizeStateOf(claim) === 'ControllerResizeInProgress' || hasCondition(claim, 'Resizing');
  return isMarked && !hasCondition(claim, 'ControllerResizeError');
}

/**
 * Errors that may pass, and before 1.31 all of them, are reported as events only: without events they look like
 * progress.
 */
function mayMissErrors(c: PresentClaim): boolean {
  if (c.events.complete) return false;
  const areEventsRefused = c.ask.unanswered.some(
    ({ kind, observation: { state } }) => kind === 'Event' && (state === 'denied' || state === 'failed'),
  );
  return areEventsRefused || resizeStateOf(c.claim) === '';
}

function explainRetry(c: PresentClaim): Explanation {
  return {
    summary:
      `The request of pvc/${c.name} was changed to ${c.request ?? 'another size'} after ${driverWords(c)} ` +
      `refused ${c.claim.status?.allocatedResources?.['storage'] ?? 'the last one'}. The resizer has not ` +
      'tried the new size yet; it does so within 5 minutes.',
    evidence: [...growthEvidence(c), field(c.claim, 'status.allocatedResources.storage')],
    fix: [watchClaim(c)],
  };
}

function explainProgress(c: PresentClaim, error: ControllerError | undefined): Explanation {
  const begun = `${driverWords(c)} is growing ${volumeWords(c)} to ${targetOf(c)}.`;
  return {
    summary: error
      ? `${begun} ${sentence(`The last call ended with ${answerWords(error)}`)} The storage may still be at work, and the resizer calls again within 5 minutes.`
      : `${begun} This is expected; no error was reported.`,
    evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
    fix: [...(error ? correctUnit(c) : []), watchClaim(c)],
  };
}

/** An event that the growth succeeded misleads as long as the claim shows that it has not. */
function untrueWords(c: PresentClaim): string {
  return untrueSuccess(c)
    ? ' Event VolumeResizeSuccessful is not true for this request: the claim still shows the old size.'
    : '';
}

function untrueEvidence(c: PresentClaim): Evidence[] {
  const event = untrueSuccess(c);
  return event ? [eventSaid(c.claim, event)] : [];
}

function explainLong(c: PresentClaim, since: number, error: ControllerError | undefined): Explanation {
  const { driver } = resizerOf(c);
  if (error && driver !== undefined && capabilitiesUnknownTexts.test(error.text))
    return {
      severity: 'blocking',
      confidence: 'likely',
      summary:
        `${sentence(`The resizer gets no answer from ${driver}, the driver next to it, when it asks for its capabilities: ${answerWords(error)}`)} ` +
        `The storage was not asked to grow ${volumeWords(c)} to ${targetOf(c)}.`,
      evidence: [...growthEvidence(c), error.evidence],
      fix: [restartDriver(c, driver, 'The resizer then calls again.'), ...driverLog(c, driver)],
    };
  return {
    severity: 'blocking',
    confidence: 'likely',
    summary: `${driverWords(c)} has been growing ${volumeWords(c)} from ${c.claim.status?.capacity?.['storage'] ?? 'its old size'} to ${targetOf(c)} for ${ageText(since, c.now)} without a result. ${sentence(lastWords(error))}${untrueWords(c)}`,
    evidence: [...growthEvidence(c), ...(error ? [error.evidence] : []), ...untrueEvidence(c)],
    fix: hurry(c, error),
  };
}

function lastWords(error: ControllerError | undefined): string {
  if (!error) return 'No error was reported';
  return isWithoutAnswer(error.words)
    ? `The last call ended without an answer: ${answerWords(error)}`
    : `The resizer reports ${answerWords(error)}`;
}

/** The resizer repeats a call that did not end. */
function hurry(c: PresentClaim, error: ControllerError | undefined): Fix[] {
  const { driver } = resizerOf(c);
  if (driver === undefined) return [watchClaim(c)];
  // The driver answered: what holds the volume is in the storage, and a restart would not release it.
  if (error && volumeHeldTexts.test(error.text)) return [releaseOperation(c, driver), ...driverLog(c, driver)];
  if (error?.speaker === 'driver' && error.words !== '')
    return [...correctUnit(c), readStorage(c, driver, resizerRetries), ...driverLog(c, driver)];
  return [...correctUnit(c), restartDriver(c, driver, 'The resizer then calls again.'), ...driverLog(c, driver)];
}

function releaseOperation(c: PresentClaim, driver: string): Fix {
  return steps(
    `Ask the owner of the storage which operation holds ${volumeWords(c)} (a snapshot, a backup, an ` +
      `attach), and to finish or cancel it. The resizer of ${driver} then grows the volume at its next try, ` +
      'within 5 minutes.',
    [],
  );
}

function watchClaim(c: PresentClaim): Fix {
  return steps('Wait, and watch the size of the claim.', [
    `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`,
  ]);
}
