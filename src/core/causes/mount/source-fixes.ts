import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { storageViewOf, viewCommands, viewWords } from '../lib/storage-view.ts';
import { steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { knownNode, nodeOf } from './told-volume.ts';
import { namedFields } from './unnamed-fixes.ts';
import { podDirectoryText } from '../lib/driver-error/sentences/kubelet.ts';
import { portalText } from '../lib/driver-error/senses/mount-command.ts';
import { missingPathText, pathInTheWayText, zfsWords } from '../lib/driver-error/senses/missing.ts';

/** The volume names nothing that could be mounted. */
export function emptySourceFix(m: FailedMount): Fix {
  const { p, use, driver } = m;
  const volume = use?.volumeObject;
  const claim = use?.claim?.claim;
  if (!volume?.spec?.csi || !claim)
    return steps('Name the source where the volume is defined: the mount command above has none.', [], 'disruptive');
  const handle = volume.spec.csi.volumeHandle;
  return steps(
    `Recreate pv/${volume.metadata.name} with the source of the volume: its volumeHandle is ` +
      `${handle ? `"${handle}", and its attributes name no source` : 'empty'}. PLACEHOLDER_HANDLE is the id ` +
      `in the form that ${driver ?? 'the driver'} documents. The policy is set to Retain first, so that the ` +
      'data stays. Stop all pods of the claim before that.',
    recreateVolumeCommands(p.ask, volume, claim, p.pod, { spec: { csi: { volumeHandle: 'PLACEHOLDER_HANDLE' } } }),
    'disruptive',
  );
}

/** The server or the storage has no such volume, share or directory, by the field of the volume that names it. */
export function goneFixes(m: FailedMount): Fix[] {
  const { driver, use } = m;
  const view = storageViewOf(driver, use?.volumeObject);
  const volume = use?.volumeObject;
  const source = namedFields(m).find(({ path }) => /volumeAttributes|nfs/.test(path));
  const named =
    source && volume
      ? ` Its source is "${source.value}" (${source.path} of pv/${volume.metadata.name}); if that is wrong, ` +
        'the volume has to be recreated with the right one.'
      : '';
  return [
    steps(
      `Ask ${view.team} whether ${storageName(m)} exists, in the account, region or pool that the driver ` +
        `uses.${named} If it was deleted, restore it from a backup or a snapshot.${viewWords(view)}`,
      viewCommands(view),
    ),
  ];
}

/** iSCSI targets admit initiators by name; discovery shows what the portal offers to this node. */
export function noTargetFix(m: FailedMount): Fix {
  const { p, use, text } = m;
  const node = nodeOf(p);
  const attributes = use?.volumeObject?.spec?.csi?.volumeAttributes;
  const portal =
    portalText.exec(text)?.[1]?.replace(',', ':') ??
    attributes?.['targetPortal'] ??
    attributes?.['portal'] ??
    'PLACEHOLDER_PORTAL';
  return steps(
    `Ask your storage team to offer the target of ${storageName(m)} to ${node}: to the initiator name that ` +
      'the first line prints. The second line lists what the portal offers to it ' +
      `now.${portal === 'PLACEHOLDER_PORTAL' ? ' PLACEHOLDER_PORTAL is the address of the storage with its port.' : ''} ` +
      `${retryWords}`,
    isWindows(knownNode(p))
      ? []
      : [
          onNode(node, 'cat /etc/iscsi/initiatorname.iscsi'),
          onNode(node, `iscsiadm -m discovery -t sendtargets -p ${shellWord(portal)}`),
        ],
  );
}

/** What a missing path of the node means depends on what provides it. */
export function pathFixes({ p, driver, text }: FailedMount): Fix[] {
  const path = missingPathText.exec(text)?.[1];
  const node = nodeOf(p);
  if (path === undefined || !/^\/var\/(?:lib|run)\//.test(path) || /^\/var\/lib\/kubelet\//.test(path)) return [];
  return [
    steps(
      `Let the volume be staged anew on ${node}: ${driver ?? 'the driver'} keeps ${path} there as its own ` +
        `record of it, and has lost it. Stop all pods on ${node} that use the volume, so that it is ` +
        'unstaged, then let them start. If the file is missing again, the directory of the driver was ' +
        'cleaned or is not kept on the node: a case for its vendor.',
      [],
      'disruptive',
    ),
  ];
}

/** A volume of LVM or ZFS exists on one node only, on its disks. */
export function localVolumeFix(m: FailedMount): Fix {
  const node = nodeOf(m.p);
  const isZfs = zfsWords.test(m.text);
  const view = storageViewOf(m.driver, m.use?.volumeObject);
  return steps(
    `Bring back the disk or the ${isZfs ? 'pool' : 'volume group'} on ${node}: the first line lists what ` +
      'the node has. If all disks are there and only the volume is missing, it was deleted or the node was ' +
      'reinstalled: restore its data from a backup into a new ' +
      `claim.${view.shows === undefined ? '' : ` The last line shows ${view.shows}.`} ${retryWords}`,
    [
      ...(isWindows(knownNode(m.p))
        ? []
        : [onNode(node, isZfs ? 'sh -c "zpool import; zpool status; zfs list"' : 'sh -c "lsblk; vgs; lvs"')]),
      ...viewCommands(view),
    ],
  );
}

/** The client of a cluster file system runs on the node, beside Kubernetes. */
export function mountOnNodeFix(m: FailedMount): Fix {
  const node = nodeOf(m.p);
  const [named] = namedFields(m);
  const what = named === undefined ? 'what the quoted words name' : `${named.value} (${named.path} of the volume)`;
  return steps(
    `Ask ${storageViewOf(m.driver, m.use?.volumeObject).team} to mount ${what} on ${node}, with the client ` +
      `of the storage that runs on the node itself, and at every boot. ${retryWords}`,
    isWindows(knownNode(m.p)) ? [] : [onNode(node, 'findmnt')],
  );
}

/** mkdir reports that a path exists which stat cannot read: a mount whose server or process is gone. */
export function unmountFix({ p, text }: FailedMount): Fix {
  const node = nodeOf(p);
  const path = pathInTheWayText.exec(text)?.[1];
  if (path === undefined || isWindows(knownNode(p)))
    return steps(
      `Unmount what is left at the path of the error on ${node}, or remove it if it is a file. ${retryWords}`,
      [],
    );
  return steps(
    `Unmount what is left at ${path} on ${node}; if it is no mount, look what it is (ls -ld), and move it ` +
      `away if it is a file. ${retryWords}`,
    [onNode(node, `umount ${shellWord(path)}`)],
    'disruptive',
  );
}

/** A stale mount in the directory of the pod itself, which nothing else has; a new try then mounts afresh. */
export function staleMountFixes(p: PodCase, text: string): Fix[] {
  const { uid } = p.pod.metadata;
  const path = podDirectoryText.exec(text);
  if (!path || uid === undefined || path[1] !== uid || isWindows(knownNode(p))) return [];
  const node = nodeOf(p);
  const isRunning = p.pod.status?.phase === 'Running';
  return [
    steps(
      `Remove the stale mount of pod/${p.pod.metadata.name} on ${node}. ${retryWords} ` +
        'If it hangs, add -l. Delete the debug pod afterwards.',
      [onNode(node, `umount -f ${shellWord(path[0])}`)],
      isRunning ? 'disruptive' : 'safe',
    ),
  ];
}
