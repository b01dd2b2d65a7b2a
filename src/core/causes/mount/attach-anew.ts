import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { FailedMount } from './failed-mount.ts';
import { nodeOf } from './told-volume.ts';

/**
 * Kubernetes counts the volume as attached, so nothing attaches it again before it was detached; a new pod on the same
 * node keeps the attachment.
 */
export function attachAnewFix({ p, use }: FailedMount): Fix {
  const { namespace } = p.pod.metadata;
  const owner = ownerOf(p.pod);
  const attachment = use?.attachment?.state === 'found' ? use.attachment.object.metadata.name : undefined;
  const kind: 'StatefulSet' | 'Deployment' | undefined =
    owner?.kind === 'StatefulSet' || owner?.kind === 'Deployment' ? owner.kind : undefined;
  const replicas = owner && kind ? p.ask.graph.find(kind, namespace, owner.name)?.spec?.replicas : undefined;
  if (!owner || !kind || attachment === undefined || replicas !== 1) return otherNodeFix(p);
  const workload = { kind, metadata: { name: owner.name, ...(namespace !== undefined && { namespace }) } };
  return steps(
    `Have the volume attached anew: stop ${kind.toLowerCase()}/${owner.name}, wait until the attachment is gone, ` +
      'and start it again. A new pod alone would find the same attachment on the same node.',
    [
      kubectl('scale', workload, '--replicas=0'),
      `kubectl wait --for=delete volumeattachments.storage.k8s.io/${shellWord(attachment)} --timeout=8m`,
      kubectl('scale', workload, '--replicas=1'),
    ],
    'disruptive',
  );
}

function otherNodeFix(p: PodCase): Fix {
  const node = nodeOf(p);
  return steps(
    `Recreate the pod on another node, where the volume is attached anew: cordon ${node}, recreate the pod, and uncordon ` +
      'the node once the new pod has another one. A new pod on the same node would find the same attachment.',
    [`kubectl cordon ${shellWord(node)}`, ...restartPodCommands(p.pod), `kubectl uncordon ${shellWord(node)}`],
    'disruptive',
  );
}
