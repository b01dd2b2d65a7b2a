import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { exportRefusedText } from '../lib/driver-error/senses/file-system.ts';
import {
  cephFileSystemText,
  hasMountOption,
  nfsVersionOption,
  refusedExportText,
  smbShareMissingTexts,
} from '../lib/driver-error/senses/mount-command.ts';
import { clusterDnsText, unresolvedNameText } from '../lib/driver-error/senses/network.ts';
import { efsNamesIn } from '../lib/driver-error/senses/identity.ts';
import { isWindows } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { pluginOn } from './plugin-fixes.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { unknownServiceOf } from './network-fixes.ts';
import { knownNode, nodeOf } from './told-volume.ts';

/**
 * Nodes do not ask the DNS of the cluster, and neither does a pod in the host's network unless its dnsPolicy says so.
 */
export function namesFixes(m: FailedMount): Fix[] {
  const name = unresolvedNameText.exec(m.text)?.slice(1).find(Boolean) ?? 'the server';
  const isService = /\.svc(?:\.|$)/.test(name);
  if (isService && isWindows(knownNode(m.p))) return windowsServiceFixes(m, name);
  if (isService && clusterDnsText.test(m.text)) return [createServiceFix(m, name)];
  if (isService) return [clusterNameFix(m, name)];
  const [, fileSystem] = efsName.exec(name) ?? [];
  if (fileSystem !== undefined) return [mountTargetFix(m, fileSystem)];
  return [
    steps(
      `Correct the name ${name} where it is set, or make it known to ${nodeOf(m.p)} with an entry in the ` +
        `DNS that the node uses. ${retryWords}`,
      [],
    ),
  ];
}

function createServiceFix({ driver, text }: FailedMount, name: string): Fix {
  const [service = name, namespace = 'default'] = name.split('.');
  const place = `kubectl -n ${shellWord(namespace)}`;
  const known = new RegExp(String.raw`${name.replaceAll('.', String.raw`\.`)}:(\d+)`).exec(text)?.[1];
  const port = known ?? 'PLACEHOLDER_PORT';
  const blank = known === undefined ? ' PLACEHOLDER_PORT is its port.' : '';
  return steps(
    `Create Service "${service}" in namespace ${namespace}: the DNS of the cluster was asked and knows no ` +
      `such name. PLACEHOLDER_WORKLOAD (TYPE/NAME) is the server in the first line's output.${blank} If the ` +
      `name is wrong, correct it in the settings of ${driver ?? 'the driver'}. ${retryWords}`,
    [
      `${place} get deployments,statefulsets,services`,
      `${place} expose PLACEHOLDER_WORKLOAD --name=${shellWord(service)} --port=${port}`,
    ],
  );
}

const efsName = /^(?:[\w-]+\.)?(fs-[0-9a-z]+)\.efs\./;

/** EFS has a name in the VPC for each file system with a mount target; it leads to the one in the zone of the node. */
function mountTargetFix({ p }: FailedMount, fileSystem: string): Fix {
  const zone = knownNode(p)?.metadata.labels?.['topology.kubernetes.io/zone'];
  return steps(
    `Create a mount target of file system ${fileSystem} in the VPC and zone of ` +
      `${nodeOf(p)}${zone === undefined ? '' : ` (${zone})`}, if the first line lists none there. ` +
      'PLACEHOLDER_SUBNET is a subnet of that zone, PLACEHOLDER_GROUP a security group that admits the nodes ' +
      'on port 2049. If there is one, DNS resolution or DNS hostnames are off in the VPC: turn them on. ' +
      `${retryWords}`,
    [
      `aws efs describe-mount-targets --file-system-id ${fileSystem}`,
      `aws efs create-mount-target --file-system-id ${fileSystem} --subnet-id PLACEHOLDER_SUBNET --security-groups PLACEHOLDER_GROUP`,
    ],
  );
}

/** Exports admit clients by address; nothing in the cluster can change that. */
export function admitNodeFix({ p, text }: FailedMount): Fix {
  const [, server, path] = exportRefusedText.exec(text) ?? [];
  const address = p.pod.status?.hostIP;
  const node = address === undefined ? `the address of ${nodeOf(p)}` : `${nodeOf(p)} (${address})`;
  return steps(
    `Ask the owner of ${server ?? 'the server'} to admit ${node} to ` +
      `${path === undefined ? 'the export' : `export ${path}`}: its export rule or policy has to name the ` +
      'nodes, and the NFS version and security type (sys) that they use. Every node that may run such pods ' +
      `needs it. ${retryWords}`,
    [],
  );
}

