import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { field } from '../../facts/evidence.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { freshVolumeCommands, recreateVolumeCommands } from '../lib/volume-change.ts';
import { lookFix, retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';

/** Drivers that give directories of a file server, never disks. */
const fileDrivers =
  /^(?:kubernetes\.io\/azure-file|file\.csi\.azure\.com|(?:nfs|smb)\.csi\.k8s\.io|efs\.csi\.aws\.com|fsx\.csi\.aws\.com|filestore\.csi\.storage\.gke\.io|manila\.csi\.openstack\.org|nasplugin\.csi\.alibabacloud\.com|s3\.csi\.aws\.com|gcsfuse\.csi\.storage\.gke\.io|csi\.juicefs\.com)$|\bcephfs\.csi\.ceph\.com$/;
const diskTypes = /^(?:ext[234]|xfs|btrfs|ntfs)$/i;

/** The file system of a disk that the volume asks for, although its driver gives directories of a server. */
function unfitTypeOf({ driver, use }: FailedMount): string | undefined {
  const type = use?.volumeObject?.spec?.csi?.fsType;
  return type !== undefined && diskTypes.test(type) && fileDrivers.test(driver ?? '') ? type : undefined;
}

/** ` pv/data asks for fsType ext4, …`; empty where the type fits. */
export function unfitTypeWords(m: FailedMount): string {
  const type = unfitTypeOf(m);
  const name = m.use?.volumeObject?.metadata.name;
  return type === undefined || name === undefined
    ? ''
    : ` pv/${name} asks for fsType ${type}, the file system of a disk, and ${m.driver ?? 'its driver'} serves shares.`;
}

export function unfitTypeEvidence(m: FailedMount): Evidence[] {
  const className = m.use?.volumeObject?.spec?.storageClassName;
  const storageClass = className ? m.p.ask.graph.find('StorageClass', undefined, className) : undefined;
  const key = typeKeyOf(storageClass?.parameters);
  return unfitTypeOf(m) !== undefined && storageClass && key !== undefined
    ? [field(storageClass, `parameters[${key}]`, storageClass.parameters?.[key])]
    : [];
}

function typeKeyOf(parameters: Readonly<Record<string, string>> | undefined): string | undefined {
  return Object.keys(parameters ?? {}).find((name) => /(?:^|\/)fstype$/i.test(name));
}

export function modeWords({ use }: FailedMount): string {
  const volume = use?.volumeObject;
  return volume === undefined
    ? ''
    : ` pv/${volume.metadata.name} has volumeMode ${volume.spec?.volumeMode ?? 'Filesystem'}.`;
}

export function modeEvidence({ use }: FailedMount): Evidence[] {
  const claim = use?.claim?.claim;
  return [
    ...(use?.volumeObject ? [field(use.volumeObject, 'spec.volumeMode')] : []),
    ...(claim ? [field(claim, 'spec.volumeMode')] : []),
  ];
}

/** Mode of the volume that the pod has and the driver does not offer. */
export function accessTypeFixes(m: FailedMount): Fix[] {
  const { p, use, driver } = m;
  const volume = use?.volumeObject;
  const claim = use?.claim?.claim;
  if (!volume || !claim) return [];
  const isBlock = volume.spec?.volumeMode === 'Block';
  const volumeMode = isBlock ? 'Filesystem' : 'Block';
  const podChange = mountedChange(m, isBlock);
  const uses = isBlock
    ? 'with a volumeMount instead of its volumeDevice (PLACEHOLDER_PATH is where the application expects it)'
    : 'with a volumeDevice instead of its volumeMount (PLACEHOLDER_DEVICE is the path of the device, such as /dev/xvda)';
  const other = isBlock
    ? `If the application needs a block device, use a class of a driver for disks instead. ${driver ?? 'The driver'} gives file systems only.`
    : `If the application needs a file system, use a class of a driver that formats its volumes.`;
  if (volume.metadata.annotations?.[provisionedByAnnotation] !== undefined)
    return [
      steps(
        `Recreate the claim with volumeMode ${volumeMode}, and the pod ${uses}: the mode cannot be changed. The old volume is kept (Retain); it was never used, so delete it later. ${other}`,
        [...keepCommands(volume), ...freshVolumeCommands(p.ask, claim, p.pod, { spec: { volumeMode } }, podChange)],
        'disruptive',
      ),
    ];
  return [
    steps(
      `Recreate pv/${volume.metadata.name}, pvc/${claim.metadata.name} and the pod with volumeMode ${volumeMode}, the pod ${uses}: the mode cannot be changed. With policy Retain the data in the storage stays. ${other}`,
      recreateVolumeCommands(
        p.ask,
        volume,
        claim,
        p.pod,
        { spec: { volumeMode } },
        { claim: { spec: { volumeMode } }, pod: podChange },
      ),
      'disruptive',
    ),
  ];
}

/** With the claim the driver would delete the volume. */
function keepCommands(volume: Volume): string[] {
  return volume.spec?.persistentVolumeReclaimPolicy === 'Retain'
    ? []
    : [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })];
}

