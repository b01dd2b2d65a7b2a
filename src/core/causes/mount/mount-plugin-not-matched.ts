import { eventSaid, field } from '../../facts/evidence.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { sourceOf } from './volume-source.ts';
import { namedVolumeText } from '../lib/driver-error/sentences/kubelet.ts';

/** No code in this kubelet knows the kind of volume (cache/desired_state_of_world.go AddPodToVolume). */
export const mountPluginNotMatched = podRule({
  cause: 'mount-plugin-not-matched',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'noPlugin');
    if (!failure) return undefined;
    const name = namedVolumeText.exec(failure.text)?.[1] ?? failure.volume;
    const use = toldVolume(p, { volume: name });
    const source = sourceOf(use);
    const volume = use?.volumeObject;
    return {
      confidence: 'likely',
      ...(source !== undefined && { about: `${source}@${nodeOf(p)}` }),
      summary:
        `The kubelet on ${nodeOf(p)} has no plugin for ` +
        `${volumeWords(use, { volume: name })}${source === undefined ? '' : ` (${source})`} of ${podWords(p)}: ` +
        '"no volume plugin matched". Such volumes are no longer built in, or their FlexVolume driver is ' +
        'not installed there.',
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(volume && source !== undefined ? [field(volume, `spec.${source}`)] : []),
      ],
      fix: adviceFor(volume, source),
    };
  },
});

function adviceFor(volume: Volume | undefined, source: string | undefined): Fix[] {
  const migrate =
    'Install the CSI driver of this storage, and recreate the volume as one of that driver: ' +
    'a new PersistentVolume with spec.csi for the same ' +
    `data${source === undefined ? '' : ` instead of spec.${source}`}, then the claim with ` +
    'its name in volumeName.';
  return [
    volume
      ? steps(`${migrate} This first line keeps the data when the old objects go.`, [
          patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ])
      : steps(migrate, [], 'disruptive'),
    ...(source === undefined || source === 'flexVolume'
      ? [steps('If it is a FlexVolume, install its driver in the volume plugin directory of the node.', [])]
      : []),
  ];
}
