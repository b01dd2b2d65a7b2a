import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { noPlugin, patienceSeconds } from './kubelet-plugin.ts';
import { nodeOf } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';

/** The driver is a program in a directory of each node; without it the volume matches no plugin (pkg/volume/flexvolume). */
export const flexvolumeDriverMissing = podRule({
  cause: 'flexvolume-driver-missing',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const volume = waitingVolumes(p).find(({ source }) => source.flexVolume !== undefined);
    if (!volume) return undefined;
    const failure = findVolumeFailure(p, noPlugin);
    if (!failure && !isSilent(p)) return undefined;
    const driver = volume.source.flexVolume?.driver ?? 'a driver without name';
    return {
      confidence: failure ? 'likely' : 'possible',
      about: `${driver}/${nodeOf(p)}`,
      summary: `${volume.label} needs the FlexVolume driver ${driver} on ${nodeOf(p)}, and the kubelet ${failure ? 'does not find it' : 'does not mount it: most likely it does not find it'}`,
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
  return findVolumeFailure(p, /MountVolume|MapVolume|AttachVolume/) === undefined && p.ageSeconds >= patienceSeconds;
}

function adviceFor(driver: string, node: string): Fix[] {
  return [
    fix(
      `install the program ${driver} in the volume plugin directory of ${node} (and of the controller manager, if it attaches), as vendor~driver/driver`,
    ),
    fix('FlexVolume is deprecated: move to the CSI driver of this storage', 'kubectl get csidriver'),
  ];
}
