import { ageText, parseTime } from '../../kube/time.ts';
import type { Lease, Volume } from '../../kube/kinds.ts';
import { componentOf } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { field, fix } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { chooseVolume } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { closestMiss, isSearching } from './closest-volume.ts';
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

function explainLease(c: PresentClaim, lease: Lease, volume: Volume | undefined): Explanation {
  const renewed = parseTime(lease.spec?.renewTime) ?? c.now;
  return {
    confidence: 'likely',
    about: manager,
    summary: `the kube-controller-manager, which binds claims and volumes, has not renewed its lease for ${ageText(renewed, c.now)}`,
    evidence: [
      field(lease, 'spec.renewTime'),
      field(lease, 'spec.holderIdentity'),
      ...(volume ? [field(volume, 'status.phase')] : []),
      field(c.claim, 'status.phase'),
    ],
    fix: [
      fix(
        'look for the kube-controller-manager and get it running again; the claims then go on by themselves',
        'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
      ),
    ],
  };
}

function explainSilence(c: PresentClaim, volume: Volume): Explanation {
  return {
    confidence: 'possible',
    about: manager,
    summary: `volume ${volume.metadata.name} fits pvc/${c.name}, yet nobody binds the two: the binder in the kube-controller-manager may be down or switched off`,
    evidence: [field(volume, 'status.phase'), field(c.claim, 'status.phase')],
    fix: [
      fix(
        'see whether the kube-controller-manager runs, and with persistentvolume-binder-controller among its controllers',
        'kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml',
      ),
    ],
  };
}
