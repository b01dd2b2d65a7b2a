import type { Node, Pod } from '../../kube/kinds.ts';
import { untoleratedTaints } from '../../kube/selectors.ts';
import type { Fix } from '../../report/report.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { fittingSelector, selectorWords } from '../../facts/driver/fitting-selector.ts';
import { exclusionOf, findNodePlugin, findPluginSets } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { shellWord } from '../../facts/evidence.ts';
import { changePod } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** The DaemonSet of the driver is let onto the node, where a taint or its selector keeps it off. */
export function admitPlugin(
  set: DaemonSet | undefined,
  node: Node | undefined,
  then: string,
  nodes: readonly Node[] = [],
): Fix[] {
  const exclusion = set && node && exclusionOf(set, node);
  if (!set || !node || !exclusion) return [];
  const name = `daemonset/${set.metadata.name}`;
  const spec = set.spec?.template?.spec;
  if (exclusion.why === 'taint') {
    const taints = untoleratedTaints(spec?.tolerations, node.spec?.taints);
    const tolerations = taints.map(({ key, effect }) => ({ key, operator: 'Exists', effect }));
    const hasSome = (spec?.tolerations ?? []).length > 0;
    const path = '/spec/template/spec/tolerations';
    const patch = hasSome
      ? tolerations.map((value) => ({ op: 'add', path: `${path}/-`, value }))
      : [{ op: 'add', path, value: tolerations }];
    return [
      steps(
        `Let ${name} tolerate the taint of ${node.metadata.name} (${taints.map(({ key }) => key).join(', ')}). ${then}`,
        [kubectl('patch', set, `--type=json -p ${shellWord(JSON.stringify(patch))}`)],
        'disruptive',
      ),
    ];
  }
  const change = fittingSelector(spec, nodes);
  if (change)
    return [
      steps(
        `Let ${name} run on the nodes: ${selectorWords(change)}. Change the manifest or chart it comes from too. ${then}`,
        [kubectl('patch', set, `--type=json -p ${shellWord(JSON.stringify(change.patch))}`)],
      ),
    ];
  const missing = Object.entries(spec?.nodeSelector ?? {}).filter(
    ([key, value]) => node.metadata.labels?.[key] !== value,
  );
  if (missing.length === 0) return [];
  const labels = missing.map(([key, value]) => shellWord(`${key}=${value}`)).join(' ');
  return [
    steps(`Give ${node.metadata.name} the labels that ${name} selects. ${then}`, [
      kubectl('label', node, `${labels} --overwrite`),
    ]),
  ];
}

/** The same for the driver of the claim on one node. */
export function bringPlugin(c: PresentClaim, driver: string, node: string): Fix[] {
  const { sets } = findNodePlugin(c.ask, driver, node);
  const lookup = c.ask.get('Node', undefined, node, `whether node ${node} is up`);
  return admitPlugin(
    sets.items[0],
    lookup.state === 'found' ? lookup.object : undefined,
    `Its pod then registers ${driver} there, and the claim is provisioned at the next retry.`,
    c.ask.seen('Node'),
  );
}

/** The kubelet writes the topology labels when a node plugin registers. */
export function restartPlugin(
  c: Pick<PresentClaim, 'ask'>,
  driver: string,
  node: string | undefined,
  then: string,
): Fix {
  const pod = node === undefined ? undefined : findNodePlugin(c.ask, driver, node).pods.items[0];
  if (pod)
    return steps(
      `Restart pod/${pod.metadata.name}, the node plugin of ${driver} on ${node ?? ''}. ${then}`,
      [kubectl('delete', pod)],
      'disruptive',
    );
  const [set] = findPluginSets(c.ask, driver).items;
  if (set && node === undefined)
    return steps(
      `Restart daemonset/${set.metadata.name}, the node plugin of ${driver}. ${then}`,
      [kubectl('rollout restart', set)],
      'disruptive',
    );
  const place = node === undefined ? '' : ` --field-selector spec.nodeName=${shellWord(node)}`;
  return steps(
    `Restart the node plugin of ${driver}${node === undefined ? '' : ` on ${node}`} (PLACEHOLDER_NAMESPACE ` +
      `and PLACEHOLDER_POD are in the list). ${then}`,
    [
      `kubectl get pods -A${place} -o ` +
        "custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' " +
        '| grep -i registrar',
      'kubectl -n PLACEHOLDER_NAMESPACE delete pod PLACEHOLDER_POD',
    ],
    'disruptive',
  );
}

