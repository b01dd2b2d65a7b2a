import { ageText, parseTime } from '../../kube/time.ts';
import type { Lease, Volume } from '../../kube/kinds.ts';
import { componentOf } from '../../graph/events.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { chooseVolume } from '../../facts/volume/volume-match.ts';
import { closestMiss, isSearching } from './closest-volume.ts';
import { reservedMatch, waitedFor } from './reserved-volume.ts';

/** A stale lease proves it as soon as the controller should have acted (it looks every 15 s); without one only silence tells. */
const provenSeconds = 30;
const guessedSeconds = 120;

/** A volume that only waits for the controller: it fits, or is its own already, or has no phase yet. */
function idleVolume(c: PresentClaim): Volume | undefined {
  const reserved = reservedMatch(c);
  if (reserved) return reserved.failed.length === 0 ? reserved.volume : undefined;
  if (!isSearching(c)) return undefined;
  const chosen = chooseVolume(nearMissesOf(c).fitting, c.claim, { by: 'search' });
  if (chosen) return chosen;
  const miss = closestMiss(c);
  return miss?.reason === 'phase' &&
    miss.failed.length === 1 &&
    miss.failed[0] === 'phase' &&
    miss.volume.status?.phase !== 'Failed'
    ? miss.volume
    : undefined;
}

function explanationOf(c: PresentClaim, lease: Lease, volume: Volume | undefined): Explanation {
  const renewed = parseTime(lease.spec?.renewTime) ?? c.now;
  return {
    confidence: 'likely',
    about: 'kube-controller-manager',
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

/** Nothing is wrong with claim and volume, and still nobody brings them together. */
export const pvControllerDown = claimRule({
  cause: 'pv-controller-down',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const volume = idleVolume(c);
    if (!volume || waitedFor(c, volume) < provenSeconds) return undefined;
    const lease = staleManagerLease(c.ask);
    if (lease) return explanationOf(c, lease, volume);
    if (waitedFor(c, volume) < guessedSeconds || reservedMatch(c) || closestMiss(c) || c.isDelayed !== false)
      return undefined;
    return {
      confidence: 'possible',
      about: 'kube-controller-manager',
      summary: `volume ${volume.metadata.name} fits pvc/${c.name}, yet nobody binds the two: the binder in the kube-controller-manager may be down or switched off`,
      evidence: [field(volume, 'status.phase'), field(c.claim, 'status.phase')],
      fix: [
        fix(
          'see whether the kube-controller-manager runs, and with persistentvolume-binder-controller among its controllers',
          'kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml',
        ),
      ],
    };
  },
});

/** The same for a claim that is to be provisioned: the controller never even asked the provisioner. */
export const pvControllerDownBeforeProvisioning = claimRule({
  cause: 'pv-controller-down',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.askedProvisioner !== undefined || c.ageSeconds < provenSeconds || c.provisioner === undefined)
      return undefined;
    if (c.events.items.some((event) => componentOf(event) === 'persistentvolume-controller')) return undefined;
    const lease = staleManagerLease(c.ask);
    return lease && explanationOf(c, lease, undefined);
  },
});
