import type { PodCase } from '../../facts/pod/pod-case.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import type { Pod, PodVolume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';
import { nodeOf } from './told-volume.ts';

/** ERROR_SESSION_CREDENTIAL_CONFLICT: Windows keeps one set of credentials for a server. */
export function oneUserFixes({ p, use }: FailedMount): Fix[] {
  const node = nodeOf(p);
  const own = use && inlineShare(use.podVolume);
  const other = own && findOtherUser(p, own);
  const known =
    other === undefined
      ? ''
      : ` pod/${other.pod.metadata.name} there uses the same server with Secret "${other.secret}", and this pod uses "${own?.secret ?? ''}".`;
  return [
    steps(
      `Give all pods on ${node} that mount from this server the same Secret, the one that is valid.${known} Recreate ` +
        'the pods that used another. The kubelet retries within about 2 minutes; if the error stays although no pod ' +
        'there uses the other name, log in there and remove the connection that is left (Get-SmbGlobalMapping, ' +
        'Remove-SmbGlobalMapping).',
      [],
      'disruptive',
    ),
    steps(
      `Or run the pod on another Windows node, which has no connection to the server: cordon ${node}, recreate the ` +
        'pod, and uncordon the node once the new pod has another one.',
      [`kubectl cordon ${shellWord(node)}`, ...restartPodCommands(p.pod), `kubectl uncordon ${shellWord(node)}`],
      'disruptive',
    ),
  ];
}

interface Share {
  readonly driver: string;
  readonly server: string;
  readonly secret: string;
}

/** A share that a pod names itself, with the Secret for it. */
function inlineShare({ csi }: PodVolume): Share | undefined {
  const { server, source, secretName } = csi?.volumeAttributes ?? {};
  const host = server ?? /^[\\/]{2}([^\\/]+)/.exec(source ?? '')?.[1];
  const secret = csi?.nodePublishSecretRef?.name ?? secretName;
  return csi?.driver && host !== undefined && secret !== undefined
    ? { driver: csi.driver, server: host, secret }
    : undefined;
}

function findOtherUser(p: PodCase, own: Share): { readonly pod: Pod; readonly secret: string } | undefined {
  for (const pod of p.ask.seen('Pod')) {
    const isOther = pod.metadata.uid !== p.pod.metadata.uid || pod.metadata.name !== p.pod.metadata.name;
    if (!isOther || pod.spec?.nodeName !== nodeOf(p) || isTerminated(pod)) continue;
    const share = (pod.spec.volumes ?? [])
      .flatMap((volume) => inlineShare(volume) ?? [])
      .find(({ driver, server, secret }) => driver === own.driver && server === own.server && secret !== own.secret);
    if (share) return { pod, secret: share.secret };
  }
  return undefined;
}
