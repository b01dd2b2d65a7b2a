import type { KubeEvent } from '../../kube/kinds.ts';
import { messageOf, newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The disk holds another file system than fsType says: mount-utils refuses to format over it (operation_generator.go checkForFailedMount). */
export const mountFsMismatch = podRule({
  cause: 'mount-fs-mismatch',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'fileSystem');
    const suspect = failure ?? failureOf(p, 'stage', 'publish', 'block', 'inTree');
    if (!suspect) return undefined;
    const use = toldVolume(p, suspect);
    const told = mismatchEvent(p, use);
    if (!failure && !told) return undefined;
    const text = failure?.text ?? (told ? messageOf(told) : '');
    const match = /failed to mount the volume as "([^"]*)", it already contains ([^.,;]+)/.exec(text);
    const volume = use?.volumeObject;
    const wanted = match?.[1] || volume?.spec?.csi?.fsType;
    const found = match?.[2]?.trim();
    return {
      confidence: 'likely',
      summary: `${volumeWords(use, suspect)} of ${podWords(p)} holds ${found === undefined ? 'another file system' : found} and shall be mounted as ${wanted ?? 'something else'}: it is not formatted over, and so not mounted`,
      evidence: [
        failure ? eventSaid(p.pod, failure.event) : eventSaid(volume ?? p.pod, told ?? suspect.event),
        ...(failure && told && volume ? [eventSaid(volume, told)] : []),
        ...(volume ? [field(volume, 'spec.csi.fsType')] : []),
      ],
      fix: [
        fix(
          'if the data is wanted, give the volume (a static one) or the class the fsType that is on the disk; fsType of a volume cannot be changed, so make the PersistentVolume again',
          volume && `kubectl get pv ${shellWord(volume.metadata.name)} -o yaml`,
        ),
        fix(
          'data-loss: only if nothing on the disk is wanted, wipe its signature (wipefs -a DEVICE on the node), and it is formatted anew',
          undefined,
          'data-loss',
        ),
      ],
    };
  },
});

function mismatchEvent(p: PodCase, use: VolumeUse | undefined): KubeEvent | undefined {
  const volume = use?.volumeObject;
  return volume && newestMatch(p.ask.eventsOf(volume).items, 'FailedMountOnFilesystemMismatch', /^/)?.event;
}

/** Before each mount the file system is checked; what fsck cannot mend by itself stops it. */
export const mountFsckFailed = podRule({
  cause: 'mount-fsck-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'fsck');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const volume = use?.volumeObject;
    const device = /on device (\S+)/.exec(failure.text)?.[1] ?? /(\/dev\/\S+?)[:\s]/.exec(failure.text)?.[1];
    return {
      confidence: 'likely',
      summary: `the file system on ${volumeWords(use, failure)} of ${podWords(p)} is damaged, and the check before the mount could not mend it${device === undefined ? '' : ` (device ${device} on ${nodeOf(p)})`}`,
      evidence: [
        eventSaid(p.pod, failure.event),
        ...(volume
          ? [field(volume, 'spec.csi.volumeHandle', volume.spec?.csi?.volumeHandle ?? 'not a CSI volume')]
          : []),
      ],
      fix: [
        fix(
          'stop the pod, and take a snapshot or a copy of the volume before anything is repaired',
          `kubectl ${inNamespace(p.pod.metadata.namespace)}get pod ${shellWord(p.pod.metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
        ),
        fix(
          `data-loss: then run the repair by hand on a node that has the device (fsck${device === undefined ? ' DEVICE' : ` ${device}`}, or xfs_repair): it may throw away what it cannot mend`,
          undefined,
          'data-loss',
        ),
      ],
    };
  },
});
