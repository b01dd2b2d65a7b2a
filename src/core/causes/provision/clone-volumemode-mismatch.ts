import { field } from '../../facts/evidence.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold } from './data-source.ts';
import { recreateClaim } from '../lib/remake-claim.ts';

/** external-provisioner getPVCSource: the clone and the volume of the source must have the same volumeMode. */
export const cloneVolumemodeMismatch = claimRule({
  cause: 'clone-volumemode-mismatch',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'mode') return undefined;
    const own = volumeModeOf(c.claim);
    if (failure.by === 'provisioner') {
      const other = own === 'Block' ? 'Filesystem' : 'Block';
      return explainTold(c, failure, {
        summary:
          `${claimText(c)} asks for volumeMode ${own}, and its source, pvc/${failure.source.name}, has another. ` +
          'A clone must have the mode of its source.',
        fix: [recreateClaim(c, `with volumeMode ${other}`, { spec: { volumeMode: other } })],
      });
    }
    const { compared } = failure;
    const mode = volumeModeOf(compared);
    return {
      confidence: compared.kind === 'PersistentVolume' ? 'certain' : 'likely',
      summary:
        `${claimText(c)} asks for volumeMode ${own}, and the volume of its source, pvc/${failure.source.name}, ` +
        `has ${mode}. A clone must have the mode of its source.`,
      evidence: [field(c.claim, 'spec.volumeMode'), field(compared, 'spec.volumeMode'), ...cloneRefusal(c, 'mode')],
      fix: [recreateClaim(c, `with volumeMode ${mode}`, { spec: { volumeMode: mode } })],
    };
  },
});
