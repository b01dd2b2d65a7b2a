import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { fitsZone, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import { podRule } from '../lib/rule.ts';
import { explainPlace, zoneEvidence, zoneText } from './volume-place.ts';

/** VolumeZone compares the zone labels of the volume with the node, not its node affinity. */
export const schedVolumeZone = podRule({
  cause: 'sched-volume-zone',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainPlace(p, {
      pattern: storageTexts.zone,
      isPlaced: (volume) => zoneLabelsOf(volume).length > 0,
      fits: fitsZone,
      evidence: zoneEvidence,
      describe: zoneText,
    }),
});
