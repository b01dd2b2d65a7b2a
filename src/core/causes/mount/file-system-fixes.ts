import { shellWord } from '../../kube/shell-word.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field, note } from '../../facts/evidence.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { claimNamesOf, compareText } from '../../graph/cluster-graph.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { deviceIn, mappedImageIn } from '../lib/driver-error/senses/node-programs.ts';
import { diskTypeIn, hasMountOption } from '../lib/driver-error/senses/mount-command.ts';
import { onNode } from '../lib/node-commands.ts';
import { neighbourOf } from './neighbours.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { keptWords, lookFix, retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';
import { disableFeaturesText } from '../lib/driver-error/senses/node-software.ts';

/** A restored snapshot or a clone has the UUID of its source, and XFS mounts no second one with it on a node. */
function isXfsCopy({ use, text }: FailedMount): boolean {
  const options = use?.volumeObject?.spec?.mountOptions ?? [];
  return (
    use?.volumeObject?.spec?.csi?.fsType === 'xfs' &&
    use.claim?.claim?.spec?.dataSource !== undefined &&
    !options.includes('nouuid') &&
    !hasMountOption(text, 'nouuid')
  );
}

interface SourceOnNode {
  readonly claim: string;
  /** The snapshot between the two; none for a clone. */
  readonly snapshot: string | undefined;
  readonly pod: Pod;
}

/** The claim that an XFS volume was copied from, where a pod on the same node has it mounted. */
function sourceOnNode(m: FailedMount): SourceOnNode | undefined {
  const { p, use } = m;
  const claim = use?.claim;
  const source = isXfsCopy(m) ? claim?.claim?.spec?.dataSource : undefined;
  const { kind, name } = source ?? {};
  if (claim === undefined || name === undefined) return undefined;
  const isSnapshot = kind === 'VolumeSnapshot';
  const origin = isSnapshot
    ? p.ask.graph.find('VolumeSnapshot', claim.namespace, name)?.spec?.source?.persistentVolumeClaimName
    : name;
  if (origin === undefined || (kind !== 'PersistentVolumeClaim' && !isSnapshot)) return undefined;
  const [pod] = p.ask
    .seen('Pod')
    .filter(
      (other) =>
        other.metadata.namespace === claim.namespace &&
        other.spec?.nodeName === nodeOf(p) &&
        hasMountedVolumes(other) &&
        !isTerminated(other) &&
        claimNamesOf(other).includes(origin),
    )
    .sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  return pod && { claim: origin, snapshot: isSnapshot ? name : undefined, pod };
}

/** ` pvc/b is a copy of pvc/a …`; empty where nothing of that can be seen. */
export function copyWords(m: FailedMount): string {
  const source = sourceOnNode(m);
  if (!source) return '';
  const by = source.snapshot === undefined ? 'a clone' : `restored from snapshot ${source.snapshot}`;
  return (
    ` pvc/${m.use?.claim?.name ?? ''} is ${by} of pvc/${source.claim}, which pod/${source.pod.metadata.name} has mounted on ` +
    'the same node: XFS does not mount two file systems with one UUID on a node unless the option nouuid is set, and this ' +
    'volume does not have it. Most likely that is the reason.'
  );
}

export function copyEvidence(m: FailedMount): Evidence[] {
  const source = sourceOnNode(m);
  const claim = m.use?.claim?.claim;
  if (!source || !claim) return [];
  return [
    field(claim, 'spec.dataSource.name', claim.spec?.dataSource?.name),
    note(source.pod, `has pvc/${source.claim} mounted on ${nodeOf(m.p)}`),
  ];
}

