import { field, fix, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { matchVolume, reservationOf } from '../../facts/volume/volume-match.ts';

/** lib provisionClaimOperation: when a volume with the claim's own name is there, the work counts as done. */
export const provisionPvNameTaken = claimRule({
  cause: 'provision-pv-name-taken',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const { uid } = c.claim.metadata;
    if (!uid) return undefined;
    const lookup = c.ask.get(
      'PersistentVolume',
      undefined,
      `pvc-${uid}`,
      `whether the volume of pvc/${c.name} was made already`,
    );
    if (lookup.state !== 'found') return undefined;
    const volume = lookup.object;
    const reservation = reservationOf(volume, c.claim);
    if (
      reservation === 'this' ||
      (reservation === 'none' && matchVolume(volume, c.claim, { by: 'search' }).failed.length === 0)
    )
      return undefined;
    const { claimRef } = volume.spec ?? {};
    const owner = claimRef
      ? `belongs to ${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`
      : 'belongs to nobody and does not fit';
    return {
      summary: `pv/${volume.metadata.name}, the volume that was made for this claim, ${owner}, so the provisioner takes the work for done`,
      evidence: [
        claimRef
          ? field(
              volume,
              'spec.claimRef',
              `${claimRef.namespace ?? ''}/${claimRef.name ?? ''} uid ${claimRef.uid ?? 'not set'}`,
            )
          : field(volume, 'spec.claimRef'),
        field(c.claim, 'metadata.uid'),
      ],
      fix: [
        fix(
          'see whose data it holds; then give the volume back to this claim, or delete the claim and make it again, which gets another volume',
          `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
        ),
      ],
    };
  },
});
