import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { namesClaim } from '../../facts/volume/volume-match.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { hasLostVolume } from './lost-claim.ts';
import { giveBack } from './volume-taken.ts';

/** pv_controller syncBoundClaim: a claim whose volume has the uid of another claim becomes Lost. */
export const pvcLostMisbound = claimRule({
  cause: 'pvc-lost-misbound',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLostVolume(c) || c.volume?.state === 'missing') return undefined;
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    const said = newestMatch(c.events.items, 'ClaimMisbound', /bound to the same volume/);
    if (volume ? !belongsToAnother(volume, c) : !said) return undefined;
    return volume && namesClaim(volume, c.claim) ? explainNamesake(c, volume, said) : explainOther(c, volume, said);
  },
});

/** syncBoundClaim compares the uid alone. */
function belongsToAnother(volume: Volume, c: PresentClaim): boolean {
  const reference = volume.spec?.claimRef;
  return (
    reference !== undefined &&
    (reference.name !== undefined || reference.uid !== undefined) &&
    reference.uid !== c.claim.metadata.uid
  );
}

function explainOther(c: PresentClaim, volume: Volume | undefined, said: EventMatch | undefined): Explanation {
  return {
    confidence: volume ? 'certain' : 'likely',
    summary: `volume ${c.volumeName || 'of the claim'} now belongs to ${holderText(volume)}, so pvc/${c.name} has lost it`,
    evidence: [...claimEvidence(c), ...(volume ? [field(volume, 'spec.claimRef.uid')] : []), ...saidOnClaim(c, said)],
    fix: adviseOther(c, volume),
  };
}

function holderText(volume: Volume | undefined): string {
  const reference = volume?.spec?.claimRef;
  if (!reference) return 'another claim';
  return `claim ${reference.namespace ?? ''}/${reference.name ?? ''} (uid ${reference.uid ?? 'not set'})`;
}

function claimEvidence(c: PresentClaim): [Evidence, ...Evidence[]] {
  return [field(c.claim, 'status.phase'), field(c.claim, 'spec.volumeName'), field(c.claim, 'metadata.uid')];
}

function adviseOther(c: PresentClaim, volume: Volume | undefined): Fix[] {
  return [
    fix(
      'find out which of the two claims owns the data; the volume serves only the one that its claimRef names',
      volume ? `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml` : 'kubectl get pv',
    ),
    fix('then delete this claim and make it again with a volume of its own', deleteClaimCommand(c), 'disruptive'),
  ];
}

/** Only one claim exists: it was recreated or restored together with its bind-completed annotation, and has a new uid. */
function explainNamesake(c: PresentClaim, volume: Volume, said: EventMatch | undefined): Explanation {
  return {
    summary: `volume ${volume.metadata.name} ${namesakeText(c, volume)} gets its volume back only when the claimRef has its own uid`,
    evidence: [
      ...claimEvidence(c),
      field(volume, 'spec.claimRef.uid'),
      field(volume, 'status.phase'),
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      ...saidOnClaim(c, said),
    ],
    fix: giveBack(volume, c.claim),
  };
}

function namesakeText(c: PresentClaim, volume: Volume): string {
  const { uid } = volume.spec?.claimRef ?? {};
  return uid
    ? `is still held for an earlier claim of the same name (uid ${uid}): pvc/${c.name} was made again or restored, and a claim that says that it was bound`
    : `is reserved for pvc/${c.name} by name alone, and a claim that was bound once`;
}
