import { logsFix } from '../../facts/driver/drivers.ts';
import { newestMatch } from '../../graph/events.ts';
import { ageText } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, fix } from '../../facts/evidence.ts';
import { growthSince, hasCondition, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import type { Explanation } from '../lib/rule.ts';
import { growthEvidence, secondsSinceRequest } from './expansion.ts';
import { resizerHealth } from './resizer-health.ts';
import type { ResizerHealth } from './resizer-health.ts';

const patienceSeconds = 60;
/** Enough for a resizer that is known to be down. */
export const startSeconds = 20;

/** The storage has not grown yet, and the resizer has reported no error. */
export function isForResizer(c: PresentClaim): boolean {
  return (
    !isForNode(c.claim) && !hasCondition(c.claim, 'ControllerResizeError') && secondsSinceRequest(c) >= startSeconds
  );
}

/** A controller has begun to expand the volume. */
export function isTouched({ claim }: PresentClaim): boolean {
  return resizeStateOf(claim) !== '' || hasCondition(claim, 'Resizing');
}

/** The volume controller's event that an external resizer must expand the volume. */
export function handOverSaid(c: PresentClaim): Evidence[] {
  const said = newestMatch(c.events.items, 'ExternalExpanding', /^/);
  return said ? [eventSaid(c.claim, said.event)] : [];
}

/** No resizer of the driver has acted on the claim: whether it is down, cannot be seen, or ignores the claim. */
export function explainSilence(c: PresentClaim, driver: string): Explanation | undefined {
  const health = resizerHealth(c.ask, driver);
  const isProvenDown = health.state === 'down' && health.confidence !== 'likely';
  if (secondsSinceRequest(c) < patienceSeconds && !isProvenDown) return undefined;
  const said = handOverSaid(c);
  // A resizer that has acted on the claim runs somewhere, even where none was found.
  if (isTouched(c) && !isProvenDown) return undefined;
  if (health.state !== 'down') return explainIdle(c, driver, health, said);
  return {
    ...(health.confidence !== undefined && { confidence: health.confidence }),
    about: driver,
    summary: `the resizer of ${driver} ${health.words}`,
    evidence: [...health.evidence, ...growthEvidence(c), ...said],
    fix: health.fix,
  };
}

/** The resizer runs and ignores the claim, or it could not be read whether one runs. */
function explainIdle(
  c: PresentClaim,
  driver: string,
  { state, controller }: ResizerHealth,
  said: readonly Evidence[],
): Explanation {
  const since = growthSince(c);
  const waited = since === undefined ? '' : ` in ${ageText(since, c.now)}`;
  const isSeen = state === 'runs';
  return {
    confidence: !isSeen && since !== undefined ? 'likely' : 'possible',
    about: driver,
    summary: isSeen
      ? `the resizer of ${driver} runs, but has not touched the claim${waited}`
      : `no resizer of ${driver} has touched the claim${waited}, and whether one runs could not be read`,
    evidence: [...growthEvidence(c), ...said],
    fix: [logsFix(controller), checkRights()],
  };
}

function checkRights(): Fix {
  return fix(
    'see whether it may write claims and volumes, and whether it serves this driver',
    'kubectl get deploy,sts -A -o wide | grep -i -e csi -e resizer',
  );
}
