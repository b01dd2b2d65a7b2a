import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { grpcCodeOf } from '../lib/driver-error/grpc-codes.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import type { MountSense } from '../lib/driver-error/node-sense.ts';
import { isOpaque } from '../lib/driver-error/quote.ts';
import { rightIn } from '../lib/driver-error/senses/credentials.ts';
import { unknownTypeText } from '../lib/driver-error/senses/file-system.ts';
import { mountOptionTexts } from '../lib/driver-error/senses/request.ts';
import { grantFix } from '../lib/grant.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { changePodFix, restartPodCommands } from '../lib/pod-change.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { credentialsFix, missingObjectFix, runProviderFix, secretsStoreFix, writeSecretFix } from './access-fixes.ts';
import { installClientFix, loadModuleFix, startServiceFix, updateImageFix } from './node-software.ts';
import { clusterFixes } from './ceph-cluster-fixes.ts';
import { helperFixes } from './helper-pod.ts';
import { admitNodeFix, exportFix, metadataServerFix, namesFixes, nfsVersionFix } from './server-fixes.ts';
import { pluginOn, readPluginLog, restartPlugin } from './plugin-fixes.ts';
import { knownNode, nodeOf, podWords, volumeWords } from './told-volume.ts';

/** Everything a fix for a failed mount may name. */
export interface FailedMount {
  readonly p: PodCase;
  readonly use: VolumeUse | undefined;
  /** Undefined where the kubelet mounts without a driver, or the driver is not known. */
  readonly driver: string | undefined;
  /** What the kubelet reported. */
  readonly text: string;
}

/** The kubelet tries again on its own after this time at the latest (exponential backoff of nestedpendingoperations). */
export const retryWords = 'The kubelet retries within about 2 minutes.';
/** Completes a sentence about mount options that were changed. */
export const keptWords = 'the kubelet keeps the options that it has read for a pod';

/** What to do about each sense, the best first. */
export function fixesForSense(m: FailedMount, sense: MountSense | undefined): Fix[] {
  const { p, driver } = m;
  const specific = sense ? fixesById[sense.id](m) : fixesForCode(m);
  const readsLog = sense?.id === 'driverDown' || sense?.id === 'mountFailed' || driver === undefined;
  if (readsLog && specific.length > 0) return specific;
  return [
    ...specific,
    readPluginLog(
      p.ask,
      driver,
      nodeOf(p),
      specific.length === 0
        ? `Read what ${driver ?? 'the driver'} logged on ${nodeOf(p)} when it failed, and correct what it names. ${retryWords}`
        : `If that does not help, read what ${driver ?? 'the driver'} logged on ${nodeOf(p)} around the error.`,
    ),
  ];
}

/** What the code alone leaves to do, where no rule knows the words (CSI spec, error scheme). */
function fixesForCode(m: FailedMount): Fix[] {
  const code = grpcCodeOf(m.text);
  if (isOpaque(ownWords(m.text)) || isSaidByKubelet(m.text)) return [];
  if (code === 'InvalidArgument') return [optionsFix(m)];
  if (code === 'FailedPrecondition' || code === 'ResourceExhausted')
    return [
      steps(
        `Ask your storage team, with the quoted words, what has to change for ${storageName(m)} or ${nodeOf(m.p)}: the driver refuses the present state, and repeating the call does not change it. ${retryWords}`,
        [],
      ),
    ];
  return [];
}