function clusterNameFix({ p, driver }: FailedMount, name: string): Fix {
  const plugin = pluginOn(p.ask, driver, nodeOf(p));
  const owner = plugin && ownerOf(plugin);
  const why = `${name} is a Service of the cluster, and names of Services are known only to pods that use its DNS`;
  if (!plugin || owner?.kind !== 'DaemonSet')
    return steps(
      `Use the address of the Service instead of its name: ${why}; a node does not. A volume has to be ` +
        'recreated for that, since its source cannot be changed.',
      [],
      'disruptive',
    );
  return steps(
    `Let the node plugin ask the DNS of the cluster: ${why}. Check that the Service exists (first line). ${retryWords}`,
    [
      `kubectl -n ${shellWord(name.split('.')[1] ?? 'default')} get service ${shellWord(name.split('.')[0] ?? name)}`,
      `kubectl -n ${shellWord(plugin.metadata.namespace ?? 'default')} patch daemonset ` +
        `${shellWord(owner.name)} --type=merge -p ` +
        '\'{"spec":{"template":{"spec":{"dnsPolicy":"ClusterFirstWithHostNet"}}}}\'',
    ],
    'disruptive',
  );
}

export function metadataServerFix({ text, use }: FailedMount): Fix {
  const name =
    cephFileSystemText.exec(text)?.slice(1).find(Boolean) ?? use?.volumeObject?.spec?.csi?.volumeAttributes?.['fsName'];
  return steps(
    `Ask the Ceph team to bring up a metadata server for file system ${name ?? 'PLACEHOLDER_FS'}, and to ` +
      `check that the user of the driver may read it. ${retryWords}`,
    [`ceph fs status ${name === undefined ? 'PLACEHOLDER_FS' : shellWord(name)}`],
  );
}

/** mountOptions of a volume can be changed; the kubelet keeps what it has read for a pod. */
export function nfsVersionFix({ p, use, text }: FailedMount): Fix {
  const asked = nfsVersionOption.exec(text)?.[1];
  const volume = use?.volumeObject;
  const server = 'enable this version of NFS on the server';
  if (!volume)
    return steps(`Mount with a version that the server offers (mount option nfsvers), or ${server}. ${retryWords}`, []);
  const options = (volume.spec?.mountOptions ?? []).filter((option) => !/^(?:nfs)?vers=/.test(option));
  return steps(
    'Mount with a version of NFS that both the node and the server ' +
      `have${asked === undefined ? '' : `, other than ${asked}`}: PLACEHOLDER_VERSION is 3, 4, 4.1 or 4.2 ` +
      `(rpcinfo -p SERVER lists those that are running). Or ${server}. New volumes take their options from ` +
      'the class.',
    [
      patchCommand(volume, { spec: { mountOptions: [...options, 'nfsvers=PLACEHOLDER_VERSION'] } }),
      ...restartPodCommands(p.pod),
    ],
  );
}

export function exportFix({ text }: FailedMount): Fix {
  const [, server = 'the server', path = 'the directory'] = refusedExportText.exec(text) ?? [];
  const isShare = smbShareMissingTexts.test(text);
  const asked = isShare
    ? 'Ask the owner of the file server whether the share that the volume names exists there.'
    : `Ask the owner of ${server} whether ${path} exists and is exported (NFS 4 counts paths from the root of the exports).`;
  return steps(
    `${asked} If it was deleted, restore it from a backup; an empty directory makes the mount work without ` +
      'the data. If the path is wrong, recreate the volume with the right one: its source cannot be changed. ' +
      `${retryWords}`,
    [],
  );
}

export function iamWords({ use, text }: FailedMount): string {
  const volume = use?.volumeObject;
  return volume === undefined || volume.spec?.mountOptions?.includes('iam') === true || hasMountOption(text, 'iam')
    ? ''
    : ' The volume is mounted without the option iam, so with no role.';
}

/** ` smb is a Service of the cluster …`; empty unless a Windows host was given the name of one. */
export function serviceWords(m: FailedMount): string {
  const name = unknownServiceOf(m);
  return name === undefined
    ? ''
    : ` ${name} is a Service of the cluster, and a Windows host, which maps the share itself, does not use the DNS of the cluster.`;
}

