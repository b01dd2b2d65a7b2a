import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { patienceSeconds } from './kubelet-plugin.ts';
import { nodeOf, podWords, sentenceStart } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import { anyVolumeStepText, noPluginTexts } from '../lib/driver-error/sentences/kubelet.ts';

/**
 * The driver is a program in a directory of each node; without it the volume matches no plugin (pkg/volume/flexvolume).
 */
export const flexvolumeDriverMissing = podRule({
  cause: 'flexvolume-driver-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume = waitingVolumes(p).find(({ source }) => source.flexVolume !== undefined);
    if (!volume) return undefined;
    const failure = findVolumeFailure(p, noPluginTexts);
    if (!failure && !isSilent(p)) return undefined;
    const driver = volume.source.flexVolume?.driver ?? 'a driver without name';
    return {
      confidence: failure ? 'likely' : 'possible',
      about: `${driver}/${nodeOf(p)}`,
      summary:
        `${sentenceStart(volume.label)} of ${podWords(p)} needs the FlexVolume driver ${driver} on ${nodeOf(p)}, ` +
        `and the kubelet ${failure ? 'does not find it ("no volume plugin matched")' : 'has reported nothing about it'}.`,
      evidence: [
        field(volume.owner, `${volume.path}.flexVolume.driver`, driver),
        ...(failure ? [eventSaid(p.pod, failure.event)] : []),
      ],
      fix: adviceFor(driver, nodeOf(p)),
    };
  },
});

/** The pod has waited for long, and the kubelet reports no failure at all. */
function isSilent(p: PodCase): boolean {
  return findVolumeFailure(p, anyVolumeStepText) === undefined && p.ageSeconds >= patienceSeconds;
}

/** pkg/volume/flexvolume: VENDOR~DRIVER/DRIVER below the volume plugin directory. */
function adviceFor(driver: string, node: string): Fix[] {
  const [vendor, name = vendor] = driver.split('/');
  const path = name === vendor ? `${driver}/${driver}` : `${vendor ?? ''}~${name ?? ''}/${name ?? ''}`;
  return [
    steps(
      `Install the program of the driver on ${node} as ${path} in the volume plugin directory of the kubelet ` +
        '(/usr/libexec/kubernetes/kubelet-plugins/volume/exec unless set otherwise), best with the DaemonSet of ' +
        `the driver's release. The kubelet finds it without a restart.`,
      [],
    ),
    steps('FlexVolume is deprecated: plan to move the data to the CSI driver of this storage.', []),
  ];
}
