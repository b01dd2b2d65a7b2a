import type { Inquiry } from '../../graph/inquiry.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { LogPlace } from '../../report/component-log.ts';
import type { Fix } from '../../report/report.ts';
import { driverContainerOf } from '../../facts/driver/driver-pods.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { isWindows, onNode } from '../../causes/lib/node-commands.ts';
import { restartPodCommands } from '../../causes/lib/pod-change.ts';
import { steps } from '../../causes/lib/steps.ts';
import { pluginLogsCommand } from '../../causes/mount/plugin-fixes.ts';
import { earlierLog, grepFor } from './owner.ts';
import type { Examination, StageOwner, Trace, TraceSource } from './owner.ts';

/** The kubelet mounts, grows and unmounts volumes on its node, and calls the driver's node plugin for that. */
export function kubeletOwner(
  ask: Inquiry,
  node: string,
  driver: string | undefined,
  pod: Pod | undefined,
  source: TraceSource,
  drivers: readonly string[] = driver === undefined ? [] : [driver],
): StageOwner {
  return {
    name: `the kubelet of ${node}`,
    examine: () => examineKubelet(ask, node, driver, pod, source()),
    logs: () => drivers.flatMap((each) => pluginLogs(ask, node, each)),
    elsewhere: `The kubelet itself logs to the journal of ${node}.`,
  };
}

/** The kubelet writes to the journal of its node, which no API serves; its driver is a pod. */
function pluginLogs(ask: Inquiry, node: string, driver: string): LogPlace[] {
  const [plugin] = findNodePlugin(ask, driver, node).pods.items;
  const container = driverContainerOf(plugin?.spec)?.name;
  if (!plugin || container === undefined) return [];
  const { name, namespace = '' } = plugin.metadata;
  return [
    {
      namespace,
      pod: name,
      container,
      what: `the node plugin of ${driver} on ${node}`,
      speaks: 'node plugin',
      ...earlierLog(plugin, container),
    },
  ];
}

function examineKubelet(
  ask: Inquiry,
  node: string,
  driver: string | undefined,
  pod: Pod | undefined,
  trace: Trace,
): Examination {
  const plugin = driver === undefined ? undefined : findNodePlugin(ask, driver, node).pods.items[0];
  const container = driverContainerOf(plugin?.spec)?.name;
  const where =
    plugin && driver !== undefined
      ? [
          `Its node plugin of ${driver} is pod/${plugin.metadata.name} in namespace ` +
            `${plugin.metadata.namespace ?? ''}${container === undefined ? '' : `, container ${container}`}.`,
        ]
      : [];
  return {
    progress: [...trace.progress, ...where],
    evidence: trace.evidence,
    fix: [
      kubeletLog(ask, node, trace.names),
      ...(plugin
        ? [
            steps(`If it calls the driver and gets no answer, read the log of the node plugin on ${node}.`, [
              pluginLogsCommand(plugin),
            ]),
          ]
        : []),
      ...(pod ? [recreatePod(pod)] : []),
    ],
  };
}

function kubeletLog(ask: Inquiry, node: string, names: readonly string[]): Fix {
  const text = `Read what the kubelet of ${node} logged about it, and correct what the log names.`;
  const object = ask.seen('Node').find(({ metadata }) => metadata.name === node);
  return isWindows(object)
    ? steps(`${text} Log in there for that: it runs Windows.`, [])
    : steps(text, [`${onNode(node, 'journalctl -u kubelet --since=-1h --no-pager')}${grepFor(names, shellWord)}`]);
}

/** A pod that never started loses nothing. */
function recreatePod(pod: Pod): Fix {
  const isStarted = hasMountedVolumes(pod) || pod.status?.phase === 'Running';
  return steps(
    `If the log is silent, recreate pod/${pod.metadata.name}: the kubelet then starts over with its volumes.`,
    restartPodCommands(pod),
    isStarted ? 'disruptive' : 'safe',
  );
}