/** The pod is placed elsewhere: its node accepts no more pods for now, and the scheduler chooses again. */
export function chooseOtherNode(c: PresentClaim, node: string, state: 'present' | 'gone' | 'unknown' = 'present'): Fix {
  const forget = kubectl('annotate', c.claim, `${selectedNodeAnnotations[0]}-`);
  const pinned = c.consumers.items.find(({ spec }) => spec?.nodeSelector?.[hostname] === node);
  if (pinned) return unpin(c, pinned, node, forget);
  const mayBeGone = state === 'unknown' ? ' (skip that line if the node is gone)' : '';
  return state === 'gone'
    ? steps(
        `Remove the annotation that holds the claim to ${node}, which does not exist any more. The ` +
          'scheduler then chooses another node for its pod, and the claim is provisioned there.',
        [forget],
      )
    : steps(
        `Let the pod go to another node: cordon ${node} until it is repaired${mayBeGone}, and remove the ` +
          'annotation that holds the claim to it. The scheduler then chooses again.',
        [`kubectl cordon ${shellWord(node)}`, forget],
      );
}

const hostname = 'kubernetes.io/hostname';

/**
 * A pod that selects this very node would be placed there again. Its claim forgets the node once the pod no longer
 * wants it.
 */
function unpin(c: PresentClaim, pod: Pod, node: string, forget: string): Fix {
  const driver = c.provisioner;
  const other = c.ask
    .seen('CSINode')
    .find(({ metadata, spec }) => metadata.name !== node && spec?.drivers?.some(({ name }) => name === driver));
  const place = other?.metadata.name;
  const { commands, where, note, risk } = changePod(pod, { nodeSelector: { [hostname]: place ?? null } });
  const last = ownerOf(pod) ? commands.length : commands.length - 1;
  return steps(
    `${
      place === undefined
        ? `Remove the nodeSelector that keeps pod/${pod.metadata.name} on ${node}`
        : `Let pod/${pod.metadata.name} run on ${place}, where ${driver ?? 'the driver'} is registered: set ` +
          `nodeSelector ${hostname} to ${place}`
    } ` +
      `${where}, and remove the annotation that holds the claim to ${node}.${note} The claim is then ` +
      `provisioned ${place === undefined ? 'where the scheduler puts the pod' : `on ${place}`}.`,
    [...commands.slice(0, last), forget, ...commands.slice(last)],
    risk,
  );
}

/** Where it is not known how the node plugin is deployed, a person has to find its DaemonSet. */
export function deployPlugin(driver: string, node: string, verb = 'Or run'): Fix {
  return steps(
    `${verb} the node plugin of ${driver} on ${node}: extend the node selector or the tolerations of its ` +
      "DaemonSet (PLACEHOLDER_NAMESPACE and PLACEHOLDER_DAEMONSET are in the first line's output). The " +
      'driver registers within a minute, and the claim is provisioned at the next retry.',
    [
      'kubectl get daemonsets -A -o wide | grep -i registrar',
      'kubectl -n PLACEHOLDER_NAMESPACE edit daemonset PLACEHOLDER_DAEMONSET',
    ],
    'disruptive',
  );
}

/** It is not known on which nodes the driver is registered, nor how its node plugin is deployed. */
export function registerPlugin(driver: string, then: string): Fix {
  return steps(
    `Get the node plugin of ${driver} registered. The first line lists the drivers of each node, the ` +
      'second the DaemonSets with a registrar (PLACEHOLDER_NAMESPACE, PLACEHOLDER_DAEMONSET). One with 0 ' +
      'desired pods selects no node: give the nodes the labels of its SELECTOR column. Otherwise restart it. ' +
      `${then}`,
    [
      `kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name'`,
      'kubectl get daemonsets -A -o ' +
        "custom-columns='NAMESPACE:.metadata.namespace,NAME:.metadata.name,DESIRED:.status.desiredNumberScheduled,READY:.status.numberReady,SELECTOR:.spec.template.spec.nodeSelector,CONTAINERS:.spec.template.spec.containers[*].name' " +
        '| grep -i -e registrar -e DESIRED',
      'kubectl -n PLACEHOLDER_NAMESPACE rollout restart daemonset PLACEHOLDER_DAEMONSET',
    ],
    'disruptive',
  );
}

/** A kubelet that lost its CSINode creates it when it starts; on Windows it is a service of the same name. */
export function restartKubelet(node: string, object: Node | undefined, then: string, verb = 'Restart'): Fix {
  const isWindows =
    object?.status?.nodeInfo?.operatingSystem === 'windows' ||
    object?.metadata.labels?.['kubernetes.io/os'] === 'windows';
  return steps(
    `${verb} the kubelet of ${node}; containers keep running. ${then}${isWindows ? '' : ' Delete the node-debugger pod afterwards.'}`,
    isWindows
      ? []
      : [
          `kubectl debug node/${shellWord(node)} -it --profile=sysadmin --image=busybox -- chroot /host systemctl restart kubelet`,
        ],
    'disruptive',
  );
}
