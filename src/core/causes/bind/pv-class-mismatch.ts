import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { field, fix } from '../../facts/evidence.ts';
import { closestVolumeRule, giveClass, remakeClaim } from './closest-volume.ts';

/** The class of a volume can be changed while it is free; that of a claim cannot. */
export const pvClassMismatch = closestVolumeRule('pv-class-mismatch', 'class', {
  describe(c, volume) {
    const [has, wants] = [resolveClass(volume).name, c.class.name];
    return `has ${has ? `class ${has}` : 'no class'} where the claim has ${wants ? `class ${wants}` : 'none'}, and misses in nothing else`;
  },
  evidence: (c) => [classField(c)],
  advise: (c, volume) => [
    fix(`give the volume the class of the claim`, giveClass(volume, c.class.name)),
    remakeClaim(c, `or delete the claim and make it again with storageClassName ${resolveClass(volume).name || '""'}`),
  ],
});

function classField(c: PresentClaim): Evidence {
  const { name, source } = c.class;
  return field(
    c.claim,
    source === 'annotation' ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName',
    source === 'none' ? undefined : name,
  );
}
