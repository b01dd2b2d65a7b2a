import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { listClusters } from '../lib/ceph-clusters.ts';
import { unknownClusterText } from '../lib/driver-error/senses/missing.ts';
import { cephIdText, cephNameText } from '../lib/driver-error/senses/mount-command.ts';
import { steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { writeSecretFix } from './access-fixes.ts';
import { pluginOn } from './plugin-fixes.ts';
import { retryWords, storageName } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { nodeOf } from './told-volume.ts';

/** ceph-csi reads the monitors of a cluster from its ConfigMap, by the id that the volume names. */
export function clusterFixes(m: FailedMount): Fix[] {
  const id = unknownClusterText.exec(m.text)?.[1] ?? 'PLACEHOLDER_CLUSTER';
  const volume = m.use?.volumeObject;
  const attributes = volume?.spec?.csi?.volumeAttributes;
  const namespace = pluginOn(m.p.ask, m.driver, nodeOf(m.p))?.metadata.namespace;
  const add = steps(
    `Add cluster "${id}" with the addresses of its monitors to the ConfigMap of ${m.driver ?? 'the driver'} ` +
      '(ceph-csi-config, or rook-ceph-csi-config with Rook), if the data is in that cluster. ' +
      `The command lists the clusters that are there. ${retryWords}`,
    [listClusters(namespace)],
  );
  const claim = m.use?.claim?.claim;
  // The handle of a provisioned volume has the id in it: only a volume that was created by hand can get another one.
  if (!volume || !claim || attributes?.['staticVolume'] !== 'true') return [add];
  return [
    add,
    steps(
      `If the data is in one of the clusters on that list, recreate pv/${volume.metadata.name} with its id, ` +
        'PLACEHOLDER_CLUSTER: the source of a volume cannot be changed. ' +
        'The policy is set to Retain first, so that the data stays. Stop all pods of the claim before that.',
      recreateVolumeCommands(m.p.ask, volume, claim, m.p.pod, {
        spec: { csi: { volumeAttributes: { clusterID: 'PLACEHOLDER_CLUSTER' } } },
      }),
      'disruptive',
    ),
  ];
}

/** The user is in the command that the driver repeats in its error, the pool in the attributes of the volume. */
export function capsFix(m: FailedMount): Fix {
  const user = cephIdText.exec(m.text)?.[1] ?? 'PLACEHOLDER_USER';
  const pool = m.use?.volumeObject?.spec?.csi?.volumeAttributes?.['pool'] ?? 'PLACEHOLDER_POOL';
  const blanks = [user, pool].filter((word) => word.startsWith('PLACEHOLDER'));
  const blank =
    blanks.length === 0
      ? ''
      : ` ${blanks.join(' and ')} ${blanks.length === 1 ? 'is that' : 'are those'} of ${storageName(m)}.`;
  const client = shellWord(`client.${user}`);
  return steps(
    'Ask the Ceph team to give the user the rights of profile rbd, which include blocklisting. ' +
      'Caps are replaced as a whole: add to the second line what the first prints for other pools and file systems, ' +
      `or their volumes lose access.${blank} ${retryWords}`,
    [
      `ceph auth get ${client}`,
      `ceph auth caps ${client} mon 'profile rbd' osd ${shellWord(`profile rbd pool=${pool}`)} mgr ` +
        `${shellWord(`profile rbd pool=${pool}`)}`,
    ],
    'disruptive',
  );
}

/** The user is an option of the mount; only the Ceph team sees its key and its caps. */
export function cephDeniedFixes(m: FailedMount): Fix[] {
  const user = cephNameText.exec(m.text)?.[1] ?? cephIdText.exec(m.text)?.[1] ?? 'PLACEHOLDER_USER';
  const fileSystem = m.use?.volumeObject?.spec?.csi?.volumeAttributes?.['fsName'];
  const blank = user === 'PLACEHOLDER_USER' ? ' PLACEHOLDER_USER is the user in the Secret of the volume.' : '';
  return [
    steps(
      `Ask the Ceph team to compare: the key of client.${user} has to be the one in the Secret of the volume, ` +
        'and its caps have to allow "rw" on ' +
        `${fileSystem === undefined ? 'the file system' : `file system ${fileSystem}`} and the path of the ` +
        `volume (mds, and osd with tag cephfs).${blank} ${retryWords}`,
      [`ceph auth get ${shellWord(`client.${user}`)}`],
    ),
    writeSecretFix(m, 'If the key differs, write the current one'),
  ];
}

/** Ceph puts a client on its blocklist when it was cut off, or when somebody fenced the node. */
export function unfenceFix({ p }: FailedMount): Fix {
  const node = nodeOf(p);
  const address = p.pod.status?.hostIP;
  return steps(
    `Ask the Ceph team why ${node}${address === undefined ? '' : ` (${address})`} is on the blocklist: it was cut off from ` +
      'the cluster, or fenced (a NetworkFence of csi-addons, an operator). If the node is sound again and no other node writes to ' +
      'its volumes, take its addresses off (PLACEHOLDER_ADDRESS, as the first line prints them), or restart the node, ' +
      `which gives it new ones. ${retryWords}`,
    ['ceph osd blocklist ls', 'ceph osd blocklist rm PLACEHOLDER_ADDRESS'],
    'disruptive',
  );
}
