import { driverContainerOf } from '../../facts/driver/driver-pods.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Pod } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** The pod of a driver's node plugin on a node, if it can be seen. */
export function pluginOn(ask: Inquiry, driver: string | undefined, node: string): Pod | undefined {
  return driver === undefined ? undefined : findNodePlugin(ask, driver, node).pods.items[0];
}

/** Lists the pods with a registrar on a node: one of them is the plugin. */
export function findPluginCommand(node: string): string {
  return (
    `kubectl get pods -A --field-selector spec.nodeName=${shellWord(node)} -o ` +
    `custom-columns='NS:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' | grep -i registrar`
  );
}

/** `logs` of the driver's container in the plugin's pod. */
export function pluginLogsCommand(plugin: Pod, more = '--tail=50'): string {
  const container = driverContainerOf(plugin.spec)?.name;
  const { namespace, name } = plugin.metadata;
  return (
    `kubectl ${namespace === undefined ? '' : `-n ${shellWord(namespace)} `}logs ` +
    `${shellWord(name)}${container === undefined ? '' : ` -c ${shellWord(container)}`} ${more}`
  );
}

/** The driver's own log on the node: what it says decides what to do. */
export function readPluginLog(ask: Inquiry, driver: string | undefined, node: string, text: string): Fix {
  const plugin = pluginOn(ask, driver, node);
  if (plugin) return steps(text, [pluginLogsCommand(plugin)]);
  return steps(`${text} PLACEHOLDER_NS and PLACEHOLDER_POD are in the first line's output.`, [
    findPluginCommand(node),
    'kubectl -n PLACEHOLDER_NS logs PLACEHOLDER_POD --all-containers --tail=50',
  ]);
}

/** Saves the log of the node plugin and deletes its pod, which its DaemonSet recreates. */
export function restartPlugin(ask: Inquiry, driver: string | undefined, node: string, text: string): Fix {
  const plugin = pluginOn(ask, driver, node);
  if (!plugin)
    return steps(
      `${text} PLACEHOLDER_NS and PLACEHOLDER_POD are in the first line's output.`,
      [
        findPluginCommand(node),
        'kubectl -n PLACEHOLDER_NS logs PLACEHOLDER_POD --all-containers > node-plugin.log',
        'kubectl -n PLACEHOLDER_NS delete pod PLACEHOLDER_POD',
      ],
      'disruptive',
    );
  const log = `${plugin.metadata.name}.log`;
  const { namespace, name } = plugin.metadata;
  const place = namespace === undefined ? '' : `-n ${shellWord(namespace)} `;
  return steps(
    text,
    [`kubectl ${place}logs ${shellWord(name)} --all-containers > ${shellWord(log)}`, kubectl('delete', plugin)],
    'disruptive',
  );
}
