import { ageText, parseTime } from '../../kube/time.ts';
import type { Lease, Volume } from '../../kube/kinds.ts';
import { componentOf } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { field } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { chooseVolume } from '../../facts/volume/volume-match.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { closestMiss, isSearching } from './closest-volume.ts';
import { startManagerFix } from './controller-manager.ts';
import { reservedMatch, waitedFor } from './reserved-volume.ts';

const cause = 'pv-controller-down';
const manager = 'kube-controller-manager';
/** The controller looks at every claim each 15 s: after this time a stale lease proves that it does not. */
const provenSeconds = 30;
/** Without a stale lease only the long silence points to it. */
const guessedSeconds = 120;

/** Nothing is wrong with claim and volume, and still no controller binds them. */
export const pvControllerDown = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const volume = waitingVolume(c);
    if (!volume || waitedFor(c, volume) < provenSeconds) return undefined;
    const lease = staleManagerLease(c.ask);
    if (lease) return explainLease(c, lease, volume);
    return isLeftUnbound(c, volume) ? explainSilence(c, volume) : undefined;
  },
});

/** The same for a claim that is to be provisioned: the controller never asked the provisioner. */
export const pvControllerDownBeforeProvisioning = claimRule({
  cause,
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.askedProvisioner !== undefined || c.ageSeconds < provenSeconds || c.provisioner === undefined)
      return undefined;
    if (c.events.items.some((event) => componentOf(event) === 'persistentvolume-controller')) return undefined;
    const lease = staleManagerLease(c.ask);
    return lease && explainLease(c, lease, undefined);
  },
});

/** The same for a volume: the controller makes a new one Available, or Bound to the claim it names, within seconds. */
export const pvControllerDownForVolume = objectRule('PersistentVolume', {
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(v) {
    const { phase } = v.object.status ?? {};
    if ((phase !== undefined && phase !== 'Pending') || v.isTerminating || v.ageSeconds < provenSeconds)
      return undefined;
    const lease = staleManagerLease(v.ask);
    if (!lease && v.ageSeconds < guessedSeconds) return undefined;
    return {
      confidence: lease ? 'likely' : 'possible',
      about: manager,
      summary: lease
        ? `pv/${v.name} stays Pending: ${leaseText(lease, v.now)}`
        : `pv/${v.name} stays Pending: the volume controller in the ${manager} has not touched it. It may be down or switched off.`,
      evidence: [
        field(v.object, 'status.phase'),
        field(v.object, 'metadata.creationTimestamp'),
        ...(lease ? leaseEvidence(lease) : []),
      ],
      fix: [startManagerFix(lease, 'The volume is then Available, or bound to its claim, within 15 seconds.')],
    };
  },
});

/** A volume that only waits for the controller: it is reserved for the claim and fits, or the search would take it. */
function waitingVolume(c: PresentClaim): Volume | undefined {
  const reserved = reservedMatch(c);
  if (reserved) return reserved.failed.length === 0 ? reserved.volume : undefined;
  if (!isSearching(c)) return undefined;
  return chooseVolume(nearMissesOf(c).fitting, c.claim, { by: 'search' }) ?? volumeWithoutPhase(c);
}

/** A volume that would fit if the controller had set its phase to Available. */
function volumeWithoutPhase(c: PresentClaim): Volume | undefined {
  const miss = closestMiss(c);
  const lacksPhaseOnly = miss?.reason === 'phase' && miss.failed.length === 1 && miss.failed[0] === 'phase';
  return lacksPhaseOnly && miss.volume.status?.phase !== 'Failed' ? miss.volume : undefined;
}

/** The lease is alive or unread, so only a fitting free volume that stays unbound for long counts. */
function isLeftUnbound(c: PresentClaim, volume: Volume): boolean {
  return waitedFor(c, volume) >= guessedSeconds && !reservedMatch(c) && !closestMiss(c) && c.isDelayed === false;
}

/** `the kube-controller-manager, which binds …, has not renewed its lease for 20m (holder "control-1_abc").` */
function leaseText(lease: Lease, now: number): string {
  const renewed = parseTime(lease.spec?.renewTime) ?? now;
  const holder = lease.spec?.holderIdentity;
  return (
    `the ${manager}, which binds claims and volumes, has not renewed its lease for ` +
    `${ageText(renewed, now)}${holder ? ` (holder "${holder}")` : ''}.`
  );
}

function leaseEvidence(lease: Lease): Explanation['evidence'] {
  return [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')];
}

function explainLease(c: PresentClaim, lease: Lease, volume: Volume | undefined): Explanation {
  const waits = volume
    ? `pv/${volume.metadata.name} fits ${claimText(c)}, and the two are not bound`
    : `${claimText(c)} was never handed to its provisioner`;
  return {
    confidence: 'likely',
    about: manager,
    summary: `${waits}: ${leaseText(lease, c.now)}`,
    evidence: [
      ...leaseEvidence(lease),
      ...(volume ? [field(volume, 'status.phase')] : []),
      field(c.claim, 'status.phase'),
    ],
    fix: [startManagerFix(lease, 'Waiting claims then bind within 15 seconds.')],
  };
}

function explainSilence(c: PresentClaim, volume: Volume): Explanation {
  return {
    confidence: 'possible',
    about: manager,
    summary:
      `pv/${volume.metadata.name} fits ${claimText(c)}, and the two are not bound. ` +
      `The persistentvolume-binder-controller in the ${manager} may be down or switched off.`,
    evidence: [field(volume, 'status.phase'), field(c.claim, 'status.phase')],
    fix: [
      startManagerFix(
        undefined,
        'Its flag --controllers must not exclude persistentvolume-binder-controller. The two are then bound within 15 seconds.',
      ),
    ],
  };
}
