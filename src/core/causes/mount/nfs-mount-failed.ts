import { eventSaid, field, fix } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { nodeOf } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';

interface Meaning {
  readonly pattern: RegExp;
  /** Follows the name of the node. */
  readonly text: string;
  readonly fixes: (server: string, node: string) => readonly Fix[];
}

/** What mount.nfs prints, and what it means; the first that fits counts. */
const meanings: readonly Meaning[] = [
  {
    pattern:
      /need a \/sbin\/mount\.(?:<type>|\w+) helper|mount\.nfs4?: (?:not found|No such file)|unknown filesystem type '?nfs/,
    text: 'has no NFS client',
    fixes: (_server, node) => [
      fix(`install the NFS client on ${node} itself (nfs-common, or nfs-utils): the one in a container does not count`),
    ],
  },
  {
    pattern: /No such device(?! or address)|modprobe: (?:FATAL|ERROR)/i,
    text: 'has no NFS module in its kernel',
    fixes: (_server, node) => [
      fix(
        `load the module nfs on ${node}; where it is not there, install the package with the further modules of the kernel`,
      ),
    ],
  },
  {
    pattern: /access denied by server|Permission denied|Operation not permitted/i,
    text: 'is refused by the server',
    fixes: (server, node) => [
      fix(`let ${server} export the path to ${node}: the address of the node must be in the export`),
      fix(
        'if the server takes only one NFS version, name it in mountOptions of a PersistentVolume (nfsvers=3): an nfs volume inside a pod cannot carry options',
      ),
    ],
  },
  {
    pattern: /Connection timed out|Connection refused|No route to host|Host is down|Network is unreachable|timed out/i,
    text: 'does not reach the server',
    fixes: (server, node) => [
      fix(
        `see from ${node} whether ${server} answers on port 2049 (and 111 for NFSv3): server down, firewall, wrong address`,
      ),
    ],
  },
  {
    pattern: /Failed to resolve|Name or service not known|could not resolve|Temporary failure in name resolution/i,
    text: 'cannot resolve the name of the server',
    fixes: (server) => [
      fix(
        `use an address or a name that the nodes can resolve in place of ${server}: they do not ask the DNS of the cluster`,
      ),
    ],
  },
  {
    pattern: /No such file or directory|does not exist/i,
    text: 'finds no such export',
    fixes: (server) => [
      fix(`see which paths ${server} exports (showmount -e), and make the path or correct the volume`),
    ],
  },
  {
    pattern: /Protocol not supported|requested NFS version or transport protocol is not supported/i,
    text: 'and the server have no NFS version in common',
    fixes: () => [
      fix('name a version that both know in mountOptions of the PersistentVolume, such as nfsvers=3 or nfsvers=4.1'),
    ],
  },
  {
    pattern: /rpc\.statd is not running|lockd/i,
    text: 'has no lock daemon for NFSv3',
    fixes: (_server, node) => [fix(`start rpc.statd (rpcbind) on ${node}, or mount with nfsvers=4 or nolock`)],
  },
];

const mountText = /mount failed: exit status|mount\.nfs|kubernetes\.io~nfs|-t nfs|Mounting arguments:/;

/** The kubelet calls mount(8) on the node, and the output of the command is the only proof. */
export const nfsMountFailed = podRule({
  cause: 'nfs-mount-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failed = findFailedShare(p);
    if (!failed) return undefined;
    const { server, path, message } = failed;
    const node = nodeOf(p);
    const share = `${server ?? 'the server'}:${path ?? ''}`;
    const meaning = meanings.find(({ pattern }) => pattern.test(message));
    return {
      confidence: 'likely',
      about: `${share}/${meaning?.text ?? ''}`,
      summary: `${server === undefined ? 'an NFS share' : `NFS share ${share}`} cannot be mounted for pod/${p.pod.metadata.name}: ${node} ${meaning?.text ?? 'fails to mount it'}`,
      evidence: evidenceOf(p, failed),
      fix: meaning?.fixes(server ?? 'the server', node) ?? [
        fix(`try the mount by hand on ${node}, and act on what it says`),
      ],
    };
  },
});

interface FailedShare {
  readonly event: KubeEvent;
  readonly message: string;
  readonly volume: WaitingVolume | undefined;
  readonly server: string | undefined;
  readonly path: string | undefined;
}

function findFailedShare(p: PodCase): FailedShare | undefined {
  const failure = findVolumeFailure(p, mountText);
  const message = failure?.match.input ?? '';
  if (!failure || /rpc error/.test(message)) return undefined;
  const isNfs = /mount\.nfs|~nfs|-t nfs/.test(message);
  const volume = failure.volume ?? (isNfs ? onlyShare(p) : undefined);
  const nfs = volume?.source.nfs;
  if (!nfs && !isNfs) return undefined;
  const [, server, path] = /-t nfs\S*\s+(?:-o\s+\S+\s+)?([^\s:]+):(\S*)/.exec(message) ?? [];
  return { event: failure.event, message, volume, server: nfs?.server ?? server, path: nfs?.path ?? path };
}

/** The only NFS volume of the pod: an event that names none must be about it. */
function onlyShare(p: PodCase): WaitingVolume | undefined {
  const [share, ...more] = waitingVolumes(p).filter(({ source }) => source.nfs !== undefined);
  return more.length === 0 ? share : undefined;
}

function evidenceOf({ pod }: PodCase, { event, volume }: FailedShare): Explanation['evidence'] {
  const nfs = volume?.source.nfs;
  return [
    eventSaid(pod, event),
    ...(volume && nfs ? [field(volume.owner, `${volume.path}.nfs`, `${nfs.server ?? ''}:${nfs.path ?? ''}`)] : []),
  ];
}