const fixesById: Readonly<Record<MountSense['id'], (m: FailedMount) => Fix[]>> = {
  driverDown: ({ p, driver }) => [
    restartPlugin(
      p.ask,
      driver,
      nodeOf(p),
      `Save the log of the node plugin on ${nodeOf(p)} and restart it; its DaemonSet recreates the pod. A FUSE driver loses its mounts on the node. ${retryWords}`,
    ),
  ],
  apiForbidden: ({ text, driver }) => [grantFix(text, driver, retryWords)],
  apiMissing: (m) => [missingObjectFix(m)],
  noProvider: (m) => [runProviderFix(m)],
  secretsStore: (m) => [secretsStoreFix(m)],
  nodeService: (m) => [startServiceFix(m)],
  names: (m) => namesFixes(m),
  metadataServer: (m) => [metadataServerFix(m)],
  login: (m) => [
    writeSecretFix(m, 'Write the user and password (CHAP) or the initiator name that the storage accepts'),
  ],
  passphrase: (m) => [
    writeSecretFix(
      m,
      'Write the passphrase with which the volume was encrypted (never format it anew: its data would be lost)',
    ),
  ],
  nfsVersion: (m) => [nfsVersionFix(m)],
  exportMissing: (m) => [exportFix(m)],
  state: (m) => [
    steps(
      `Ask your storage team to repair ${storageName(m)}: its disks, its replicas and the machines that hold them have to be up. Do not recreate it. ${retryWords}`,
      [],
    ),
  ],
  credentials: (m) => [credentialsFix(m)],
  action: ({ text, driver }) => [
    steps(
      `Ask the owner of the cloud account to allow ${rightIn(text).action ?? 'the action named above'} for ${rightIn(text).caller ?? `the identity of ${driver ?? 'the driver'}`}. ${retryWords}`,
      [],
    ),
  ],
  nfsDenied: (m) => [admitNodeFix(m)],
  wrongLogin: (m) => [writeSecretFix(m, 'Write the right credentials')],
  cluster: (m) => clusterFixes(m),
  helperPod: (m) => helperFixes(m),
  denied: (m) => [writeSecretFix(m, 'If a key or password was changed, write the current one')],
  unknownFeatures: ({ p, text }) => [
    ...disableFeaturesFix(text),
    steps(
      `Upgrade the kernel of ${nodeOf(p)}${kernelWords(p)}, or let the pod run on nodes with a newer kernel. The same volume then mounts. Do not repair or format it.`,
      [],
      'disruptive',
    ),
    steps(
      'For new volumes, use a driver release or a class that creates them with fewer features (another fsType, imageFeatures: layering for RBD).',
      [],
    ),
  ],
  unknownType: (m) => [loadModuleFix(m, firstGroup(unknownTypeText, m.text))],
  kernelModule: (m) => [loadModuleFix(m, undefined)],
  helper: (m) => [installClientFix(m)],
  program: (m) => [updateImageFix(m)],
  mounted: (m) => [
    releaseFix(m),
    lookFix(m, 'findmnt', (node) => `If it stays mounted, find where on ${node}, and stop what uses it.`),
  ],
  busy: (m) => [
    lookFix(
      m,
      'sh -c "lsblk -f; multipath -ll"',
      (node) =>
        `Find what holds the device on ${node}. If lsblk shows an mpath device above the disk, keep multipathd off the devices of the driver (a blacklist in /etc/multipath/conf.d) and restart it; otherwise go on with fix 2.`,
    ),
    releaseFix(m),
  ],
  fileSystem: (m) => [
    lookFix(
      m,
      'sh -c "dmesg | tail -n 30; lsblk -f"',
      (node) =>
        `Read the kernel log and the type of the file system on ${node}; they decide. Unknown features: use a newer kernel. Another FSTYPE: correct fsType${fsTypeWords(m)}. A journal or checksum error: restore a backup, or repair a copy.${isXfsCopy(m) ? ' A duplicate UUID: go on with fix 2.' : ''} Never format the device.`,
    ),
    ...(isXfsCopy(m) ? [sameUuidFix(m)] : []),
  ],
  fuse: ({ p, driver }) => [
    restartPlugin(
      p.ask,
      driver,
      nodeOf(p),
      `Save the log of the node plugin on ${nodeOf(p)} and restart it. Pods there that use volumes of this driver have to be recreated afterwards.`,
    ),
    restartFix(p, 'Then recreate the pod, so that the volume is mounted again.'),
  ],
  staleHandle: ({ p }) => [
    restartFix(p, 'Recreate the pod, so that the directory is mounted again.'),
    steps('If the error stays, ask your storage team whether the export still exists under the same path.', []),
  ],
  blocklist: (m) => [capsFix(m)],
  inUse: (m) => [inUseFix(m)],
  notStaged: ({ p }) => [restartFix(p, 'Recreate the pod, so that the volume is staged and published again.')],
  network: (m) => [...shareManagerFixes(m), networkFix(m)],
  deviceMissing: (m) => deviceFixes(m),
  readOnly: (m) => [readOnlyFix(m)],
  full: (m) => (isSaidByKubelet(m.text) ? [freeNodeFix(m)] : [freeVolumeFix(m)]),
  device: (m) => [
    steps(`Ask your storage team to check the health of ${storageName(m)}: the disk fails to read or write.`, []),
    lookFix(
      m,
      'sh -c "dmesg | tail -n 30"',
      (node) => `Give them the lines about the device from the kernel log of ${node}.`,
    ),
  ],
  notAttached: ({ p }) => [
    restartFix(p, 'Recreate the pod, so that the volume is detached and attached again.', 'disruptive'),
  ],
  gone: (m) => [
    steps(
      `Ask your storage team whether ${storageName(m)} exists, in the account, region or pool that the driver uses. If it was deleted, restore it from a backup or a snapshot.`,
      [],
    ),
  ],
  path: () => [],
  options: (m) => [optionsFix(m)],
  notEmpty: (m) => [
    lookFix(
      m,
      'lsblk -o NAME,SIZE,SERIAL,FSTYPE,PTTYPE,MOUNTPOINTS',
      (node) =>
        `Compare size and serial of the disk on ${node} with ${storageName(m)}. Another disk: ask your storage team why the node was given it. The same: it holds data in another form (a partition table, another file system), so use a volume that is empty, or let its owner move the data. Never force the format.`,
    ),
  ],
  certificate: ({ driver }) => [
    steps(
      `Ask the owner of the storage to renew the certificate if it has expired, or to issue it for the address that is used; if a private authority signed it, give ${driver ?? 'the driver'} that CA certificate. ${retryWords}`,
      [],
    ),
  ],
  outage: () => [
    steps(
      `Ask your storage team to bring back what the error names (down, overloaded or in maintenance). ${retryWords}`,
      [],
    ),
  ],
  storageBusy: (m) => [
    steps(
      `Ask your storage team what uses or locks ${storageName(m)}, as the error names it, and to end it, release it or wait for it. ${retryWords}`,
      [],
    ),
  ],
  mountFailed: (m) => [
    lookFix(
      m,
      'sh -c "dmesg | tail -n 30"',
      (node) =>
        `Read in the kernel log of ${node} what mount(8) does not say (network, refused credentials, file system), and correct it. ${retryWords}`,
    ),
    ...(/-t (?:cifs|smb3?)\b/.test(m.text) && m.use?.volumeObject?.spec?.csi?.nodeStageSecretRef
      ? [writeSecretFix(m, 'If the account key or password was changed, write the current one')]
      : []),
    ...(m.driver === undefined
      ? []
      : [
          readPluginLog(
            m.p.ask,
            m.driver,
            nodeOf(m.p),
            `If the kernel log is silent, read the log of ${m.driver} on ${nodeOf(m.p)}.`,
          ),
        ]),
  ],
};

