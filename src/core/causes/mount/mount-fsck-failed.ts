import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Volume } from '../../kube/kinds.ts';
import { onNode } from '../lib/node-commands.ts';
import type { Fix } from '../../report/report.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';
import { anyDeviceText, checkedDeviceText } from '../lib/driver-error/senses/file-system.ts';

/**
 * The file system is checked before each mount, and errors that fsck cannot repair on its own stop the mount
 * (mount-utils checkAndRepairFilesystem).
 */
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
      summary:
        `The check before the mount found errors on ${volumeWords(use, failure)} for ${podWords(p)} that fsck ` +
        `does not repair on its own${device === undefined ? '' : ` (device ${device} on ${nodeOf(p)})`}. ` +
        'The volume is not mounted until it is repaired or restored.',
      evidence: evidenceOf(p, failure, use?.volumeObject),
      fix: adviceFor(p, use, device),
    };
  },
});

function readDevice({ text }: MountFailure): string | undefined {
  return checkedDeviceText.exec(text)?.[1] ?? anyDeviceText.exec(text)?.[1];
}

function evidenceOf(p: PodCase, failure: MountFailure, volume: Volume | undefined): Explanation['evidence'] {
  return [eventSaid(p.pod, failure.event), ...(volume?.spec?.csi ? [field(volume, 'spec.csi.volumeHandle')] : [])];
}

function adviceFor(p: PodCase, use: VolumeUse | undefined, device: string | undefined): Fix[] {
  const node = nodeOf(p);
  const isXfs = use?.volumeObject?.spec?.csi?.fsType === 'xfs';
  return [
    copyFix(p, use),
    steps(
      `Then repair the file system on ${node} while no pod uses it; ` +
        'the repair may discard what it cannot ' +
        `restore.${device === undefined ? ' PLACEHOLDER_DEVICE is the device of the volume (lsblk).' : ''} The ` +
        'kubelet then mounts it within about 2 minutes.',
      [onNode(node, `${isXfs ? 'xfs_repair' : 'fsck -y'} ${device ?? 'PLACEHOLDER_DEVICE'}`)],
      'data-loss',
    ),
  ];
}

/** A repair may lose data, so a copy comes first: a snapshot where the driver takes them. */
function copyFix({ ask, pod }: PodCase, use: VolumeUse | undefined): Fix {
  const claim = use?.claim;
  const driver = use?.driver;
  const classes = ask.seen('VolumeSnapshotClass').filter((candidate) => candidate.driver === driver);
  const [snapshotClass] = classes;
  if (!claim || driver === undefined || !snapshotClass)
    return steps(
      'Ask your storage team for a copy or a snapshot of the volume before anything is repaired. ' +
        'If a good backup exists, restore that instead.',
      [],
    );
  return steps(
    `Take a snapshot of pvc/${claim.name} before anything is repaired. If a good backup exists, restore that instead.`,
    [
      applyCommand({
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: { name: `${claim.name}-before-repair`, namespace: pod.metadata.namespace },
        spec: {
          volumeSnapshotClassName: snapshotClass.metadata.name,
          source: { persistentVolumeClaimName: claim.name },
        },
      }),
    ],
  );
}
