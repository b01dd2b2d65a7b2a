import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { Explanation } from '../lib/rule.ts';
import type { MountFailure } from './mount-failure.ts';
import { grpcCodeOf } from '../lib/driver-error/grpc-codes.ts';
import { mountSenseOf, ownWords } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-sense.ts';
import { nodeLogsFix, nodeOf, podWords, restartPluginFix, toldVolume, volumeWords } from './told-volume.ts';

/**
 * A call to the driver on the node has failed. No object keeps what the driver answered, so the kubelet's event is the
 * only proof. `verb` completes "cannot …".
 */
export function explainDriverError(p: PodCase, failure: MountFailure, verb: string): Explanation {
  const driver = toldVolume(p, failure)?.driver ?? driverInPath(failure.text);
  const sense = mountSenseOf(failure.text);
  return {
    confidence: 'likely',
    ...(sense?.isOfNode && { about: `${driver ?? ''}@${nodeOf(p)}/${sense.id}` }),
    summary: summarise(p, failure, driver, verb),
    evidence: [eventSaid(p.pod, failure.event), ...volumeEvidence(p, failure)],
    fix: adviceFor(p, driver, sense),
  };
}

function summarise(p: PodCase, failure: MountFailure, driver: string | undefined, verb: string): string {
  const volume = volumeWords(toldVolume(p, failure), failure);
  const sense = mountSenseOf(failure.text);
  if (sense?.id === 'driverDown')
    return `${driverWords(driver)} on ${nodeOf(p)} is down, so ${volume} of ${podWords(p)} cannot be mounted: ${sense.meaning}`;
  return `${driverWords(driver)} cannot ${verb} ${volume} on ${nodeOf(p)} for ${podWords(p)}: ${describeError(failure.text, sense)}`;
}

function describeError(text: string, sense: MountSense | undefined): string {
  const words = ownWords(text);
  if (sense) return `${sense.meaning} (${words})`;
  const code = grpcCodeOf(text);
  return `it answers ${code === undefined ? '' : `${code}: `}${words}`;
}

function adviceFor(p: PodCase, driver: string | undefined, sense: MountSense | undefined): Fix[] {
  return [
    ...(sense ? [fix(sense.advice)] : []),
    nodeLogsFix(p, driver),
    ...(sense?.id === 'driverDown' ? restartPluginFix(p, driver) : []),
  ];
}

export function driverWords(driver: string | undefined): string {
  return driver === undefined ? 'the driver' : `driver ${driver}`;
}

/** What the driver got to know of a CSI volume. */
export function volumeEvidence(p: PodCase, failure: MountFailure): Evidence[] {
  const volume = toldVolume(p, failure)?.volumeObject;
  if (!volume?.spec?.csi) return [];
  return [
    field(volume, 'spec.csi.volumeHandle'),
    ...(volume.spec.csi.fsType ? [field(volume, 'spec.csi.fsType')] : []),
  ];
}

/** Without the right to read volumes, the path of the socket still names the driver. */
function driverInPath(text: string): string | undefined {
  return /\/plugins\/(?:kubernetes\.io\/csi\/)?([^/\s"']+)\/\S*sock/.exec(text)?.[1];
}
