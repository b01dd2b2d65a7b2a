import { only, shared } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** A claim and the volume that it should get. */
export const bindWordings: readonly Wording[] = [
  shared(/no volume plugin matched name: kubernetes\.io\/no-provisioner/, {
    'static-no-candidate-pv': 'no volume of the class exists',
    'pv-claimed-by-other': 'every volume of the class belongs to another claim',
    'pv-capacity-too-small': 'the volumes of the class are too small',
    'pv-accessmodes-mismatch': 'the volumes of the class lack an access mode of the claim',
    'pv-volumemode-mismatch': 'one is Block and the other Filesystem',
    'pv-selector-mismatch': 'the claim has a selector that no volume matches',
    'pv-released-stale-claimref': 'a volume that fits is Released: it still belongs to a deleted claim',
    'pv-class-mismatch': 'the volume that is meant for the claim has another class',
    'pv-reserved-for-absent-claim': 'the volume is reserved for a claim that does not exist',
    'pv-phase-not-available': 'the volume is Pending or Failed',
    'pv-terminating-candidate': 'the volume that fits is being deleted',
    'pv-vac-mismatch': 'the two name different VolumeAttributesClasses',
    'pv-no-capacity': 'the volume states no capacity',
    'local-pv-immediate-class': 'the class of local volumes should wait for the first consumer',
  }),
  ...only('pv-volumemode-mismatch', /due to incompatible volumeMode/),
  ...only(
    'pvc-volumename-mismatch',
    /Cannot bind to requested volume(?! "[^"]*": (?:volumeAttributesClassName|the volume is marked))/,
  ),
  shared(/volumeAttributesClassName does not match/, {
    'pvc-volumename-mismatch': 'the claim names the volume in spec.volumeName',
    'pv-vac-mismatch': 'the claim names no volume',
  }),
  shared(/the volume is marked for deletion/, {
    'pvc-volumename-mismatch': 'the claim names the volume in spec.volumeName',
    'pv-terminating-candidate': 'the volume is the only one that fits',
  }),
  shared(/already bound to a different claim/, {
    'pvc-volumename-claimed-by-other': 'the volume belongs to a claim that exists',
    'pv-released-stale-claimref': 'the volume is Released: the claim that it belongs to was deleted',
  }),
  ...only('pvc-lost-volumename-cleared', /lost reference to PersistentVolume/),
  shared(/has lost its PersistentVolume|non-bound phase \("Lost"\)/, {
    'pvc-lost-pv-deleted': 'the volume does not exist any more',
    'pvc-lost-misbound': 'the volume exists, and its claimRef has another uid',
    'pvc-lost-volumename-cleared': 'spec.volumeName of the claim is empty',
  }),
  ...only('pvc-lost-misbound', /Two claims are bound to the same volume/),
  ...only('pv-no-capacity', /is without a storage capacity/),
  shared(/can't update PersistentVolumeClaim\[/, {
    'retroactive-default-blocked': 'the claim has no class yet',
    'bind-incomplete': 'the volume already names the claim',
  }),
];
