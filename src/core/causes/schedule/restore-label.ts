import { mentionsDriver } from '../../facts/driver/driver-pods.ts';
import { registrarOf } from '../../facts/driver/node-plugin.ts';
import type { NodeLabel } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** Topology labels that nodes need and do not have. */
interface LostLabels {
  readonly driver: string | undefined;
  readonly labels: readonly NodeLabel[];
  /** The node that needs them, if it is known. */
  readonly node: string | undefined;
  /** Completes "the node that …". */
  readonly holds: string;
  /** What the node has now instead, as text. */
  readonly replaced?: string | undefined;
}

/**
 * The kubelet sets the topology labels of a driver when the driver registers (nodeinfomanager), and does not set them
 * again while it stays registered: a label that was removed comes back by hand or with a restart of the node plugin.
 */
export function restoreLabelFixes(p: PodCase, lost: LostLabels): Fix[] {
  const { driver, labels, node, holds, replaced } = lost;
  const text = labels.map(({ key, value }) => `${key}=${value}`).join(', ');
  const words = labels.map(({ key, value }) => shellWord(`${key}=${value}`)).join(' ');
  const target = node ?? 'PLACEHOLDER_NODE';
  const who = node ?? `the node that ${holds} (PLACEHOLDER_NODE)`;
  const value = text.includes('PLACEHOLDER_VALUE')
    ? ' PLACEHOLDER_VALUE is one of the values that the evidence shows.'
    : '';
  const cost =
    replaced === undefined ? '' : ` What selects the node by ${replaced} no longer matches then.${resetText(labels)}`;
  const label = steps(
    `Set label ${text} on ${who}.${value} pod/${p.pod.metadata.name} is then scheduled automatically.${cost}`,
    [
      `kubectl label node ${node === undefined ? target : shellWord(target)} ` +
        `${words}${replaced === undefined ? '' : ' --overwrite'}`,
    ],
    replaced === undefined ? 'safe' : 'disruptive',
  );
  if (driver === undefined) return [label];
  const isReported = p.ask
    .seen('CSINode')
    .some((csiNode) =>
      csiNode.spec?.drivers?.some(
        ({ name, topologyKeys }) => name === driver && labels.every(({ key }) => topologyKeys?.includes(key)),
      ),
    );
  // A driver that does not report the key any more would not bring it back.
  return [label, isReported ? restartPlugins(p, driver, node) : restoreSetting(driver, labels)];
}

/** kubelet_node_status.go updateDefaultLabels: the kubelet corrects its own labels when it starts. */
function resetText(labels: readonly NodeLabel[]): string {
  return labels.some(({ key }) => key === 'kubernetes.io/hostname')
    ? ' The kubelet may set its own value again when it restarts.'
    : '';
}

function restartPlugins(p: PodCase, driver: string, node: string | undefined): Fix {
  const then = 'The kubelet sets the label when the driver registers, within a minute.';
  const plugin = p.ask
    .seen('Pod')
    .find(
      ({ spec }) => node !== undefined && spec?.nodeName === node && registrarOf(spec) && mentionsDriver(spec, driver),
    );
  if (plugin)
    return steps(
      `Or restart the node plugin of ${driver} on ${node ?? ''}. ${then}`,
      [kubectl('delete', plugin)],
      'disruptive',
    );
  const set = p.ask.seen('DaemonSet').find((each) => mentionsDriver(each.spec?.template?.spec, driver));
  const place = set ? '' : ' PLACEHOLDER_NS and PLACEHOLDER_DAEMONSET are where it is installed.';
  return steps(
    `Or restart the node plugin of ${driver}. ${then}${place}`,
    [
      set
        ? kubectl('rollout restart', set)
        : 'kubectl -n PLACEHOLDER_NS rollout restart daemonset PLACEHOLDER_DAEMONSET',
    ],
    'disruptive',
  );
}

function restoreSetting(driver: string, labels: readonly NodeLabel[]): Fix {
  const keys = labels.map(({ key }) => key).join(', ');
  return steps(
    `If ${driver} used to report topology key ${keys}, restore that setting or version of its node plugin: ` +
      'no CSINode lists the key now, so new nodes would not get the label either.',
    [],
    'disruptive',
  );
}
