import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { pluginOn } from './plugin-fixes.ts';
import type { FailedMount } from './sense-fixes.ts';
import { nodeOf } from './told-volume.ts';

const retryWords = 'The kubelet retries within about 2 minutes.';

const unresolvedName =
  /failed to resolve (?:server )?"?([\w.-]*[\w-])|(?:lookup|ENOTFOUND|EAI_AGAIN|resolve (?:host|address|hostname):?) "?([\w.-]*[\w-])/i;

/** Nodes do not ask the DNS of the cluster, and neither does a pod in the host's network unless its dnsPolicy says so. */
export function namesFixes(m: FailedMount): Fix[] {
  const name = unresolvedName.exec(m.text)?.slice(1).find(Boolean) ?? 'the server';
  const isService = /\.svc(?:\.|$)/.test(name);
  if (isService) return [clusterNameFix(m, name)];
  return [
    steps(
      `Correct the name ${name} where it is set, or make it known to ${nodeOf(m.p)}: an entry in the DNS that the node uses${/\.efs\./.test(name) ? ', which EFS creates with a mount target in the VPC (one for each zone; DNS resolution has to be on in the VPC)' : ''}. ${retryWords}`,
      [],
    ),
  ];
}

function clusterNameFix({ p, driver }: FailedMount, name: string): Fix {
  const plugin = pluginOn(p.ask, driver, nodeOf(p));
  const owner = plugin && ownerOf(plugin);
  const why = `${name} is a Service of the cluster, and names of Services are known only to pods that use its DNS`;
  if (!plugin || owner?.kind !== 'DaemonSet')
    return steps(
      `Use the address of the Service instead of its name: ${why}; a node does not. A volume has to be recreated for that, since its source cannot be changed.`,
      [],
      'disruptive',
    );
  return steps(
    `Let the node plugin ask the DNS of the cluster: ${why}. Check that the Service exists (first line). ${retryWords}`,
    [
      `kubectl -n ${shellWord(name.split('.')[1] ?? 'default')} get service ${shellWord(name.split('.')[0] ?? name)}`,
      `kubectl -n ${shellWord(plugin.metadata.namespace ?? 'default')} patch daemonset ${shellWord(owner.name)} --type=merge -p '{"spec":{"template":{"spec":{"dnsPolicy":"ClusterFirstWithHostNet"}}}}'`,
    ],
    'disruptive',
  );
}

export function metadataServerFix({ text, use }: FailedMount): Fix {
  const name =
    /mds_namespace=([\w.-]+)|\bfs=([\w.-]+)/.exec(text)?.slice(1).find(Boolean) ??
    use?.volumeObject?.spec?.csi?.volumeAttributes?.['fsName'];
  return steps(
    `Ask the Ceph team to bring up a metadata server for file system ${name ?? 'PLACEHOLDER_FS'}, and to check that the user of the driver may read it. ${retryWords}`,
    [`ceph fs status ${name === undefined ? 'PLACEHOLDER_FS' : shellWord(name)}`],
  );
}

/** mountOptions of a volume can be changed; the kubelet keeps what it has read for a pod. */
export function nfsVersionFix({ p, use }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const server = 'enable this version of NFS on the server';
  if (!volume)
    return steps(`Mount with a version that the server offers (mount option nfsvers), or ${server}. ${retryWords}`, []);
  const options = (volume.spec?.mountOptions ?? []).filter((option) => !/^(?:nfs)?vers=/.test(option));
  return steps(
    `Mount with a version of NFS that the server offers: PLACEHOLDER_VERSION is 3, 4, 4.1 or 4.2 (rpcinfo -p SERVER lists those that are running). Or ${server}. New volumes take their options from the class.`,
    [
      patchCommand(volume, { spec: { mountOptions: [...options, 'nfsvers=PLACEHOLDER_VERSION'] } }),
      ...restartPodCommands(p.pod),
    ],
  );
}

export function exportFix({ text }: FailedMount): Fix {
  const [, server = 'the server', path = 'the directory'] =
    /mounting ([^\s:]+|\[[^\]]+\]):(\/\S*) failed/.exec(text) ?? [];
  return steps(
    `Ask the owner of ${server} whether ${path} exists and is exported (NFS 4 counts paths from the root of the exports). If it was deleted, restore it from a backup; an empty directory makes the mount work without the data. If the path is wrong, recreate the volume with the right one: its source cannot be changed. ${retryWords}`,
    [],
  );
}
