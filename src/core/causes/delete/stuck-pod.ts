import type { Lookup } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';

/** How to end a pod that should be gone: bring its node back, or what else is seen to hold it. */
export function stuckPodFixes(c: PresentClaim, pod: Pod, node: Lookup<Node>, rescue: Fix | undefined): Fix[] {
  const then = volumeAtRisk(c) ? 'The claim then goes, and its volume with the data.' : 'The claim then goes.';
  const volume = volumeAtRisk(c);
  if (volume) return dataFirst(volume, endFixes(c, pod, node), then, rescue);
  return [...endFixes(c, pod, node), ...(rescue ? [rescue] : [])];
}

function endFixes(c: PresentClaim, pod: Pod, node: Lookup<Node>): Fix[] {
  const { name, finalizers: [finalizer] = [] } = pod.metadata;
  const place = pod.spec?.nodeName ?? '';
  if (node.state === 'found' && conditionOf(node.object.status?.conditions, 'Ready')?.status !== 'True')
    return nodeFixes(place, name);
  if (finalizer !== undefined)
    return [
      steps(
        `Start the controller that removes finalizer "${finalizer}" from pod/${name}. ` +
          'The pod goes when its containers have ended and the finalizer is gone.',
        [],
      ),
    ];
  return [
    steps(
      `Find out why pod/${name} does not end: ${place} has not reported its end. ` +
        'What this prints decides the next step, most often a volume that cannot be unmounted or a ' +
        'container that does not stop.',
      [`kubectl csi why ${shellWord(`pod/${name}`)} -n ${shellWord(c.namespace)}`, kubectl('describe', pod)],
    ),
  ];
}

function nodeFixes(node: string, pod: string): Fix[] {
  return [
    steps(
      `Start ${node} again (machine, network or kubelet). Its kubelet then ends pod/${pod} within about a minute.`,
      [],
      'disruptive',
    ),
    steps(
      `Mark ${node} as out of service only if its machine is certainly off: ` +
        'its pods are then deleted and its volumes detached at once. Remove the taint when the node is back.',
      [`kubectl taint nodes ${shellWord(node)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`],
      'disruptive',
    ),
  ];
}
