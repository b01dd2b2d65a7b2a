import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { growthSince, hasCondition, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { controllerErrorOf, growthEvidence, isRequestChanged, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { quote } from '../lib/driver-error/quote.ts';

const patienceSeconds = 600;

/** external-resizer markControllerResizeInProgress: errors that may pass leave no condition, and are retried at least every five minutes. */
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
    return since !== undefined && (c.now - since) / 1000 > patienceSeconds
      ? explainLong(c, since, error)
      : explainProgress(c);
  },
});

function isInProgress({ claim }: PresentClaim): boolean {
  const isMarked = resizeStateOf(claim) === 'ControllerResizeInProgress' || hasCondition(claim, 'Resizing');
  return isMarked && !hasCondition(claim, 'ControllerResizeError');
}

/** Errors that may pass, and before 1.31 all of them, are reported as events only: without events they look like progress. */
function mayMissErrors(c: PresentClaim): boolean {
  if (c.events.complete) return false;
  const areEventsRefused = c.ask.unanswered.some(
    ({ kind, observation: { state } }) => kind === 'Event' && (state === 'denied' || state === 'failed'),
  );
  return areEventsRefused || resizeStateOf(c.claim) === '';
}

function explainRetry(c: PresentClaim): Explanation {
  return {
    summary: `the request was changed to ${c.request ?? 'another size'} after the driver refused ${c.claim.status?.allocatedResources?.['storage'] ?? 'the last one'}: the resizer has yet to try again`,
    evidence: [...growthEvidence(c), field(c.claim, 'status.allocatedResources.storage')],
    fix: [watchClaim(c)],
  };
}

function explainProgress(c: PresentClaim): Explanation {
  return {
    summary: `${resizerOf(c).driver ?? 'the resizer'} is growing the volume to ${c.request ?? 'the new size'}`,
    evidence: growthEvidence(c),
    fix: [watchClaim(c)],
  };
}

function explainLong(c: PresentClaim, since: number, error: ControllerError | undefined): Explanation {
  return {
    severity: 'blocking',
    confidence: 'likely',
    summary: `${resizerOf(c).driver ?? 'the resizer'} has been growing the volume for ${ageText(since, c.now)} without a result${error ? `: the calls do not end well, ${quote(error.words)}` : ''}`,
    evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
    fix: readLogs(c),
  };
}

function readLogs(c: PresentClaim): Fix[] {
  const { driver } = resizerOf(c);
  if (driver === undefined) return [watchClaim(c)];
  const resizer = findController(c.ask, driver, 'resizer');
  return [logsFix(resizer, 'driver'), logsFix(resizer)];
}

function watchClaim(c: PresentClaim): Fix {
  return fix('wait, and watch it', `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -w`);
}