function freeVolumeFix(m: FailedMount): Fix {
  return lookFix(
    m,
    'df -h',
    (node) => `Free space where "Use%" is 100% on ${node}; if it is the volume, grow the claim. ${retryWords}`,
  );
}

/** Unused images are pulled again when a pod needs them. */
function freeNodeFix({ p }: FailedMount): Fix {
  const node = nodeOf(p);
  const text = `Free space on the file system of ${node} that has /var/lib/kubelet: remove unused images, which are pulled again when a pod needs them. If "Use%" stays near 100%, remove what else fills it. ${retryWords}`;
  return isWindows(knownNode(p))
    ? steps(text, [])
    : steps(text, [onNode(node, 'crictl rmi --prune'), onNode(node, 'df -h /var/lib/kubelet')]);
}

/** Before it calls the driver, the kubelet creates a directory. */
export function isSaidByKubelet(text: string): boolean {
  return /kubernetes\.io\/csi: \w+\.\w+ failed to create /.test(text) && !/rpc error/.test(text);
}

function firstGroup(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.slice(1).find(Boolean);
}

function kernelWords(p: PodCase): string {
  const version = knownNode(p)?.status?.nodeInfo?.kernelVersion;
  return version === undefined ? '' : ` (${version})`;
}

/** A restored snapshot or a clone has the UUID of its source, and XFS mounts no second one with it on a node. */
function isXfsCopy({ use }: FailedMount): boolean {
  return use?.volumeObject?.spec?.csi?.fsType === 'xfs' && use.claim?.claim?.spec?.dataSource !== undefined;
}

function sameUuidFix({ p, use }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const options = (volume?.spec?.mountOptions ?? []).filter((option) => option !== 'nouuid');
  return steps(
    `If the kernel log names a duplicate UUID, mount the copy without that check: a volume from a snapshot or clone has the UUID of its source, and XFS mounts only one of them on a node. mountOptions of a volume can be changed; ${keptWords}.`,
    volume
      ? [patchCommand(volume, { spec: { mountOptions: [...options, 'nouuid'] } }), ...restartPodCommands(p.pod)]
      : [],
  );
}

