import type { Node, ObjectOf, Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { VolumeSubject } from './volume-deletion.ts';

type DaemonSet = ObjectOf<'DaemonSet'>;

/** Whether these containers are those of the local static provisioner. */
export function isCleanerSpec(name: string, spec: Pod['spec']): boolean {
  const containers = (spec?.containers ?? []).flatMap((container) => [container.name ?? '', container.image ?? '']);
  return /local-(?:volume|static)?-?provisioner/.test([name, ...containers].join(' '));
}

/** How to get the local static provisioner to run on a node. */
export function cleanerFixes(v: VolumeSubject, node: string, pod: Pod | undefined): Fix[] {
  if (pod) return [restartFix(pod, undefined, 'Its DaemonSet recreates it.'), describeFix(pod)];
  const set = v.ask.seen('DaemonSet').find(({ metadata, spec }) => isCleanerSpec(metadata.name, spec?.template?.spec));
  if (!set) return [findFix(node)];
  const object = v.ask.seen('Node').find(({ metadata }) => metadata.name === node);
  return [placeFix(set, node, object)];
}

function describeFix(pod: Pod): Fix {
  return steps('Read its events, if the new pod is not ready either.', [kubectl('describe', pod)]);
}

function findFix(node: string): Fix {
  return steps(
    `Let the DaemonSet of the local volume provisioner run on ${node}. ` +
      'PLACEHOLDER_DAEMONSET is its name in the first line; the toleration lets it onto a tainted node, and a ' +
      `node selector must match the labels of ${node}.`,
    [
      'kubectl get daemonset -A -o wide | grep -i local',
      `kubectl -n PLACEHOLDER_NAMESPACE patch daemonset PLACEHOLDER_DAEMONSET --type=merge -p ${shellWord(JSON.stringify(tolerateAll))}`,
    ],
    'disruptive',
  );
}

const tolerateAll = { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } };

/** What keeps the DaemonSet from the node: a label that the node lacks, or a taint. */
function placeFix(set: DaemonSet, node: string, object: Node | undefined): Fix {
  const name = `daemonset/${set.metadata.name}`;
  const selector = Object.entries(set.spec?.template?.spec?.nodeSelector ?? {});
  const missing = selector.filter(([key, value]) => object?.metadata.labels?.[key] !== value);
  if (object && missing.length > 0) {
    const labels = missing.map(([key, value]) => `${key}=${value}`);
    return steps(`Label ${node} as ${name} asks: its node selector is not met there.`, [
      `kubectl label node ${shellWord(node)} ${labels.map(shellWord).join(' ')} --overwrite`,
    ]);
  }
  return steps(
    `Let ${name} run on ${node}: tolerate the taints of the node.`,
    [kubectl('patch', set, `--type=merge -p ${shellWord(JSON.stringify(tolerateAll))}`)],
    'disruptive',
  );
}
