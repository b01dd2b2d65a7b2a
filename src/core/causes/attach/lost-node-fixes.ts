import type { Node, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { atLeast, parseServerVersion } from '../../kube/version.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { taintOutOfService } from './detach-case.ts';

/** What releases the volumes of a node that does not answer: the node itself, or the word that it is off. */
export function downNodeFixes(
  ask: Inquiry,
  node: Node,
  leaving: readonly Pod[],
  then = 'Its kubelet then ends the old pods and unmounts their volumes, which are detached within about a minute.',
): Fix[] {
  const { name } = node.metadata;
  const start = steps(`Start the machine of ${name}, or its kubelet, if it can be saved. ${then}`, []);
  if (taintOutOfService(node)) return [...forceFixes(name, leaving), start, untaintFix(name)];
  return [start, ...markFixes(ask, name)];
}

/** Non-graceful node shutdown (KEP-2268): on by default from 1.26 on. */
function markFixes(ask: Inquiry, name: string): Fix[] {
  if (atLeast(parseServerVersion(ask.graph.snapshot.serverVersion), 1, 26) === false) return [];
  return [
    steps(
      `Only if the machine is certainly off: mark ${name} as out of service. ` +
        'Its pods are then removed and its volumes detached at once. ' +
        'If it still runs, two writers destroy the file system. Remove the taint when the node is back.',
      [`kubectl taint node ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`],
      'data-loss',
    ),
  ];
}

/** The node is marked already, and its pods are still there: the pod garbage collector does not remove them. */
function forceFixes(name: string, leaving: readonly Pod[]): Fix[] {
  const [pod] = leaving;
  if (!pod) return [];
  return [
    steps(
      `Remove pod/${pod.metadata.name} by force, as the pod garbage collector does for a node that is out of ` +
        `service. The volume is then detached at once. The machine of ${name} must be off.`,
      [...(ownerOf(pod) ? [] : [saveCommand(pod)]), kubectl('delete', pod, '--force --grace-period=0')],
      'data-loss',
    ),
  ];
}

function untaintFix(name: string): Fix {
  return steps(`Remove the taint when ${name} is back: until then no pod can run there.`, [
    `kubectl taint node ${shellWord(name)} node.kubernetes.io/out-of-service-`,
  ]);
}
