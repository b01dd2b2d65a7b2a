import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { KubeEvent, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { ownWords } from '../lib/driver-error/node-sense.ts';
import {
  isNfsText,
  namesNfsVersion,
  nfsMountFailedText,
  nfsServerAndPathText,
} from '../lib/driver-error/senses/mount-command.ts';
import { rpcErrorText } from '../lib/driver-error/sentences/kubelet.ts';
import {
  clientMissingTexts,
  lockDaemonTexts,
  moduleMissingTexts,
  nameUnknownTexts,
  pathMissingTexts,
  refusedTexts,
  unreachableTexts,
  versionTexts,
} from '../lib/driver-error/senses/mount-nfs.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { recreateVolumeCommands } from '../lib/volume-change.ts';
import { quoted } from './driver-answer.ts';
import { installClientFix, loadModuleFix } from './node-software.ts';
import { retryWords } from './failed-mount.ts';
import { nodeOf, podWords } from './told-volume.ts';
import { findVolumeFailure, waitingVolumes } from './waiting-volumes.ts';
import type { WaitingVolume } from './waiting-volumes.ts';

interface Meaning {
  readonly pattern: RegExp;
  /** Follows the quoted words; says no more than they prove. */
  readonly text: string;
  readonly fixes: (share: Share) => readonly Fix[];
}

/** What mount.nfs prints, and what it means; the first that fits counts. */
const meanings: readonly Meaning[] = [
  {
    pattern: clientMissingTexts,
    text: 'The node has no NFS client.',
    fixes: ({ p }) => [installClientFix({ p, text: 'nfs' })],
  },
  {
    pattern: moduleMissingTexts,
    text: 'The kernel of the node has no NFS module.',
    fixes: ({ p, text }) => [loadModuleFix({ p, use: undefined, driver: undefined, text }, 'nfs')],
  },
  {
    pattern: refusedTexts,
    text: 'The server answered and refused.',
    fixes: (share) => [tryVersion(share), versionFix(share, 'If version 3 mounts, use it')],
  },
  {
    pattern: unreachableTexts,
    text: 'The node does not reach the server.',
    fixes: ({ node, server }) => [
      steps(
        `Ask your network or storage team to open the path from ${node} to ${server ?? 'the server'} on port ` +
          '2049 (and 111 for NFSv3), or to start the server. ' +
          `${server === undefined ? '' : '"open" in the output of this test means that the path is free. '}${retryWords}`,
        server === undefined
          ? []
          : [`kubectl debug node/${shellWord(node)} -it --image=busybox -- nc -zv -w 5 ${shellWord(server)} 2049`],
      ),
    ],
  },
  {
    pattern: nameUnknownTexts,
    text: "The node cannot resolve the server's name; nodes do not use the DNS of the cluster.",
    fixes: (share) => serverFixes(share),
  },
  {
    pattern: pathMissingTexts,
    text: 'The server has no such path.',
    fixes: ({ server, path }) => [
      steps(
        `Ask your storage team to create and export ${path ?? 'the path'} on ${server ?? 'the server'}, or ` +
          `correct the path where the volume is defined. ${retryWords}`,
        server === undefined ? [] : [`showmount -e ${shellWord(server)}`],
      ),
    ],
  },
  {
    pattern: versionTexts,
    text: 'The node and the server have no NFS version in common.',
    fixes: (share) => [versionFix(share, 'Mount with a version that both support')],
  },
  {
    pattern: lockDaemonTexts,
    text: 'The node has no lock daemon for NFSv3.',
    fixes: ({ node }) => [
      steps(`Start the lock daemon on ${node}, or mount with nfsvers=4. ${retryWords}`, [
        onNode(node, 'systemctl start rpc-statd'),
      ]),
    ],
  },
];

/** What a fix may name. */
interface Share {
  readonly p: PodCase;
  readonly node: string;
  readonly server: string | undefined;
  readonly path: string | undefined;
  readonly volume: WaitingVolume | undefined;
  readonly text: string;
}

function addressWords({ p, node }: Share): string {
  const address = p.pod.status?.hostIP;
  return address === undefined ? `the address of ${node}` : `${node} (${address})`;
}

/**
 * A server that does not admit the node and one that supports only another version answer alike: a test by hand
 * decides.
 */
function tryVersion(share: Share): Fix {
  const { node, server, path } = share;
  const admit = `ask your storage team to admit ${addressWords(share)} to the export ${path ?? ''} of ${server ?? 'the server'}`;
  const hasVersion = namesNfsVersion.test(share.text);
  if (
    hasVersion ||
    server === undefined ||
    path === undefined ||
    isWindows(share.p.ask.graph.find('Node', undefined, node))
  )
    return steps(`${admit.charAt(0).toUpperCase()}${admit.slice(1)}. ${retryWords}`, []);
  return steps(
    `Try NFS version 3 by hand on ${node}, which decides. ` +
      `If it is refused too, ${admit}; the kubelet retries within about 2 minutes. ` +
      'If it mounts, the server takes only that version: go on with fix 2.',
    [
      onNode(
        node,
        `sh -c ${shellWord(`mount -t nfs -o nfsvers=3 ${shellWord(`${server}:${path}`)} /mnt && umount /mnt && echo mounted`)}`,
      ),
    ],
  );
}

/** mountOptions belong to a PersistentVolume; an nfs volume inside a pod has none. */
function versionFix({ volume }: Share, lead: string): Fix {
  if (volume?.owner.kind !== 'PersistentVolume')
    return steps(
      `${lead}: put the share into a PersistentVolume with mountOptions [nfsvers=3], since an nfs volume ` +
        'inside a pod cannot have options, and use a claim for it.',
      [],
      'disruptive',
    );
  const options = [
    ...((volume.owner as Volume).spec?.mountOptions ?? []).filter((option) => !/^(?:nfs)?vers=/.test(option)),
    'nfsvers=3',
  ];
  return steps(
    `${lead}; mountOptions of a volume can be changed. Use nfsvers=4.1 instead if the server has no version 3. ${retryWords}`,
    [patchCommand({ kind: 'PersistentVolume', metadata: { name: volume.name } }, { spec: { mountOptions: options } })],
  );
}

/** A Service of the cluster has an address that nodes reach. */
function serverFixes({ p, server = '', volume }: Share): Fix[] {
  const [name = '', namespace = ''] = server.split('.');
  const service = /\.svc(\.|$)/.test(server) ? `service ${name} in namespace ${namespace}` : undefined;
  const address = service ? 'the cluster IP of the Service' : 'an address';
  const claim = p.claims.find(({ volumeName }) => volumeName === volume?.name)?.claim;
  const text = `Use ${address} instead of "${server}", which the nodes cannot resolve`;
  if (volume?.owner.kind !== 'PersistentVolume' || !claim)
    return [steps(`Correct the volume where the pod is defined: u${text.slice(1)}.`, [], 'disruptive')];
  return [
    steps(
      `${text}. The source of a volume cannot be changed, so it is recreated; Retain keeps the data. ` +
        'PLACEHOLDER_ADDRESS is that ' +
        `address${service ? ` (kubectl -n ${shellWord(namespace)} get service ${shellWord(name)})` : ''}. ` +
        'Stop all pods of the claim before that.',
      recreateVolumeCommands(p.ask, volume.owner as Volume, claim, p.pod, {
        spec: { nfs: { server: 'PLACEHOLDER_ADDRESS' } },
      }),
      'disruptive',
    ),
  ];
}

/** The kubelet calls mount(8) on the node, and the output of the command is the only proof. */
export const nfsMountFailed = podRule({
  cause: 'nfs-mount-failed',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failed = findFailedShare(p);
    if (!failed) return undefined;
    const { server, path, message, volume } = failed;
    const node = nodeOf(p);
    const share = server === undefined ? 'an NFS share' : `NFS share ${server}:${path ?? ''}`;
    const meaning = meanings.find(({ pattern }) => pattern.test(message));
    return {
      confidence: 'likely',
      about: `${share}/${meaning?.text ?? ''}`,
      summary: `${node} cannot mount ${share} for ${podWords(p)}: ${quoted(ownWords(message))}.${meaning ? ` ${meaning.text}` : ''}`,
      evidence: evidenceOf(p, failed),
      fix: meaning?.fixes({ p, node, server, path, volume, text: message }) ?? [
        steps(`Correct what the quoted text names. The kernel log of ${node} often says more.`, [
          onNode(node, 'sh -c "dmesg | tail -n 30"'),
        ]),
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
  const failure = findVolumeFailure(p, nfsMountFailedText);
  const message = failure?.match.input ?? '';
  if (!failure || rpcErrorText.test(message)) return undefined;
  const isNfs = isNfsText.test(message);
  const volume = failure.volume ?? (isNfs ? onlyShare(p) : undefined);
  const nfs = volume?.source.nfs;
  if (!nfs && !isNfs) return undefined;
  const [, server, path] = nfsServerAndPathText.exec(message) ?? [];
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
