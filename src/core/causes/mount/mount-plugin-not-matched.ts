import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { sourceOf } from './volume-source.ts';

/** No code in this kubelet knows the kind of volume (cache/desired_state_of_world.go AddPodToVolume). */
export const mountPluginNotMatched = podRule({
  cause: 'mount-plugin-not-matched',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'noPlugin');
    if (!failure) return undefined;
    const name = /for volume "([^"]+)"/.exec(failure.text)?.[1] ?? failure.volume;
    const use = toldVolume(p, { volume: name });
    const source = sourceOf(use);
    const volume = use?.volumeObject;
    return {
      confidence: 'likely',
      ...(source !== undefined && { about: `${source}@${nodeOf(p)}` }),
      summary: `the kubelet on ${nodeOf(p)} knows no plugin for ${volumeWords(use, { volume: name })} of ${podWords(p)}${source === undefined ? '' : ` (${source})`}: such volumes are no longer built in, or their driver is not installed`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(volume && source !== undefined ? [field(volume, `spec.${source}`)] : []),
      ],
      fix: adviceFor(volume),
    };
  },
});

function adviceFor(volume: Volume | undefined): Fix[] {
  return [
    fix(
      'make the volume again as one of a CSI driver for the same storage; the data stays where it is if the policy is Retain',
      volume && `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
      'disruptive',
    ),
    fix('or install the FlexVolume driver on the node, if it is one'),
  ];
}
