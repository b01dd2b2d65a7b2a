import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { listClusters } from '../lib/ceph-clusters.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { pluginOn } from './plugin-fixes.ts';
import { knownNode, nodeOf } from './told-volume.ts';
import {
  lustreMountText,
  mountAddressText,
  nfsMountText,
  nfsShareText,
  nfsWord,
  nvmePortText,
  printedText,
  smbMountText,
} from '../lib/driver-error/senses/mount-command.ts';

/** The port of the protocol, where the text names none. */
function portOf(text: string, use: VolumeUse | undefined, driver: string | undefined): string | undefined {
  if (use?.volumeObject?.spec?.nfs || nfsWord.test(`${driver ?? ''} ${text}`) || driver === 'efs.csi.aws.com')
    return '2049';
  if (lustreMountText.test(text)) return '988';
  return smbMountText.test(text) || /\bsmb\b/.test(driver ?? '') ? '445' : undefined;
}

/** Where the data is, by the words of the error or the attributes of the volume. */
interface Address {
  readonly host: string;
  readonly port: string;
}

function addressOf({ p, use, text, driver }: FailedMount): Partial<Address> {
  const match = mountAddressText.exec(text);
  const { csi, nfs } = use?.volumeObject?.spec ?? {};
  const attributes = csi?.volumeAttributes ?? {};
  const portal = /^\[?([\w.-]+)\]?:(\d+)$/.exec(attributes['targetPortal'] ?? attributes['portal'] ?? '');
  const share = /^(?:\/\/|\\\\)([\w.-]+)/.exec(attributes['source'] ?? '')?.[1];
  const host =
    match?.[1] ?? nfs?.server ?? attributes['server'] ?? share ?? portal?.[1] ?? efsName(p, driver, csi?.volumeHandle);
  const port = match?.[2] ?? nvmePortText.exec(text)?.[1] ?? portal?.[2] ?? portOf(text, use, driver);
  return { ...(host !== undefined && { host }), ...(port !== undefined && { port }) };
}

/** The name of a file system of EFS in its VPC; the region is that of the node. */
function efsName(p: PodCase, driver: string | undefined, handle: string | undefined): string | undefined {
  const id = driver === 'efs.csi.aws.com' ? /^fs-[0-9a-z]+/.exec(handle ?? '')?.[0] : undefined;
  const region = knownNode(p)?.metadata.labels?.['topology.kubernetes.io/region'] ?? 'PLACEHOLDER_REGION';
  return id === undefined ? undefined : `${id}.efs.${region}.amazonaws.com`;
}

function testCommand(node: string, { host, port }: Address): string {
  return `kubectl debug node/${shellWord(node)} -it --image=busybox -- nc -zv -w 5 ${shellWord(host)} ${port}`;
}

/** The name of a Service of the cluster that a Windows host was given, which it cannot resolve. */
export function unknownServiceOf(m: FailedMount): string | undefined {
  const { host } = addressOf(m);
  return host !== undefined && /\.svc(?:\.|$)/.test(host) && isWindows(knownNode(m.p)) ? host : undefined;
}

export function networkFix(m: FailedMount): Fix {
  const { p, driver } = m;
  const { host, port } = addressOf(m);
  const node = nodeOf(p);
  const isCeph = driver !== undefined && /ceph/.test(driver);
  const asked =
    `Ask your network or storage team to open the path from ${node} to ` +
    `${host ?? 'the storage'}${port === undefined ? '' : ` on port ${port}`}${isCeph ? ' (the monitors), and to the OSDs (ports 6800 to 7568)' : ''}`;
  if (host === undefined || port === undefined || isWindows(knownNode(p))) {
    const namespace = pluginOn(p.ask, driver, node)?.metadata.namespace;
    return steps(
      `${asked}, or to bring the server back.${isCeph ? ' The command lists the monitors that the driver knows.' : ''} ${retryWords}`,
      isCeph ? [listClusters(namespace).replace('grep -i clusterID', 'grep -iA5 clusterID')] : [],
    );
  }
  return steps(
    `${asked}. This tests it: "open" means that the path is free and the server has to be checked. ${retryWords}`,
    [testCommand(node, { host, port })],
  );
}

/** A file system behind the network that does not answer: undefined where its address is not known. */
export function tryPathFix(m: FailedMount): Fix | undefined {
  const { host, port } = addressOf(m);
  const node = nodeOf(m.p);
  if (host === undefined || port === undefined || isWindows(knownNode(m.p))) return undefined;
  return steps(
    `Ask your network or storage team to open the path from ${node} to ${host} on port ${port} (firewall, ` +
      'security group of the server) or to start the server, unless this test prints "open"; then go on with ' +
      `fix 2.${host.includes('PLACEHOLDER') ? ' PLACEHOLDER_REGION is the region of the file system.' : ''} ` +
      `${retryWords}`,
    [testCommand(node, { host, port })],
  );
}

/**
 * mount(8) prints its reason; a driver that drops it can be asked again by hand. Read-only, so that nothing is written.
 */
export function tryMountFixes({ p, use, text }: FailedMount): Fix[] {
  const [, said, share] = nfsShareText.exec(text) ?? [];
  if (share === undefined || isWindows(knownNode(p)) || printedText.test(text)) return [];
  const node = nodeOf(p);
  const options = said?.split(',') ?? use?.volumeObject?.spec?.mountOptions ?? [];
  const list = [...options.filter((option) => option !== 'rw'), 'ro'].join(',');
  const named =
    options.length > 0 && use?.volumeObject
      ? ` If an option of pv/${use.volumeObject.metadata.name} is to blame (it has ${options.join(', ')}), change its mountOptions.`
      : '';
  return [
    steps(
      `Repeat the mount by hand on ${node}: the driver drops the reason that mount.nfs prints. "access ` +
        'denied": ask the owner of the server to admit the node. "Connection timed out": open port 2049. ' +
        `"not supported": another NFS version.${named} ${retryWords}`,
      [
        onNode(
          node,
          `sh -c ${shellWord(`mount -t nfs -v -o ${shellWord(list)} ${shellWord(share)} /mnt && umount /mnt`)}`,
        ),
      ],
    ),
  ];
}

/** Longhorn serves a ReadWriteMany volume from a pod of its own, behind a Service of the cluster. */
export function shareManagerFixes({ p, driver, use, text }: FailedMount): Fix[] {
  const handle = use?.handle;
  if (driver !== 'driver.longhorn.io' || handle === undefined || !nfsMountText.test(text)) return [];
  const namespace = pluginOn(p.ask, driver, nodeOf(p))?.metadata.namespace ?? 'longhorn-system';
  const pod = shellWord(`share-manager-${handle}`);
  return [
    steps(
      `Get pod/share-manager-${handle} in namespace ${namespace} running: it serves the volume over NFS, ` +
        `and its events and the state of the Longhorn volume name what holds it up. ${retryWords}`,
      [
        `kubectl -n ${shellWord(namespace)} describe pod ${pod}`,
        `kubectl -n ${shellWord(namespace)} get volumes.longhorn.io ${shellWord(handle)} -o yaml`,
      ],
    ),
  ];
}
