import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/** The file system is checked before each mount, and errors that fsck cannot repair on its own stop the mount (mount-utils checkAndRepairFilesystem). */
export const mountFsckFailed = podRule({
  cause: 'mount-fsck-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'fsck');
    if (!failure) return undefined;
    const use = toldVolume(p, failure);
    const device = readDevice(failure);
    return {
      confidence: 'likely',
      summary: `the file system on ${volumeWords(use, failure)} of ${podWords(p)} is damaged, and the check before the mount could not mend it${device === undefined ? '' : ` (device ${device} on ${nodeOf(p)})`}`,
      evidence: evidenceOf(p, failure, use?.volumeObject),
      fix: adviceFor(p, device),
    };
  },
});

function readDevice({ text }: MountFailure): string | undefined {
  return /on device (\S+)/.exec(text)?.[1] ?? /(\/dev\/\S+?)[:\s]/.exec(text)?.[1];
}

function evidenceOf(p: PodCase, failure: MountFailure, volume: Volume | undefined): Explanation['evidence'] {
  const handle = volume?.spec?.csi?.volumeHandle ?? 'not a CSI volume';
  return [eventSaid(p.pod, failure.event), ...(volume ? [field(volume, 'spec.csi.volumeHandle', handle)] : [])];
}

function adviceFor({ pod }: PodCase, device: string | undefined): Fix[] {
  return [
    fix(
      'stop the pod, and take a snapshot or a copy of the volume before anything is repaired',
      `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.metadata.ownerReferences}'`,
    ),
    fix(
      `data-loss: then run the repair by hand on a node that has the device (fsck ${device ?? 'DEVICE'}, or xfs_repair): it may throw away what it cannot mend`,
      undefined,
      'data-loss',
    ),
  ];
}
