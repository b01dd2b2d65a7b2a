import type { Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { describeMiss, missClause } from '../../facts/volume/miss-text.ts';
import type { VolumeCheck } from '../../facts/volume/volume-match.ts';

/** Every check that the volume fails, as clauses that complete "it …". */
export function failedChecksText(c: PresentClaim, volume: Volume, failed: readonly VolumeCheck[]): string {
  return failed.map((check) => missClause(volume, c.claim, check)).join('; it ');
}

/** For each check that the volume fails, the field of the claim and that of the volume. */
export function failedChecksEvidence(c: PresentClaim, volume: Volume, failed: readonly VolumeCheck[]): Evidence[] {
  return failed.flatMap((check) => {
    const { path, text } = describeMiss(volume, c.claim, check);
    return [claimField(c, check), field(volume, path, text)];
  });
}

/** The field of the claim that a check compares. */
export function claimField(c: PresentClaim, check: VolumeCheck): Evidence {
  switch (check) {
    case 'capacity':
      return field(c.claim, 'spec.resources.requests.storage');
    case 'class':
      return c.class.source === 'annotation'
        ? field(c.claim, 'metadata.annotations[volume.beta.kubernetes.io/storage-class]', c.class.name)
        : field(c.claim, 'spec.storageClassName');
    case 'volumeMode':
      return field(c.claim, 'spec.volumeMode');
    case 'accessModes':
      return field(c.claim, 'spec.accessModes');
    case 'attributesClass':
      return field(c.claim, 'spec.volumeAttributesClassName');
    default:
      return field(c.claim, 'spec.volumeName');
  }
}
