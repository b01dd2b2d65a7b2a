import { driverContainerOf, ownerOf } from '../../facts/driver/driver-pods.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { refusalRule } from './registration-refusal.ts';
import type { Registration } from './registration.ts';

/** NodeGetInfo must return a node id (nodeinfomanager InstallCSIDriver). */
export const driverNodeidEmpty = refusalRule(
  'driver-nodeid-empty',
  'nodeId',
  'the driver returned an empty node id',
  (r) => [nodeIdFix(r)],
);

/** Drivers without a cloud take their node id from an argument or a variable. */
function nodeIdFix({ driver, pod }: Registration): Fix {
  const owner = pod && ownerOf(pod);
  const container = driverContainerOf(pod?.spec)?.name;
  const text =
    `Give ${driver} its node id: the name of the node, in the variable that its arguments use (often NODE_ID ` +
    'or KUBE_NODE_NAME for --nodeid). Its pods are recreated one by one and register.';
  if (!pod || owner?.kind !== 'DaemonSet' || container === undefined) return steps(text, [], 'disruptive');
  const env = [{ name: 'PLACEHOLDER_VARIABLE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }];
  const patch = { spec: { template: { spec: { containers: [{ name: container, env }] } } } };
  return steps(
    `${text} PLACEHOLDER_VARIABLE is that variable.`,
    [
      `kubectl -n ${shellWord(pod.metadata.namespace ?? '')} patch daemonset ${shellWord(owner.name)} ` +
        `--type=strategic -p ${shellWord(JSON.stringify(patch))}`,
    ],
    'disruptive',
  );
}
