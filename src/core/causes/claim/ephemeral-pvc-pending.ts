import type { Lease } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Confidence, Evidence } from '../../report/report.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { absentClaimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { refusalOf } from './refusal.ts';
import { absenceOf, unmadeEphemeralClaimOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const graceSeconds = 30;
const staleSeconds = 60;

/** The ephemeral volume controller of kube-controller-manager creates the claim within moments; if not, it does not run. */
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
    summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} is being made`,
    evidence: evidenceOf(c, unmade),
    fix: [],
  };
}

function explainInactivity(c: ClaimCase, unmade: UnmadeClaim): Explanation {
  const why = 'whether kube-controller-manager is alive';
  const lease = c.ask.get('Lease', 'kube-system', 'kube-controller-manager', why);
  const does = isStale(c, lease) ? 'does not act, and its lease is stale' : 'does not act, or is refused';
  return {
    severity: 'blocking',
    confidence: confidenceOf(c, unmade, lease),
    about: 'ephemeral controller',
    summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} was never made: the ephemeral volume controller of kube-controller-manager ${does}`,
    evidence: [...evidenceOf(c, unmade), ...(lease.state === 'found' ? [field(lease.object, 'spec.renewTime')] : [])],
    fix: [
      fix(
        'look for kube-controller-manager, and bring it back with its ephemeral-volume-controller enabled',
        `kubectl -n kube-system get pods -l component=kube-controller-manager`,
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
