import { volumesNaming } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { patchVolume } from './closest-volume.ts';
import { claimRefField } from './reserved-volume.ts';

/** persistentvolume/index.go findByClaim: groups with fewer access modes are searched first, and a hit there ends the search. */
export const pvPreboundStolen = claimRule({
  cause: 'pv-prebound-stolen',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    if (!c.isBound) return undefined;
    const waiting = volumesNaming(c.ask, c.claim).find(
      (volume) => volume.metadata.name !== c.volumeName && !volume.spec?.claimRef?.uid,
    );
    if (!waiting) return undefined;
    const { name } = waiting.metadata;
    return {
      summary: `volume ${name} is reserved for pvc/${c.name}, which is bound to ${c.volumeName}`,
      evidence: [field(c.claim, 'spec.volumeName'), claimRefField(waiting), field(waiting, 'status.phase')],
      fix: [
        fix(`if ${c.volumeName} is the right one, free the other`, patchVolume(name, { spec: { claimRef: null } })),
        fix(
          `otherwise make the claim again and name ${name} in its spec.volumeName too: a reservation on the volume alone does not hold the claim`,
        ),
      ],
    };
  },
});
