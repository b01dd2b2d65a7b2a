import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { fix } from '../../facts/evidence.ts';
import { patchVolume } from './closest-volume.ts';

/** The claim was recreated under its old name, and the volume still has the uid of the former one. */
export function staleText(volume: Volume): string {
  return `volume ${volume.metadata.name} is still held for an earlier claim of the same name: it was deleted and made again, and the uid in the volume's claimRef is the old one`;
}

/** For a claim that was never bound: a claimRef without a uid reserves the volume for it. */
export function keepReservation(volume: Volume): Fix[] {
  return [
    ...keepData(volume, 'its reclaim policy is Delete: keep the data safe first'),
    fix(
      'look what is on the volume; then take the old uid out of its claimRef, so that the new claim gets it, data and all',
      patchVolume(volume.metadata.name, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
    ),
  ];
}

/**
 * For a claim that was bound once: pv_controller syncBoundClaim binds it again when the claimRef has its uid, or when there is none at all.
 * A claimRef without a uid leaves it Lost, and no claimRef would let another claim take the volume first.
 */
export function giveBack(volume: Volume, claim: Claim): Fix[] {
  return [
    ...keepData(
      volume,
      'at once: its reclaim policy is Delete, and for the cluster its claim is gone, so the volume is about to be deleted with its data; set the policy to Retain first',
    ),
    fix(
      `write the uid of pvc/${claim.metadata.name} into the claimRef of the volume: the two are then bound again by themselves, data and all`,
      patchVolume(volume.metadata.name, {
        spec: { claimRef: { uid: claim.metadata.uid ?? 'UID', resourceVersion: null } },
      }),
    ),
  ];
}

function keepData(volume: Volume, text: string): Fix[] {
  return volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? [fix(text, patchVolume(volume.metadata.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }))]
    : [];
}

/** Gives up what a former claim of another name left on the volume. */
export function discardAndFree(volume: Volume): Fix {
  return fix(
    'data-loss: or, if nobody needs what the old claim left on it, free the volume; the new claim may read and overwrite it',
    patchVolume(volume.metadata.name, { spec: { claimRef: null } }),
    'data-loss',
  );
}
