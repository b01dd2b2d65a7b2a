import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { diskPathFix } from './disk-path.ts';
import { holderFixes } from './mount-holder.ts';
import { lookFix, restartFix, retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf, volumeWords } from './told-volume.ts';
import { heldImageText } from '../lib/driver-error/senses/use.ts';

export function inUseFix(m: FailedMount): Fix {
  const image = heldImageText.exec(m.text)?.[1];
  return steps(
    'Ask your storage team which client holds ' +
      `${image === undefined ? storageName(m) : `RBD image ${image} (its watchers)`}, and to release it: a ` +
      'node that was cut off, a mount outside of the cluster. Make sure that this client no longer writes. ' +
      `${retryWords}`,
    image === undefined ? [] : [`rbd status ${shellWord(image)}`],
    'disruptive',
  );
}

function releaseFix({ p, use }: FailedMount): Fix {
  return restartFix(
    p,
    `Recreate the pod: the kubelet then unmounts what is left of ${volumeWords(use)} on ${nodeOf(p)} and mounts it anew.`,
  );
}

export function deviceFixes(m: FailedMount): Fix[] {
  const { p, driver, use } = m;
  const reattach = restartFix(
    p,
    `Recreate the pod, so that ${volumeWords(use)} is detached from ${nodeOf(p)} and attached again.`,
  );
  const look = lookFix(
    m,
    'sh -c "lsblk; ls -l /dev/disk/by-id"',
    (node) =>
      `If the error stays, list the disks of ${node}. If the disk is there without an entry below by-id, ` +
      'the udev rules or the machine type hide it; if it is not there, ask your storage team why it was ' +
      'not handed to the machine.',
  );
  const isVsphere = driver?.includes('vsphere') === true || use?.volumeObject?.spec?.vsphereVolume !== undefined;
  const path = diskPathFix(m);
  if (path) return [path, reattach];
  return isVsphere ? [enableUuidFix(nodeOf(p)), look] : [reattach, look];
}

/**
 * The guest of a vSphere machine gets no disk ids unless its option says so; the option is read when the machine
 * starts.
 */
function enableUuidFix(node: string): Fix {
  return steps(
    `Set disk.EnableUUID on the virtual machine of ${node} while it is off: without it the guest has no ` +
      'disk ids. PLACEHOLDER_VM is its name in vSphere.',
    [
      `kubectl drain ${shellWord(node)} --ignore-daemonsets --delete-emptydir-data`,
      'govc vm.power -s PLACEHOLDER_VM',
      'govc vm.change -vm PLACEHOLDER_VM -e disk.enableUUID=TRUE',
      'govc vm.power -on PLACEHOLDER_VM',
      `kubectl uncordon ${shellWord(node)}`,
    ],
    'disruptive',
  );
}

export function mountedFixes(m: FailedMount): Fix[] {
  return [
    releaseFix(m),
    lookFix(m, 'findmnt', (node) => `If it stays mounted, find where on ${node}, and stop what uses it.`),
  ];
}

export function busyFixes(m: FailedMount): Fix[] {
  const held = holderFixes(m);
  if (held) return held;
  return [
    lookFix(
      m,
      'sh -c "lsblk -f; multipath -ll"',
      (node) =>
        `Find what holds the device on ${node}. If lsblk shows an mpath device above the disk, keep ` +
        'multipathd off the devices of the driver (a blacklist in /etc/multipath/conf.d) and restart it; ' +
        'otherwise go on with fix 2.',
    ),
    releaseFix(m),
  ];
}

export function brokenDeviceFixes(m: FailedMount): Fix[] {
  return [
    steps(`Ask your storage team to check the health of ${storageName(m)}: the disk fails to read or write.`, []),
    lookFix(
      m,
      'sh -c "dmesg | tail -n 30"',
      (node) => `Give them the lines about the device from the kernel log of ${node}.`,
    ),
  ];
}

/** The storage counts the volume as broken: its replicas or their machines have to come back. */
export function repairFix(m: FailedMount): Fix {
  const view = storageViewOf(m.driver, m.use?.volumeObject);
  return steps(
    `Ask ${view.team} to repair ${storageName(m)}: its disks, its replicas and the machines that hold them ` +
      `have to be up. Do not recreate it.${viewWords(view)} ${retryWords}`,
    viewCommands(view),
  );
}

/** The paths are there, and the map above them is not: multipathd is not running, or its settings leave the disks out. */
export function multipathFixes(m: FailedMount): Fix[] {
  const node = nodeOf(m.p);
  return [
    steps(
      `Start multipathd on ${node}, and look at its maps: the driver waits for one of this volume. If it ` +
        'runs and the disk is missing from the list, it is blacklisted in /etc/multipath.conf, or ' +
        'find_multipaths waits for a second path: follow the settings that the vendor of the storage gives. ' +
        `${retryWords}`,
      isWindows(knownNode(m.p))
        ? []
        : [onNode(node, 'systemctl enable --now multipathd'), onNode(node, 'multipath -ll')],
      'disruptive',
    ),
    ...deviceFixes(m),
  ];
}
