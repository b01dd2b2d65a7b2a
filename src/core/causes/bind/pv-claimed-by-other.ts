import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { closestVolumeRule, ownerText } from './closest-volume.ts';
import { giveClassFix } from './make-fit.ts';

/** component-helpers IsVolumeBoundToClaim: a volume has one claim, with any access modes. */
export const pvClaimedByOther = closestVolumeRule('pv-claimed-by-other', 'claimed', {
  describe: (_c, { volume }) =>
    volume.status?.phase === 'Bound' ? `is bound to ${ownerText(volume)}` : `is reserved for ${ownerText(volume)}`,
  advise: (c, { volume }) => [
    createVolumeFix(c, 'Create another volume for the claim: one volume serves one claim only.', volume),
    ...useOtherClass(c),
    ...shareClaim(c, volume),
  ],
});

/** A free volume that misses nothing but the class. */
function useOtherClass(c: PresentClaim): Fix[] {
  const miss = nearMissesOf(c).misses.find(({ reason }) => reason === 'class');
  return miss ? [giveClassFix(c, miss.volume)] : [];
}

/** Pods of the same namespace can use the claim that has the volume. */
function shareClaim(c: PresentClaim, { spec, status }: Volume): Fix[] {
  const { namespace, name: claimName = '' } = spec?.claimRef ?? {};
  const [pod] = c.consumers.items;
  const volume = pod?.spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === c.name);
  if (namespace !== c.namespace || status?.phase !== 'Bound' || !pod || volume?.name === undefined) return [];
  return [
    changePodFix(
      pod,
      { volumes: [{ name: volume.name, persistentVolumeClaim: { claimName } }] },
      (where) =>
        `If pod/${pod.metadata.name} is to share the data of pvc/${claimName}, name that claim ${where}. ` +
        'Several pods may use one claim as far as its access modes allow.',
    ),
  ];
}