/** EFS admits by the policy of the file system, the role of the driver and the access point. */
export function filePolicyFixes(m: FailedMount): Fix[] {
  const { driver, use, p, text } = m;
  const volume = use?.volumeObject;
  const handle = volume?.spec?.csi?.volumeHandle ?? '';
  const [fileSystem = 'PLACEHOLDER_FILE_SYSTEM'] = /^fs-[0-9a-z]+/.exec(handle) ?? [];
  const options = volume?.spec?.mountOptions ?? [];
  const hasIam = options.includes('iam') || hasMountOption(text, 'iam');
  const blank = fileSystem.startsWith('PLACEHOLDER') ? ' PLACEHOLDER_FILE_SYSTEM is its id.' : '';
  const accessPoint = efsNamesIn(`${handle} ${text}`).accessPoint;
  const exists = accessPoint === undefined ? '' : ` Access point ${accessPoint} has to exist.`;
  const rights = 'elasticfilesystem:ClientMount and ClientWrite (and ClientRootAccess, if it writes as root)';
  const show = `aws efs describe-file-system-policy --file-system-id ${fileSystem}`;
  if (hasIam || !volume)
    return [
      steps(
        `Ask the owner of the AWS account to let the role of ${driver ?? 'the driver'} mount file system ${fileSystem}: its policy (the command shows it) has to allow ${rights}.${exists}${blank} ${retryWords}`,
        [show],
      ),
    ];
  return [
    steps(
      `Ask the owner of the AWS account for the policy of file system ${fileSystem} (first line). If it demands a role, add the mount option iam, which pv/${volume.metadata.name} does not have, so that the driver signs its mounts (the other lines); the policy then has to allow ${rights} for the role of ${driver ?? 'the driver'}. If it demands none, it denies this client: correct the policy.${exists}${blank} New volumes get the option from mountOptions of their class.`,
      [show, patchCommand(volume, { spec: { mountOptions: [...options, 'iam'] } }), ...restartPodCommands(p.pod)],
      'disruptive',
    ),
  ];
}

/** Two halves: the name does not resolve, and the way around is closed. With a name that resolves, no right is needed. */
export function unresolvedTargetFixes(m: FailedMount): Fix[] {
  const { fileSystem = 'PLACEHOLDER_FILE_SYSTEM', region } = efsNamesIn(m.text);
  const { caller } = rightIn(m.text);
  const zone = knownNode(m.p)?.metadata.labels?.['topology.kubernetes.io/zone'];
  return [
    steps(
      `Ask the owner of the AWS account for two things: a mount target of ${fileSystem} in the VPC and zone of ${nodeOf(m.p)}${zone === undefined ? '' : ` (${zone})`}, with DNS resolution and DNS hostnames on in the VPC (the command lists the targets; none or an unknown file system is the fault); and the actions elasticfilesystem:DescribeMountTargets and ec2:DescribeAvailabilityZones for ${caller ?? 'the role of the driver'} (policy AmazonEFSCSIDriverPolicy), with which the driver finds the address without DNS. ${retryWords}`,
      [
        `aws efs describe-mount-targets --file-system-id ${fileSystem}${region === undefined ? '' : ` --region ${region}`}`,
      ],
    ),
  ];
}

/** Mounts the share by the address that the Service has outside of the cluster's DNS. */
export function windowsServiceFixes(m: FailedMount, name: string): Fix[] {
  const { p, use } = m;
  const [service = name, namespace = 'default'] = name.split('.');
  const volume = use?.volumeObject;
  const claim = use?.claim?.claim;
  const source = volume?.spec?.csi?.volumeAttributes?.['source'];
  const look = `kubectl -n ${shellWord(namespace)} get service ${shellWord(service)} -o wide`;
  const why =
    `the Windows host maps the share and does not use the DNS of the cluster, so it does not know Service ${service} ` +
    `in namespace ${namespace}`;
  const recreate =
    volume && claim && source?.includes(name)
      ? recreateVolumeCommands(p.ask, volume, claim, p.pod, {
          spec: { csi: { volumeAttributes: { source: source.replace(name, 'PLACEHOLDER_ADDRESS') } } },
        })
      : [];
  return [
    steps(
      `Recreate the volume with an address that the host of ${nodeOf(p)} can reach: ${why}. PLACEHOLDER_ADDRESS is the ` +
        'EXTERNAL-IP that the first line prints, best of an internal load balancer. The policy is set to Retain first, so ' +
        'that the data stays. For new volumes, use a class whose source has that address.',
      [look, ...recreate],
      'disruptive',
    ),
    steps(
      `Or keep the volume, and make ${name} known to the Windows nodes: an entry in the DNS that they use, or in their ` +
        `hosts file. ${retryWords}`,
      [],
    ),
  ];
}
