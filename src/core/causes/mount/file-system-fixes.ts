import { shellWord } from '../../kube/shell-word.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { keptWords, lookFix, retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';
import { disableFeaturesText } from '../lib/driver-error/senses/node-software.ts';

/** A restored snapshot or a clone has the UUID of its source, and XFS mounts no second one with it on a node. */
function isXfsCopy({ use }: FailedMount): boolean {
  return use?.volumeObject?.spec?.csi?.fsType === 'xfs' && use.claim?.claim?.spec?.dataSource !== undefined;
}

function sameUuidFix({ p, use }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const options = (volume?.spec?.mountOptions ?? []).filter((option) => option !== 'nouuid');
  return steps(
    'If the kernel log names a duplicate UUID, mount the copy without that check: ' +
      'a volume from a snapshot or clone has the UUID of its source, and XFS mounts only one of them on a ' +
      `node. mountOptions of a volume can be changed; ${keptWords}.`,
    volume
      ? [patchCommand(volume, { spec: { mountOptions: [...options, 'nouuid'] } }), ...restartPodCommands(p.pod)]
      : [],
  );
}

function fsTypeWords({ use }: FailedMount): string {
  const fsType = use?.volumeObject?.spec?.csi?.fsType;
  return fsType ? ` (the volume asks for ${fsType})` : '';
}

function disableFeaturesFix(text: string): Fix[] {
  const [image = '', ...features] = disableFeaturesText.exec(text)?.[1]?.split(' ') ?? [];
  if (features.length === 0) return [];
  return [
    steps(
      `Ask the Ceph team to disable the features of image ${image} that this kernel does not know: ` +
        `the words above name the command. The data stays as it is. ${retryWords}`,
      [`rbd feature disable ${[image, ...features].map(shellWord).join(' ')}`],
    ),
  ];
}

function kernelWords(p: PodCase): string {
  const version = knownNode(p)?.status?.nodeInfo?.kernelVersion;
  return version === undefined ? '' : ` (${version})`;
}

export function unknownFeatureFixes({ p, text }: FailedMount): Fix[] {
  return [
    ...disableFeaturesFix(text),
    steps(
      `Upgrade the kernel of ${nodeOf(p)}${kernelWords(p)}, or let the pod run on nodes with a newer kernel. ` +
        'The same volume then mounts. Do not repair or format it.',
      [],
      'disruptive',
    ),
    steps(
      'For new volumes, use a driver release or a class that creates them with fewer features (another fsType, ' +
        'imageFeatures: layering for RBD).',
      [],
    ),
  ];
}

export function fileSystemFixes(m: FailedMount): Fix[] {
  return [
    lookFix(
      m,
      'sh -c "dmesg | tail -n 30; lsblk -f"',
      (node) =>
        `Read the kernel log and the type of the file system on ${node}; they decide. ` +
        `Unknown features: use a newer kernel. Another FSTYPE: correct fsType${fsTypeWords(m)}. ` +
        'A journal or checksum error: restore a backup, or repair a ' +
        `copy.${isXfsCopy(m) ? ' A duplicate UUID: go on with fix 2.' : ''} Never format the device.`,
    ),
    ...(isXfsCopy(m) ? [sameUuidFix(m)] : []),
  ];
}

/** The disk holds other data than the file system that was expected. */
export function otherContentFix(m: FailedMount): Fix {
  return lookFix(
    m,
    'lsblk -o NAME,SIZE,SERIAL,FSTYPE,PTTYPE,MOUNTPOINTS',
    (node) =>
      `Compare size and serial of the disk on ${node} with ${storageName(m)}. ` +
      'Another disk: ask your storage team why the node was given it. ' +
      'The same: it holds data in another form (a partition table, another file system), so use a volume that ' +
      'is empty, or let its owner move the data. Never force the format.',
  );
}