function fsTypeWords({ use }: FailedMount): string {
  const fsType = use?.volumeObject?.spec?.csi?.fsType;
  return fsType ? ` (the volume asks for ${fsType})` : '';
}

/** The kernel module names the command that takes off what it does not know. */
const disableText = /"rbd feature disable ([\w./-]+(?: [\w-]+)+)"/;

function disableFeaturesFix(text: string): Fix[] {
  const [image = '', ...features] = disableText.exec(text)?.[1]?.split(' ') ?? [];
  if (features.length === 0) return [];
  return [
    steps(
      `Ask the Ceph team to disable the features of image ${image} that this kernel does not know: the words above name the command. The data stays as it is. ${retryWords}`,
      [`rbd feature disable ${[image, ...features].map(shellWord).join(' ')}`],
    ),
  ];
}

const rbdImage = /rbd image ([\w./-]+) (?:is still being used|has watchers)/i;

function inUseFix(m: FailedMount): Fix {
  const image = rbdImage.exec(m.text)?.[1];
  return steps(
    `Ask your storage team which client holds ${image === undefined ? storageName(m) : `RBD image ${image} (its watchers)`}, and to release it: a node that was cut off, a mount outside of the cluster. Make sure that this client no longer writes. ${retryWords}`,
    image === undefined ? [] : [`rbd status ${shellWord(image)}`],
    'disruptive',
  );
}

/** How the storage calls the volume. */
function storageName({ use }: FailedMount): string {
  const handle = use?.handle;
  return handle === undefined ? volumeWords(use) : `volume ${handle}`;
}

function restartFix(p: PodCase, text: string, risk: Fix['risk'] = 'safe'): Fix {
  return steps(text, restartPodCommands(p.pod), p.pod.status?.phase === 'Running' ? 'disruptive' : risk);
}

/** A look at the node whose result decides. */
function lookFix({ p }: FailedMount, command: string, text: (node: string) => string): Fix {
  const node = nodeOf(p);
  return isWindows(knownNode(p))
    ? steps(`${text(node)} Log in there for that: it runs Windows.`, [])
    : steps(text(node), [onNode(node, command)]);
}

function releaseFix({ p, use }: FailedMount): Fix {
  return restartFix(
    p,
    `Recreate the pod: the kubelet then unmounts what is left of ${volumeWords(use)} on ${nodeOf(p)} and mounts it anew.`,
  );
}

const addressInText =
  /(?:dial (?:tcp|udp) |portal:? |addr(?:ess)?[=: ]+|-t (?:nfs4?|cifs|ceph|lustre)\s+(?:-o \S+ )?(?:\/\/)?|https?:\/\/)\[?([\w.-]+)\]?(?:[:,](\d+))?/i;

/** The port of the protocol, where the text names none. */
function portOf(text: string, use: VolumeUse | undefined): string | undefined {
  if (use?.volumeObject?.spec?.nfs || /nfs/i.test(text)) return '2049';
  if (/-t lustre\b/.test(text)) return '988';
  return /-t (?:cifs|smb3?)\b/.test(text) ? '445' : undefined;
}

function networkFix({ p, use, text }: FailedMount): Fix {
  const match = addressInText.exec(text);
  const host =
    match?.[1] ?? use?.volumeObject?.spec?.nfs?.server ?? use?.volumeObject?.spec?.csi?.volumeAttributes?.['server'];
  const port = match?.[2] ?? portOf(text, use);
  const node = nodeOf(p);
  const asked = `Ask your network or storage team to open the path from ${node} to ${host ?? 'the storage'}${port === undefined ? '' : ` on port ${port}`}`;
  if (host === undefined || port === undefined || isWindows(knownNode(p)))
    return steps(`${asked}, or to bring the server back. ${retryWords}`, []);
  return steps(
    `${asked}. This tests it: "open" means that the path is free and the server has to be checked. ${retryWords}`,
    [`kubectl debug node/${shellWord(node)} -it --image=busybox -- nc -zv -w 5 ${shellWord(host)} ${port}`],
  );
}

/** Longhorn serves a ReadWriteMany volume from a pod of its own, behind a Service of the cluster. */
function shareManagerFixes({ p, driver, use, text }: FailedMount): Fix[] {
  const handle = use?.handle;
  if (driver !== 'driver.longhorn.io' || handle === undefined || !/-t nfs\b/.test(text)) return [];
  const namespace = pluginOn(p.ask, driver, nodeOf(p))?.metadata.namespace ?? 'longhorn-system';
  const pod = shellWord(`share-manager-${handle}`);
  return [
    steps(
      `Get pod/share-manager-${handle} in namespace ${namespace} running: it serves the volume over NFS, and its events and the state of the Longhorn volume name what holds it up. ${retryWords}`,
      [
        `kubectl -n ${shellWord(namespace)} describe pod ${pod}`,
        `kubectl -n ${shellWord(namespace)} get volumes.longhorn.io ${shellWord(handle)} -o yaml`,
      ],
    ),
  ];
}

