import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { ownerText } from './closest-volume.ts';
import { discardAndFree } from './volume-taken.ts';

/** pv_controller syncUnboundClaim: the controller waits, and reports it, until the volume is free. */
export const pvcVolumeNameClaimedByOther = claimRule({
  cause: 'pvc-volumename-claimed-by-other',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.namesVolume || !c.volume || c.volume.state === 'missing') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', /already bound to a different claim/);
    const volume = c.volume.state === 'found' ? c.volume.object : undefined;
    if (volume ? !isTaken(c, volume) : !said) return undefined;
    return {
      confidence: volume ? 'certain' : 'likely',
      summary: `pvc/${c.name} names volume ${c.volumeName}, which ${holderText(volume)}`,
      evidence: [
        field(c.claim, 'spec.volumeName'),
        ...(volume ? [field(volume, 'spec.claimRef', ownerText(volume)), field(volume, 'status.phase')] : []),
        ...saidOnClaim(c, said),
      ],
      fix: advise(c, volume),
    };
  },
});

/** Held for a claim of another name; an earlier claim of the same name is pv-released-stale-claimref. */
function isTaken(c: PresentClaim, volume: Volume): boolean {
  return reservationOf(volume, c.claim) === 'other' && !namesClaim(volume, c.claim);
}

function isReleased(volume: Volume | undefined): boolean {
  return volume?.status?.phase === 'Released';
}

function holderText(volume: Volume | undefined): string {
  const owner = volume?.spec?.claimRef ? `claim ${ownerText(volume)}` : 'another claim';
  return isReleased(volume) ? `is still held for ${owner}, which is gone` : `belongs to ${owner}`;
}

function advise(c: PresentClaim, volume: Volume | undefined): Fix[] {
  return [
    fix(
      'delete the claim and make it again with the name of a free volume: nothing is stored under a claim that was never bound',
      deleteClaimCommand(c),
      'disruptive',
    ),
    ...(volume && isReleased(volume) ? [discardAndFree(volume)] : []),
  ];
}
