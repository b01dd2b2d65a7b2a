import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { retryWords } from './failed-mount.ts';
import type { FailedMount } from './failed-mount.ts';
import { pluginOn } from './plugin-fixes.ts';
import { knownNode, nodeOf } from './told-volume.ts';

/** A resource of DRBD has one Primary: the node that holds it has to let it go, never this one to take it by force. */
export function drbdFixes({ p, driver, use }: FailedMount): Fix[] {
  const resource = use?.handle;
  if (resource === undefined || isWindows(knownNode(p))) return [];
  const known = pluginOn(p.ask, driver, nodeOf(p))?.metadata.namespace;
  const place = known === undefined ? 'PLACEHOLDER_NS' : shellWord(known);
  const name = shellWord(resource);
  const isLinstor = driver !== undefined && /linstor/.test(driver);
  const unknown = isLinstor && known === undefined ? ' PLACEHOLDER_NS is where the LINSTOR controller runs.' : '';
  const list = isLinstor
    ? 'the first line shows the replicas, their state and the nodes in use, the second'
    : 'the first line shows';
  return [
    steps(
      `Find the node that is Primary for ${resource}, and let it go: ${list} ` +
        'what DRBD says on this node. On a Primary without a pod of this claim, and with ' +
        '"open:no", run the last line there (PLACEHOLDER_NODE). Where a pod of the claim still runs there, stop that pod. ' +
        'If no node is Primary, bring the replicas that are not UpToDate or not connected back first. ' +
        `Never use --force here: two writers lose data.${unknown} ${retryWords}`,
      [
        ...(isLinstor
          ? [`kubectl -n ${place} exec deploy/linstor-controller -- linstor resource list -r ${name}`]
          : []),
        onNode(nodeOf(p), `drbdadm status ${name}`),
        onNode('PLACEHOLDER_NODE', `drbdadm secondary ${name}`),
      ],
      'disruptive',
    ),
  ];
}
