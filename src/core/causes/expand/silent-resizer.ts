import { startUnseen } from '../../facts/driver/controller-health.ts';
import { logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { componentOf, newestMatch } from '../../graph/events.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, shellWord } from '../../facts/evidence.ts';
import { growthSince, hasCondition, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import { accountOfController } from '../../facts/rights.ts';
import { addRights, missingEvidence, missingRights, missingWords } from '../lib/missing-right.ts';
import type { MissingRights } from '../lib/missing-right.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { growthEvidence, secondsSinceRequest } from './expansion.ts';
import { steps } from '../lib/steps.ts';
import { noResizer, resizerHealth } from './resizer-health.ts';
import type { ResizerHealth } from './resizer-health.ts';
import { restartResizer } from './storage-fixes.ts';

const patienceSeconds = 60;
/** Enough for a resizer that is known to be down. */
export const startSeconds = 20;

/** The storage has not grown yet, and the resizer has reported no error. */
export function isForResizer(c: PresentClaim): boolean {
  return (
    !isForNode(c.claim) && !hasCondition(c.claim, 'ControllerResizeError') && secondsSinceRequest(c) >= startSeconds
  );
}

/** A controller has begun to expand the volume: the claim shows it, or an event of the resizer. */
export function isTouched({ claim, events }: PresentClaim): boolean {
  return (
    resizeStateOf(claim) !== '' ||
    hasCondition(claim, 'Resizing') ||
    events.items.some((event) => event.reason === 'VolumeResizeFailed' && /^external-resizer /.test(componentOf(event)))
  );
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
    summary: `${noResizer(driver, health)} pvc/${c.name} stays at ${c.claim.status?.capacity?.['storage'] ?? 'its old size'}.`,
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
  const missing = isSeen ? rightsOfResizer(c, controller) : undefined;
  if (missing) return explainMissingRights(c, driver, missing, [...growthEvidence(c), ...said]);
  return {
    confidence: !isSeen && since !== undefined ? 'likely' : 'possible',
    about: driver,
    summary: isSeen
      ? `The resizer of ${driver} is running${leaseWords(controller, c.now)}, but has not started to grow ` +
        `pvc/${c.name}${waited}: no Resizing condition, no error, no event. Only its log holds the reason.`
      : `No resizer of ${driver} has started to grow pvc/${c.name}${waited}, and whether one runs could not be read.`,
    evidence: [...growthEvidence(c), ...said],
    fix: isSeen ? silentFixes(c, controller) : [startUnseen(`the resizer of ${driver}`)],
  };
}

/** What external-resizer writes before it calls the driver, and after (its own RBAC manifest). */
function rightsOfResizer(c: PresentClaim, controller: DriverController): MissingRights | undefined {
  const account = accountOfController(controller, controller.leader);
  const verbs = ['patch', 'update'];
  return (
    account &&
    missingRights(c.ask, account, [
      { verbs, group: '', resource: 'persistentvolumeclaims/status', namespace: c.namespace },
      { verbs, group: '', resource: 'persistentvolumes' },
    ])
  );
}

function explainMissingRights(
  c: PresentClaim,
  driver: string,
  missing: MissingRights,
  evidence: EvidenceList,
): Explanation {
  return {
    confidence: 'likely',
    about: driver,
    summary:
      `pvc/${c.name} asks for ${c.request ?? 'more'} and stays at ${c.claim.status?.capacity?.['storage'] ?? 'its old size'}. ` +
      `The resizer of ${driver} is running, but ${missingWords(missing)}.`,
    evidence: [...evidence, ...missingEvidence(missing)],
    fix: [addRights(missing, "the driver's release", 'The resizer then grows the volume at its next try.')],
  };
}

function leaseWords({ lease }: DriverController, now: number): string {
  const renewed = lease.state === 'fresh' ? parseTime(lease.object?.spec?.renewTime) : undefined;
  return renewed === undefined ? '' : ` (lease renewed ${ageText(renewed, now)} ago)`;
}

/**
 * A resizer that may not write claims or volumes reports nothing; otherwise a fresh process looks at every claim again.
 */
function silentFixes(c: PresentClaim, controller: DriverController): Fix[] {
  const pod = controller.leader ?? controller.pods.items[0];
  const namespace = pod?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE';
  const account = `system:serviceaccount:${namespace}:${pod?.spec?.serviceAccountName ?? 'default'}`;
  const log = logsFix(controller).command ?? '';
  return [
    steps(
      'Read why the resizer leaves the claim alone. If the log shows "forbidden" or one of the other lines ' +
        'prints "no", reapply the RBAC manifests of the driver\'s release; otherwise go on with fix 2.',
      [
        log,
        ...(pod
          ? [
              `kubectl auth can-i patch persistentvolumeclaims/status -n ${shellWord(c.namespace)} --as=${shellWord(account)}`,
              `kubectl auth can-i patch persistentvolumes --as=${shellWord(account)}`,
            ]
          : []),
      ],
    ),
    restartResizer(
      c,
      controller.driver,
      (what) => `Restart ${what}: a fresh process looks at every claim again. Volumes in use are not affected.`,
    ),
  ];
}
