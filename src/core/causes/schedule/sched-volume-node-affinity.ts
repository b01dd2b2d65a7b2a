import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { describeReach, fitsAffinity } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import { affinityEvidence, affinityKeys, explainPlace } from './volume-place.ts';

/** VolumeBinding (binder checkBoundClaims): a bound volume can be used only on nodes that match its node affinity. */
export const schedVolumeNodeAffinity = podRule({
  cause: 'sched-volume-node-affinity',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainPlace(p, {
      pattern: storageTexts.nodeAffinity,
      isPlaced: (volume) => volume.spec?.nodeAffinity?.required !== undefined,
      fits: fitsAffinity,
      evidence: affinityEvidence,
      describe: describeReach,
      keys: affinityKeys,
    }),
});
