import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';

/** Stops the pods that use a claim, and says when to start them again. */
export function stopFix(pod: Pod, until: string): Fix {
  const owner = ownerOf(pod);
  const namespace = inNamespace(pod.metadata.namespace);
  if (owner && (owner.kind === 'Deployment' || owner.kind === 'StatefulSet'))
    return fix(
      `stop the pods that use it, ${until}, then scale up again`,
      `kubectl ${namespace}scale ${owner.kind.toLowerCase()} ${shellWord(owner.name)} --replicas=0`,
      'disruptive',
    );
  return fix(
    `stop pod/${pod.metadata.name}${owner ? ` (made by ${owner.kind.toLowerCase()}/${owner.name})` : ''}, ${until}, then start it again`,
    `kubectl ${namespace}delete pod ${shellWord(pod.metadata.name)}`,
    'disruptive',
  );
}

/** Replaces the pods, so that the kubelet mounts the volume again. */
export function restartFix(pod: Pod, text: string): Fix {
  const owner = ownerOf(pod);
  const namespace = inNamespace(pod.metadata.namespace);
  if (owner && ['Deployment', 'StatefulSet', 'DaemonSet'].includes(owner.kind))
    return fix(
      text,
      `kubectl ${namespace}rollout restart ${owner.kind.toLowerCase()} ${shellWord(owner.name)}`,
      'disruptive',
    );
  return fix(text, `kubectl ${namespace}delete pod ${shellWord(pod.metadata.name)}`, 'disruptive');
}
