import { logsFix, findController } from '../../facts/driver/drivers.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { field, fix } from '../../facts/evidence.ts';
import { resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { controllerErrorOf, growthEvidence, lowerRequest, resizerOf } from './expansion.ts';
import { quote } from '../lib/driver-error/quote.ts';

/** The newer name, and that of 1.28 to 1.30. */
const states = ['ControllerResizeInfeasible', 'ControllerResizeFailed'];

/** external-resizer markControllerExpansionInfeasible: the driver will not do it however often it is asked. */
export const resizeControllerInfeasible = claimRule({
  cause: 'resize-controller-infeasible',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (!states.includes(resizeStateOf(c.claim)) || isTakenBack(c)) return undefined;
    const error = controllerErrorOf(c);
    const { driver } = resizerOf(c);
    const isGone = error?.code === 'NotFound';
    const target = c.claim.status?.allocatedResources?.['storage'] ?? c.request ?? 'the new size';
    return {
      summary: isGone
        ? `${driver ?? 'the driver'} does not find the storage of pv/${c.volumeName}, so it cannot grow: ${quote(error.words)}`
        : `${driver ?? 'the driver'} cannot grow the volume to ${target}${error?.words ? `: ${quote(error.words)}` : ''}`,
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: [
        ...(isGone
          ? [fix('look for the volume in the storage backend: lowering the request does not bring it back')]
          : [lowerRequest(c, error?.words ?? '')]),
        ...(driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')]),
      ],
    };
  },
});

/** The request was changed since: the last answer was to another question. */
export function isTakenBack(c: PresentClaim): boolean {
  const allocated = c.claim.status?.allocatedResources?.['storage'];
  return allocated !== undefined && compareQuantities(c.request, allocated) !== 0;
}

export function takenBackEvidence(c: PresentClaim) {
  return field(c.claim, 'status.allocatedResources.storage');
}
