import type { Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { matchVolume, reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';

/** lib provisionClaimOperation: if a volume with the name for this claim exists, the work counts as done. */
export const provisionPvNameTaken = claimRule({
  cause: 'provision-pv-name-taken',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const volume = volumeByName(c);
    if (!volume || canBeBound(c, volume)) return undefined;
    return {
      summary: `pv/${volume.metadata.name}, the volume that was made for this claim, ${ownerText(volume)}, so the provisioner takes the work for done`,
      evidence: [ownerEvidence(volume), field(c.claim, 'metadata.uid')],
      fix: [
        fix(
          'see whose data it holds; then give the volume back to this claim, or delete the claim and make it again, which gets another volume',
          `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
        ),
      ],
    };
  },
});

function volumeByName(c: PresentClaim): Volume | undefined {
  const { uid } = c.claim.metadata;
  if (!uid) return undefined;
  const why = `whether the volume of pvc/${c.name} was made already`;
  const lookup = c.ask.get('PersistentVolume', undefined, `pvc-${uid}`, why);
  return lookup.state === 'found' ? lookup.object : undefined;
}

/** The volume is this claim's, or is free and fits: then the volume controller binds it. */
function canBeBound(c: PresentClaim, volume: Volume): boolean {
  const reservation = reservationOf(volume, c.claim);
  if (reservation === 'this') return true;
  return reservation === 'none' && matchVolume(volume, c.claim, { by: 'search' }).failed.length === 0;
}

function ownerText({ spec }: Volume): string {
  const reference = spec?.claimRef;
  return reference
    ? `belongs to ${reference.namespace ?? ''}/${reference.name ?? ''}`
    : 'belongs to nobody and does not fit';
}

function ownerEvidence(volume: Volume): Evidence {
  const reference = volume.spec?.claimRef;
  if (!reference) return field(volume, 'spec.claimRef');
  const { namespace = '', name = '', uid = 'not set' } = reference;
  return field(volume, 'spec.claimRef', `${namespace}/${name} uid ${uid}`);
}