function sameUuidFix(m: FailedMount): Fix {
  const { p, use } = m;
  const volume = use?.volumeObject;
  const options = volume?.spec?.mountOptions ?? [];
  const lead = sourceOnNode(m)
    ? 'Mount the copy without the check of its UUID'
    : 'If the kernel log names a duplicate UUID, mount the copy without that check: ' +
      'a volume from a snapshot or clone has the UUID of its source, and XFS mounts only one of them on a node';
  return steps(
    `${lead}. mountOptions of a volume can be changed; ${keptWords}. ` +
      'Or run the pod on another node than its source. For later copies, put nouuid into the mountOptions of their class.',
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

function kernelOf(p: PodCase): string | undefined {
  return knownNode(p)?.status?.nodeInfo?.kernelVersion;
}

/** The kernels of this node and of one where such a volume is mounted; empty where they are not known. */
export function kernelDifference({ p, driver }: FailedMount): string {
  const here = kernelOf(p);
  const other = neighbourOf(p, driver);
  if (here === undefined) return '';
  const there =
    other?.kernel === undefined || other.kernel === here
      ? ''
      : `, and ${other.pod} has a volume of this driver mounted on ${other.node}, whose kernel is ${other.kernel}`;
  return ` The kernel of ${nodeOf(p)} is ${here}${there}.`;
}

export function kernelEvidence({ p, use, driver }: FailedMount): Evidence[] {
  const other = neighbourOf(p, driver);
  const nodes = [knownNode(p), other && p.ask.graph.find('Node', undefined, other.node)];
  const features = use?.volumeObject?.spec?.csi?.volumeAttributes?.['imageFeatures'];
  return [
    ...nodes.flatMap((node) => (node ? [field(node, 'status.nodeInfo.kernelVersion')] : [])),
    ...(use?.volumeObject && features !== undefined
      ? [field(use.volumeObject, 'spec.csi.volumeAttributes.imageFeatures', features)]
      : []),
  ];
}

function kernelWords(p: PodCase): string {
  const version = kernelOf(p);
  return version === undefined ? '' : ` (${version})`;
}

export function unknownFeatureFixes(m: FailedMount): Fix[] {
  const { p, text } = m;
  return [
    ...moveFixes(m),
    ...disableFeaturesFix(text),
    ...imageFeaturesFix(m),
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

/** Another node has such a volume mounted, so the same volume works there. */
function moveFixes({ p, driver }: FailedMount): Fix[] {
  const other = neighbourOf(p, driver);
  if (!other || ownerOf(p.pod) === undefined) return [];
  const node = nodeOf(p);
  const kernels =
    other.kernel === undefined || kernelWords(p) === ''
      ? ''
      : `: its kernel is ${other.kernel}, and that of ${node} is ${kernelOf(p) ?? ''}`;
  return [
    steps(
      `Let the pod start on another node, such as ${other.node}, where ${other.pod} has a volume of this driver ` +
        `mounted${kernels}. Nothing new is placed on ${node} until its kernel is upgraded and it is uncordoned.`,
      [`kubectl cordon ${shellWord(node)}`, ...restartPodCommands(p.pod)],
      'disruptive',
    ),
  ];
}

/** The other features need those that come after them switched off first. */
const featureOrder = ['deep-flatten', 'fast-diff', 'object-map', 'journaling', 'exclusive-lock'];

function imageFeaturesFix({ use, text }: FailedMount): Fix[] {
  const set = (use?.volumeObject?.spec?.csi?.volumeAttributes?.['imageFeatures'] ?? '')
    .split(',')
    .map((each) => each.trim());
  const features = featureOrder.filter((feature) => set.includes(feature));
  const image = mappedImageIn(text);
  if (features.length === 0 || image === undefined) return [];
  return [
    steps(
      `Or ask the Ceph team to switch off the features of image ${image} that an old kernel does not know ` +
        `(the volume has imageFeatures ${set.join(', ')}). The data stays as it is. ${retryWords}`,
      [`rbd feature disable ${shellWord(image)} ${features.join(' ')}`],
    ),
  ];
}

/** A copy comes before any repair, and the pod, which has nothing mounted, keeps the device on its node. */
export function damagedFixes(m: FailedMount): Fix[] {
  const { p, use, text } = m;
  const node = nodeOf(p);
  const fsType = diskTypeIn(text) ?? use?.volumeObject?.spec?.csi?.fsType ?? 'ext4';
  const device = deviceIn(text) ?? 'PLACEHOLDER_DEVICE';
  const named = device.startsWith('PLACEHOLDER') ? ' PLACEHOLDER_DEVICE is its device there (lsblk).' : '';
  const at = shellWord(device);
  const check = fsType === 'xfs' ? `xfs_repair -n ${at}` : `e2fsck -fn ${at}`;
  const repair = fsType === 'xfs' ? `xfs_repair ${at}` : `e2fsck -fy ${at}`;
  const forced =
    fsType === 'xfs'
      ? ' Use xfs_repair -L only if it asks for that and the volume cannot be mounted on another node to replay its log: it drops the last writes.'
      : '';
  return [
    steps(
      `Decide with the owner of the data: restore a backup or a snapshot into a new claim, or repair the file system on ${node}. ` +
        `For a repair, leave the pod as it is (nothing is mounted, and the device stays on ${node}), copy the device to a ` +
        `place with room (PLACEHOLDER_COPY), and check it without writing.${named} Never format it.`,
      [
        onNode(node, 'sh -c "dmesg | grep -iE \'xfs|ext4|i/o error\' | tail -n 30"'),
        onNode(node, `dd if=${at} of=PLACEHOLDER_COPY bs=4M conv=sparse`),
        onNode(node, check),
      ],
      'disruptive',
    ),
    steps(
      `With the copy made and no I/O errors in the kernel log (they are for the storage team first), repair it.${forced} ${retryWords}`,
      [onNode(node, repair)],
      'data-loss',
    ),
  ];
}

export function fileSystemFixes(m: FailedMount): Fix[] {
  if (sourceOnNode(m)) return [sameUuidFix(m)];
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
