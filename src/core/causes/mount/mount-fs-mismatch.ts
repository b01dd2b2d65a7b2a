import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import type { KubeEvent, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The disk holds another file system than fsType says, and mount-utils refuses to format over it
 * (operation_generator.go checkForFailedMount).
 */
export const mountFsMismatch = podRule({
  cause: 'mount-fs-mismatch',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const mismatch = findMismatch(p);
    if (!mismatch) return undefined;
    const { failure, use } = mismatch;
    const { wanted, found } = readFileSystems(mismatch);
    return {
      confidence: 'likely',
      summary: `${volumeWords(use, failure)} of ${podWords(p)} holds ${found ?? 'another file system'} and shall be mounted as ${wanted ?? 'something else'}: it is not formatted over, and so not mounted`,
      evidence: evidenceOf(p, mismatch),
      fix: adviceFor(use?.volumeObject),
    };
  },
});

interface Mismatch {
  readonly failure: MountFailure;
  /** Whether the failure itself speaks of the file system; otherwise only the event on the volume does. */
  readonly isReported: boolean;
  readonly use: VolumeUse | undefined;
  /** The kubelet's FailedMountOnFilesystemMismatch event on the PersistentVolume. */
  readonly event: KubeEvent | undefined;
}

function findMismatch(p: PodCase): Mismatch | undefined {
  const reported = failureOf(p, 'fileSystem');
  const failure = reported ?? failureOf(p, 'stage', 'publish', 'block', 'inTree');
  if (!failure) return undefined;
  const use = toldVolume(p, failure);
  const volume = use?.volumeObject;
  const event = volume && newestMatch(p.ask.eventsOf(volume).items, 'FailedMountOnFilesystemMismatch', /^/)?.event;
  return reported || event ? { failure, isReported: reported !== undefined, use, event } : undefined;
}

interface FileSystems {
  readonly wanted: string | undefined;
  readonly found: string | undefined;
}

function readFileSystems({ failure, isReported, use, event }: Mismatch): FileSystems {
  const text = isReported || !event ? failure.text : messageOf(event);
  const match = /failed to mount the volume as "([^"]*)", it already contains ([^.,;]+)/.exec(text);
  return { wanted: match?.[1] || use?.volumeObject?.spec?.csi?.fsType, found: match?.[2]?.trim() };
}

function evidenceOf(p: PodCase, { failure, isReported, use, event }: Mismatch): Explanation['evidence'] {
  const volume = use?.volumeObject;
  const fsType = volume ? [field(volume, 'spec.csi.fsType')] : [];
  if (!isReported) return [eventSaid(volume ?? p.pod, event ?? failure.event), ...fsType];
  return [eventSaid(p.pod, failure.event), ...(event && volume ? [eventSaid(volume, event)] : []), ...fsType];
}

function adviceFor(volume: Volume | undefined): Fix[] {
  return [
    fix(
      'if the data is wanted, give the volume (a static one) or the class the fsType that is on the disk; fsType of a volume cannot be changed, so make the PersistentVolume again',
      volume && `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
    ),
    fix(
      'data-loss: only if nothing on the disk is wanted, wipe its signature (wipefs -a DEVICE on the node), and it is formatted anew',
      undefined,
      'data-loss',
    ),
  ];
}
