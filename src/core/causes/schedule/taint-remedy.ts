import { taintText } from '../../facts/node/node-fit.ts';
import { findNodePlugin, lists } from '../../facts/driver/node-plugin.ts';
import { isSettled } from '../../facts/driver/plugin-health.ts';
import { conditionOf, isReady } from '../../facts/pod/pod-state.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Node, Pod } from '../../kube/kinds.ts';
import type { Taint } from '../../kube/selectors.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Remedy } from './remedy.ts';

type Toleration = NonNullable<NonNullable<Pod['spec']>['tolerations']>[number];

/** What ends the effect of a taint on a pod, by what the taint means. */
export function taintRemedy(ask: Inquiry, node: Node, taint: Taint): Remedy {
  const { name } = node.metadata;
  const key = taint.key ?? '';
  const isReady = conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
  if (key === 'node.kubernetes.io/out-of-service') return outOfService(name, taint, isReady);
  if (/^node\.kubernetes\.io\/(?:not-ready|unreachable)$/.test(key)) return restoreNode(node);
  const pressure = /^node\.kubernetes\.io\/(memory|disk|pid)-pressure$/.exec(key)?.[1];
  if (pressure !== undefined) return relievePressure(name, pressure);
  if (/^ToBeDeletedByClusterAutoscaler$|^karpenter\.sh\/disrupt/.test(key))
    return {
      cost: 9,
      clause: `add another node, because an autoscaler is removing ${name} (taint ${taintText(taint)})`,
      isNewNode: true,
    };
  const started = startedDriver(ask, node, taint);
  if (started !== undefined)
    return {
      cost: 1,
      clause: `remove taint ${taintText(taint)} from ${name}: ${started} is registered and its node plugin runs there, so nothing waits for it any more`,
      lines: [untaintCommand(name, taint)],
    };
  if (/uninitialized$|not-ready$|startup|network-unavailable$/.test(key)) return awaitStart(name, taint);
  if (/maint|drain|reboot|upgrade|repair|quarantine/i.test(key))
    return {
      cost: 2,
      clause: `remove taint ${taintText(taint)} from ${name}`,
      condition: 'once the work that it marks is done',
      lines: [untaintCommand(name, taint)],
    };
  const tolerate = {
    clause: `add a toleration for taint ${taintText(taint)}`,
    condition: 'if it may run on such nodes',
    tolerations: [tolerationOf(taint)],
  };
  // Control-plane nodes are not intended for workloads: any other node is the better choice.
  if (/^node-role\.kubernetes\.io\/(?:control-plane|master)$/.test(key)) return { cost: 6, ...tolerate };
  return {
    cost: 2,
    ...tolerate,
    otherwise: {
      clause: `remove taint ${taintText(taint)} from ${name}, which opens the node to all pods`,
      lines: [untaintCommand(name, taint)],
    },
  };
}

/** KEP-2268: the taint is set by hand when a machine is off, and stays until it is removed by hand. */
function outOfService(name: string, taint: Taint, isReady: boolean): Remedy {
  if (!isReady)
    return { cost: 8, clause: `start the machine of ${name}, and remove taint ${taintText(taint)} once it is Ready` };
  return {
    cost: 1,
    clause: `remove taint ${taintText(taint)} from ${name}: the node is Ready again, and nothing removes this taint automatically`,
    lines: [untaintCommand(name, taint)],
  };
}

/** The node lifecycle controller sets these taints and removes them when the kubelet reports again. */
function restoreNode({ metadata: { name }, status }: Node): Remedy {
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready?.status === 'Unknown')
    return { cost: 8, clause: `start the machine of ${name}, or its kubelet, which has stopped reporting` };
  const words = ready?.message ? ` ("${ready.message.replace(/\.$/, '')}")` : '';
  return { cost: 8, clause: `correct what the kubelet of ${name} reports${words}, so that the node becomes Ready` };
}

function relievePressure(name: string, pressure: string): Remedy {
  const what = { memory: 'memory', disk: 'disk space', pid: 'process ids' }[pressure] ?? pressure;
  return { cost: 7, clause: `free ${what} on ${name}; its kubelet removes the taint about 5 minutes later` };
}

/**
 * The driver that a startup taint names (its own name before the slash), if it is registered on the node and ready
 * there: a taint that was set after its start stays.
 */
export function startedDriver(ask: Inquiry, { metadata: { name } }: Node, { key = '' }: Taint): string | undefined {
  const [driver = '', word = ''] = key.split('/');
  if (!isStartWord(word)) return undefined;
  const csiNode = ask.get('CSINode', undefined, name, `which drivers are registered on ${name}`);
  if (csiNode.state !== 'found' || !lists(csiNode.object, driver)) return undefined;
  const pods = findNodePlugin(ask, driver, name).pods.items;
  return pods.length > 0 && pods.every((pod) => isReady(pod) && isSettled(pod, ask.now)) ? driver : undefined;
}

const isStartWord = (word: string): boolean => /not-ready$|startup|uninitialized$/.test(word);

/** The storage driver whose start a taint waits for, by its name before the slash. */
export function driverOfTaint(ask: Inquiry, { key = '' }: Taint): string | undefined {
  const [driver = '', word = ''] = key.split('/');
  return isStartWord(word) && ask.seen('CSIDriver').some(({ metadata }) => metadata.name === driver)
    ? driver
    : undefined;
}

/**
 * A component sets the taint on a new node and removes it when it is ready there: `ebs.csi.aws.com/agent-not-ready`.
 */
function awaitStart(name: string, taint: Taint): Remedy {
  const owner = (taint.key ?? '').split('/')[0] ?? '';
  return {
    cost: 7,
    clause: `get ${owner} running on ${name}: it removes taint ${taintText(taint)} when it is ready there`,
  };
}

function tolerationOf({ key = '', value, effect }: Taint): Toleration {
  return {
    key,
    ...(value ? { operator: 'Equal', value } : { operator: 'Exists' }),
    ...(effect !== undefined && { effect }),
  };
}

function untaintCommand(name: string, { key = '', effect }: Taint): string {
  return `kubectl taint node ${shellWord(name)} ${shellWord(`${key}${effect ? `:${effect}` : ''}-`)}`;
}
