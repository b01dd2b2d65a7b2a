import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation } from '../../facts/class/storage-class.ts';
import { field } from '../../facts/evidence.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { fitClaim, giveClassFix } from './make-fit.ts';

/** The class of a volume can be changed while it is free; that of a claim cannot. */
export const pvClassMismatch = closestVolumeRule('pv-class-mismatch', 'class', {
  describe: (c, { volume }) => missClause(volume, c.claim, 'class'),
  wouldFit: (c) => `the volume had ${c.class.name === '' ? 'none' : `class "${c.class.name}"`}`,
  evidence: (c) => [classField(c)],
  advise: (c, { volume, failed }) => [giveClassFix(c, volume), fitClaim(c, volume, failed)],
});

function classField(c: PresentClaim): Evidence {
  const { name, source } = c.class;
  return field(
    c.claim,
    source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName',
    source === 'none' ? undefined : name,
  );
}