function deviceFixes(m: FailedMount): Fix[] {
  const { p, driver, use } = m;
  const reattach = restartFix(
    p,
    `Recreate the pod, so that ${volumeWords(use)} is detached from ${nodeOf(p)} and attached again.`,
  );
  const look = lookFix(
    m,
    'sh -c "lsblk; ls -l /dev/disk/by-id"',
    (node) =>
      `If the error stays, list the disks of ${node}. If the disk is there without an entry below by-id, the udev rules or the machine type hide it; if it is not there, ask your storage team why it was not handed to the machine.`,
  );
  const isVsphere = driver?.includes('vsphere') === true || use?.volumeObject?.spec?.vsphereVolume !== undefined;
  return isVsphere ? [enableUuidFix(nodeOf(p)), look] : [reattach, look];
}

/** The guest of a vSphere machine gets no disk ids unless its option says so; the option is read when the machine starts. */
function enableUuidFix(node: string): Fix {
  return steps(
    `Set disk.EnableUUID on the virtual machine of ${node} while it is off: without it the guest has no disk ids. PLACEHOLDER_VM is its name in vSphere.`,
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

function readOnlyFix({ p, use }: FailedMount): Fix {
  const claimName = use?.podVolume.persistentVolumeClaim?.claimName;
  if (!use || claimName === undefined)
    return steps('Ask your storage team why the volume is read-only, and to make it writable.', []);
  const spec = { volumes: [{ name: use.name, persistentVolumeClaim: { claimName, readOnly: true } }] };
  return changePodFix(
    p.pod,
    spec,
    (where) =>
      `If ${podWords(p)} only reads, set readOnly: true for the volume ${where}. Otherwise ask your storage team to make it writable.`,
  );
}

function optionsFix({ p, use, text }: FailedMount): Fix {
  const volume = use?.volumeObject;
  const options = volume?.spec?.mountOptions ?? [];
  if (!volume || options.length === 0)
    return steps(
      volume?.spec?.csi === undefined
        ? 'Correct the option or attribute that the text names, where it is set: the attributes of the volume, or the settings of the driver.'
        : `Correct what the text names, where it is set: pv/${volume.metadata.name} has no mountOptions, so it is an attribute or the access mode of the volume, or a setting of the driver. The attributes of a volume cannot be changed: those of new volumes come from their class.`,
      [],
    );
  return steps(
    `${mountOptionTexts.test(text) ? 'Remove the refused option' : 'If the words above are about a mount option, remove it'} from pv/${volume.metadata.name} (it has ${options.join(', ')}); mountOptions of a volume can be changed. PLACEHOLDER_OPTIONS are those to keep, for example "noatime". Then recreate the pod: ${keptWords}.`,
    [patchCommand(volume, { spec: { mountOptions: ['PLACEHOLDER_OPTIONS'] } }), ...restartPodCommands(p.pod)],
  );
}

/** The user is in the command that the driver repeats in its error, the pool in the attributes of the volume. */
function capsFix(m: FailedMount): Fix {
  const user = /--id[ =]([\w.-]+)/.exec(m.text)?.[1] ?? 'PLACEHOLDER_USER';
  const pool = m.use?.volumeObject?.spec?.csi?.volumeAttributes?.['pool'] ?? 'PLACEHOLDER_POOL';
  const blanks = [user, pool].filter((word) => word.startsWith('PLACEHOLDER'));
  const blank =
    blanks.length === 0
      ? ''
      : ` ${blanks.join(' and ')} ${blanks.length === 1 ? 'is that' : 'are those'} of ${storageName(m)}.`;
  const client = shellWord(`client.${user}`);
  return steps(
    `Ask the Ceph team to give the user the rights of profile rbd, which include blocklisting. Caps are replaced as a whole, so read them first.${blank} ${retryWords}`,
    [
      `ceph auth get ${client}`,
      `ceph auth caps ${client} mon 'profile rbd' osd ${shellWord(`profile rbd pool=${pool}`)} mgr ${shellWord(`profile rbd pool=${pool}`)}`,
    ],
  );
}