/** A strategic merge patch: volumeDevices merge by devicePath, volumeMounts by mountPath. */
function mountedChange({ p, use }: FailedMount, isBlock: boolean): object {
  const name = use?.name ?? '';
  const containers = (p.pod.spec?.containers ?? []).flatMap((container) => {
    const devices = (container.volumeDevices ?? []).filter((device) => device.name === name);
    const mounts = (container.volumeMounts ?? []).filter((mount) => mount.name === name);
    if ((isBlock ? devices : mounts).length === 0) return [];
    return [
      isBlock
        ? {
            name: container.name,
            volumeDevices: devices.map(({ devicePath }) => ({ devicePath, $patch: 'delete' })),
            volumeMounts: [{ name, mountPath: 'PLACEHOLDER_PATH' }],
          }
        : {
            name: container.name,
            volumeMounts: mounts.map(({ mountPath }) => ({ mountPath, $patch: 'delete' })),
            volumeDevices: [{ name, devicePath: 'PLACEHOLDER_DEVICE' }],
          },
    ];
  });
  return containers.length === 0 ? {} : { containers };
}

/** The driver tried to create a file system: on a share there is nothing to format. */
export function formatFailedFixes(m: FailedMount): Fix[] {
  const type = unfitTypeOf(m);
  const { p, use } = m;
  const claim = use?.claim?.claim;
  const className = use?.volumeObject?.spec?.storageClassName;
  const storageClass = className ? p.ask.graph.find('StorageClass', undefined, className) : undefined;
  if (type === undefined)
    return [
      lookFix(
        m,
        'sh -c "dmesg | tail -n 30; lsblk -f"',
        (node) =>
          `Read on ${node} why formatting fails, and correct it: I/O errors in the kernel log are for the storage team, a device that is too small or read-only for the owner of the class, and a type of file system that is there already means that the disk holds data (do not format it by hand). ${retryWords}`,
      ),
    ];
  const key = typeKeyOf(storageClass?.parameters);
  if (!claim || !storageClass || key === undefined)
    return [
      steps(
        `Recreate the volume of the claim without fsType ${type}: ${m.driver ?? 'its driver'} serves shares, which need no file system of their own. The source of a volume cannot be changed.`,
        [],
        'disruptive',
      ),
    ];
  return [
    steps(
      `Recreate StorageClass "${storageClass.metadata.name}" without ${key}, and the claim with it: neither can be changed in place. The old volume is kept (Retain); delete it later if no other pod has used it. If a disk with ${type} is wanted, use a class of a driver for disks (one node at a time).`,
      [
        ...recreateCommands(storageClass, { parameters: { [key]: null } }),
        ...(use?.volumeObject ? keepCommands(use.volumeObject) : []),
        ...freshVolumeCommands(p.ask, claim, p.pod),
      ],
      'disruptive',
    ),
  ];
}
