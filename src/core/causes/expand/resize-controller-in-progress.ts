import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { ageText } from '../../kube/time.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { growthSince, hasCondition, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { controllerErrorOf, growthEvidence, resizerOf } from './expansion.ts';
import { isTakenBack, takenBackEvidence } from './resize-controller-infeasible.ts';
import { mayPass } from '../lib/driver-error/grpc-codes.ts';
import { quote } from '../lib/driver-error/quote.ts';

const patienceSeconds = 600;

/** external-resizer markControllerResizeInProgress: errors that are not final leave no condition, and are tried again every five minutes at the most. */
export const resizeControllerInProgress = claimRule({
  cause: 'resize-controller-in-progress',
  stage: 'expand',
  severity: 'info',
  explain(c) {
    const { claim } = c;
    const state = resizeStateOf(claim);
    if (isForNode(claim)) return undefined;
    if (state === 'ControllerResizeInfeasible' || state === 'ControllerResizeFailed') {
      if (!isTakenBack(c)) return undefined;
      return {
        summary: `the request was changed to ${c.request ?? 'another size'} after the driver refused ${claim.status?.allocatedResources?.['storage'] ?? 'the last one'}: the resizer has yet to try again`,
        evidence: [...growthEvidence(c), takenBackEvidence(c)],
        fix: [watch(c.namespace, c.name)],
      };
    }
    const isMarked = state === 'ControllerResizeInProgress' || hasCondition(claim, 'Resizing');
    if (!isMarked || hasCondition(claim, 'ControllerResizeError')) return undefined;
    if (isDeaf(c)) return undefined;
    const error = controllerErrorOf(c);
    const since = growthSince(c);
    const isLong = since !== undefined && (c.now - since) / 1000 > patienceSeconds;
    const driver = resizerOf(c).driver;
    const repeated = error && mayPass(error.code) ? error : undefined;
    if (error && !repeated) return undefined;
    if (!isLong)
      return {
        summary: `${driver ?? 'the resizer'} is growing the volume to ${c.request ?? 'the new size'}`,
        evidence: growthEvidence(c),
        fix: [watch(c.namespace, c.name)],
      };
    return {
      severity: 'blocking',
      confidence: 'likely',
      summary: `${driver ?? 'the resizer'} has been growing the volume for ${ageText(since, c.now)} without a result${repeated ? `: the calls do not end well, ${quote(repeated.words)}` : ''}`,
      evidence: [...growthEvidence(c), ...(repeated ? [repeated.evidence] : [])],
      fix:
        driver === undefined
          ? [watch(c.namespace, c.name)]
          : [
              logsFix(findController(c.ask, driver, 'resizer'), 'driver'),
              logsFix(findController(c.ask, driver, 'resizer')),
            ],
    };
  },
});

/** Errors that may pass, and before 1.31 all of them, are only said: whoever may not hear cannot tell them from work. */
function isDeaf(c: PresentClaim): boolean {
  if (c.events.complete) return false;
  const refused = c.ask.unanswered.some(
    ({ kind, observation: { state } }) => kind === 'Event' && (state === 'denied' || state === 'failed'),
  );
  return refused || resizeStateOf(c.claim) === '';
}

function watch(namespace: string, name: string) {
  return fix('wait, and watch it', `kubectl ${inNamespace(namespace)}get pvc ${shellWord(name)} -w`);
}
