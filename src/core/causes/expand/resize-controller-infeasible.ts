import { logsFix, findController } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { controllerErrorOf, growthEvidence, isRequestChanged, lowerRequest, resizerOf } from './expansion.ts';
import type { ControllerError } from './expansion.ts';
import { quote } from '../lib/driver-error/quote.ts';

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
      summary: summarize(c, error),
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: adviceFor(c, error),
    };
  },
});

function summarize(c: PresentClaim, error: ControllerError | undefined): string {
  const driver = resizerOf(c).driver ?? 'the driver';
  if (error?.code === 'NotFound')
    return `${driver} does not find the storage of pv/${c.volumeName}, so it cannot grow: ${quote(error.words)}`;
  const target = c.claim.status?.allocatedResources?.['storage'] ?? c.request ?? 'the new size';
  return `${driver} cannot grow the volume to ${target}${error?.words ? `: ${quote(error.words)}` : ''}`;
}

function adviceFor(c: PresentClaim, error: ControllerError | undefined): Fix[] {
  const { driver } = resizerOf(c);
  return [
    error?.code === 'NotFound'
      ? fix('look for the volume in the storage backend: lowering the request does not bring it back')
      : lowerRequest(c, error?.words ?? ''),
    ...(driver === undefined ? [] : [logsFix(findController(c.ask, driver, 'resizer'), 'driver')]),
  ];
}
