import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import {
  describeReach,
  fitsAffinity,
  fitsZone,
  stableKey,
  zoneLabelsOf,
  zoneOf,
} from '../../facts/volume/volume-reach.ts';
import type { Node, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
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
      keys: (volume) => zoneLabelsOf(volume).map(({ key }) => stableKey(key)),
      correct: correctLabels,
    }),
});

/**
 * Labels can be changed and be wrong; the node affinity is set by the driver. Where they contradict each other, it is
 * right.
 */
function correctLabels(volume: Volume, nodes: readonly Node[]): Fix[] {
  if (volume.spec?.nodeAffinity?.required === undefined) return [];
  const reached = nodes.filter((node) => fitsAffinity(volume, node));
  const wanted = zoneLabelsOf(volume).flatMap(({ key, values }) => {
    const zones = [...new Set(reached.flatMap((node) => zoneOf(node, key) ?? []))];
    return zones.every((zone) => values.includes(zone)) ? [] : [{ key, value: zones.join('__') }];
  });
  if (wanted.length === 0) return [];
  const labels = wanted.map(({ key, value }) => shellWord(`${key}=${value}`)).join(' ');
  return [
    steps(
      `Correct the labels of pv/${volume.metadata.name}: they contradict its node affinity ` +
        `(${describeReach(volume)}), which says where the volume really is. ` +
        'The pod is then scheduled automatically.',
      [kubectl('label', volume, `${labels} --overwrite`)],
    ),
  ];
}
