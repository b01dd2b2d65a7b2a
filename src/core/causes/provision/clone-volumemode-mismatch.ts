import { field } from '../../facts/evidence.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource: the clone and the volume of the source must have the same volumeMode. */
export const cloneVolumemodeMismatch = claimRule({
  cause: 'clone-volumemode-mismatch',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'mode') return undefined;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `the claim and pvc/${failure.source.name}, which is to be cloned, have different volume modes`,
        fix: [remakeClaim(c, 'with the volume mode of the source')],
      });
    const { compared } = failure;
    return {
      confidence: compared.kind === 'PersistentVolume' ? 'certain' : 'likely',
      summary: `the claim asks for volume mode ${volumeModeOf(c.claim)}, and the volume to be cloned has ${volumeModeOf(compared)}`,
      evidence: [field(c.claim, 'spec.volumeMode'), field(compared, 'spec.volumeMode'), ...cloneRefusal(c, 'mode')],
      fix: [remakeClaim(c, `with volumeMode ${volumeModeOf(compared)}`)],
    };
  },
});
