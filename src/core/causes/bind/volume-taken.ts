import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { ownerText } from './closest-volume.ts';

/** The claim was recreated under its old name, and the volume still has the uid of the former one. */
export function staleText(volume: Volume): string {
  const { name, namespace } = volume.spec?.claimRef ?? {};
  const { phase = 'held' } = volume.status ?? {};
  return (
    `pv/${volume.metadata.name} is ${phase}: it is still held for an earlier pvc/${name ?? ''} in namespace ` +
    `${namespace ?? ''}, which had the same name and another uid. It never rebinds automatically.`
  );
}

/** For a claim that was never bound: a claimRef without a uid reserves the volume for it. */
export function keepReservation(volume: Volume): Fix[] {
  return [
    steps(
      'If the new claim may have the old data, remove the old uid from the claimRef of ' +
        `pv/${volume.metadata.name}. The two are bound within 15 seconds, data included.${keeperNote(volume)}`,
      [
        ...keepData(volume),
        saveCommand(volume),
        patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
      ],
    ),
  ];
}

/**
 * For a claim that was bound once: pv_controller syncBoundClaim binds it again when the claimRef has its uid, or when
 * there is none at all. A claimRef without a uid leaves it Lost, and no claimRef would let another claim take the
 * volume first.
 */
export function giveBack(volume: Volume, claim: Claim): Fix[] {
  const isDeleted = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  const { uid = 'PLACEHOLDER_UID' } = claim.metadata;
  return [
    steps(
      `${
        isDeleted
          ? 'Keep the data first: the policy is Delete, and with its old claim gone the volume may be deleted at ' +
            'any time. Then write'
          : 'Write'
      } ` +
        `the uid of pvc/${claim.metadata.name} into the claimRef of pv/${volume.metadata.name}. The two are ` +
        `bound again within 15 seconds, data included.${keeperNote(volume)}`,
      [
        ...keepData(volume),
        saveCommand(volume),
        patchCommand(volume, { spec: { claimRef: { uid, resourceVersion: null } } }),
      ],
    ),
  ];
}

function keepData(volume: Volume): string[] {
  return volume.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })]
    : [];
}

/** The same for a claim that names the volume itself: as far as is known, it should have it. */
export function takeOver(c: PresentClaim, volume: Volume): Fix {
  const { commands = [] } = handOver(c, volume);
  return steps(
    `If pvc/${c.name} is meant to take over what ${ownerText(volume)} left on pv/${volume.metadata.name}, ` +
      `reserve the volume for it. The two are bound within 15 seconds, data included.${keeperNote(volume)}`,
    commands,
  );
}

/**
 * Gives this claim a volume that a former claim of another name left. Without any claimRef, whichever claim comes first
 * would take it.
 */
export function handOver(c: PresentClaim, volume: Volume): Fix {
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    namespace: c.namespace,
    name: c.name,
    uid: null,
    resourceVersion: null,
  };
  return steps(
    `If what ${ownerText(volume)} left on pv/${volume.metadata.name} may be read and overwritten by this ` +
      'claim, reserve the volume for it. The two are bound within 15 seconds.',
    [...keepData(volume), saveCommand(volume), patchCommand(volume, { spec: { claimRef } })],
    'data-loss',
  );
}
