import type { Lease } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Confidence, Evidence } from '../../report/report.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { startManagerFix } from '../bind/controller-manager.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { refusalOf } from './refusal.ts';
import { absenceOf, unmadeEphemeralClaimOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const graceSeconds = 30;
const staleSeconds = 60;

/**
 * The ephemeral volume controller of kube-controller-manager creates the claim within moments; if not, it does not run.
 */
export const ephemeralPvcPending = absentClaimRule({
  cause: 'ephemeral-pvc-pending',
  stage: 'claim',
  severity: 'info',
  explain(c) {
    const unmade = unmadeEphemeralClaimOf(c);
    if (!unmade?.isDue || refusalOf(c, unmade)) return undefined;
    return isYoung(c, unmade) ? explainWait(c, unmade) : explainInactivity(c, unmade);
  },
});

function isYoung(c: ClaimCase, { owner }: UnmadeClaim): boolean {
  const created = parseTime(owner.metadata.creationTimestamp);
  return created !== undefined && c.now - created < graceSeconds * 1000;
}

function evidenceOf(c: ClaimCase, { owner }: UnmadeClaim): [Evidence, ...Evidence[]] {
  return [absenceOf(c), field(owner, 'metadata.creationTimestamp')];
}

function explainWait(c: ClaimCase, unmade: UnmadeClaim): Explanation {
  return {
    summary: `${claimText(c)} for ephemeral volume "${unmade.template}" of ${unmade.label} is being created.`,
    evidence: evidenceOf(c, unmade),
    fix: [],
  };
}

function explainInactivity(c: ClaimCase, unmade: UnmadeClaim): Explanation {
  const why = 'whether kube-controller-manager is alive';
  const lease = c.ask.get('Lease', 'kube-system', 'kube-controller-manager', why);
  const does = isStale(c, lease)
    ? `is not running: its lease was last renewed ${ageText(renewTimeOf(lease) ?? c.now, c.now)} ago`
    : 'has not created it, or is refused';
  return {
    severity: 'blocking',
    confidence: confidenceOf(c, unmade, lease),
    about: 'ephemeral controller',
    summary:
      `${claimText(c)} for ephemeral volume "${unmade.template}" of ${unmade.label} was never created: ` +
      `the kube-controller-manager, which creates such claims, ${does}.`,
    evidence: [...evidenceOf(c, unmade), ...(lease.state === 'found' ? [field(lease.object, 'spec.renewTime')] : [])],
    fix: [
      startManagerFix(
        lease.state === 'found' ? lease.object : undefined,
        'Its flag --controllers must not exclude ephemeral-volume-controller. The claim is then created within seconds.',
      ),
    ],
  };
}

function renewTimeOf(lease: Lookup<Lease>): number | undefined {
  return lease.state === 'found' ? parseTime(lease.object.spec?.renewTime) : undefined;
}

function isStale(c: ClaimCase, lease: Lookup<Lease>): boolean {
  const renewed = renewTimeOf(lease);
  return renewed !== undefined && c.now - renewed > staleSeconds * 1000;
}

/** A controller that is alive was more likely refused, and the event has expired or could not be read. */
function confidenceOf(c: ClaimCase, unmade: UnmadeClaim, lease: Lookup<Lease>): Confidence {
  if (isStale(c, lease)) return 'certain';
  const isLeaseUnknown = renewTimeOf(lease) === undefined;
  return isLeaseUnknown && c.ask.eventsOf(unmade.owner).complete ? 'likely' : 'possible';
}
