import { capabilityName } from '../../core/kube/capability-names.ts';
import type { CapabilityGroup } from '../../core/kube/capability-names.ts';
import type { ProbeCapabilities, ProbeItem } from '../../core/report/probe-report.ts';
import { formatBytes } from '../../core/kube/quantity.ts';
import type { CallResult, CsiConnection } from './client.ts';
import type { Deadline } from './deadline.ts';
import { askHealth } from './health.ts';
import { driverError, isUnimplemented } from './identity.ts';
import type { nodeInfo } from './messages.ts';
import { methods } from './methods.ts';
import type { Problem } from './problem.ts';
import type { PublishedVolume } from './published-volumes.ts';
import { askVolumeStats } from './volume-stats.ts';
import type { Decoded } from './wire.ts';

interface DeepResult {
  readonly problem?: Problem;
  readonly capabilities: ProbeCapabilities;
  readonly nodeInfo?: NonNullable<ProbeItem['nodeInfo']>;
  readonly volumes?: NonNullable<ProbeItem['volumes']>;
  readonly notes: readonly string[];
  readonly calls: readonly { readonly result: CallResult; readonly note?: string }[];
}

interface CapabilityAnswer {
  readonly capabilities: readonly { readonly rpc: { readonly type: number } | undefined }[];
}

/** Further calls that only read, each made only if the driver claims the capability. */
export async function askDeep(
  connection: CsiConnection,
  identity: ProbeCapabilities,
  deadline: Deadline,
  published: readonly PublishedVolume[] = [],
): Promise<DeepResult> {
  const offers = (service: string): boolean => (identity.plugin ?? []).includes(service);
  const [controller, groupController, node, info] = await Promise.all([
    offers('CONTROLLER_SERVICE') ? connection.call(methods.controllerGetCapabilities, deadline) : undefined,
    offers('GROUP_CONTROLLER_SERVICE') ? connection.call(methods.groupControllerGetCapabilities, deadline) : undefined,
    connection.call(methods.nodeGetCapabilities, deadline),
    connection.call(methods.nodeGetInfo, deadline),
  ]);
  const named: ProbeCapabilities = {
    ...(controller?.type === 'answer' && { controller: namesOf('controller', controller.value) }),
    ...(groupController?.type === 'answer' && { groupController: namesOf('groupController', groupController.value) }),
    ...(node.type === 'answer' && { node: namesOf('node', node.value) }),
  };
  const [lists, health, stats] = await Promise.all([
    askLists(connection, named.controller ?? [], deadline),
    askHealth(connection, named, deadline),
    // A controller has no volumes mounted, and its own socket does not serve the Node service.
    node.type === 'answer' ? askVolumeStats(connection, named, published, deadline) : undefined,
  ]);
  const asked = [controller, groupController, node, info].filter((result) => result !== undefined);
  const problem =
    asked.map(judgeCall).find((found) => found !== undefined) ??
    (info.type === 'answer' ? judgeNodeId(info.value.nodeId) : undefined);
  return {
    ...(problem !== undefined && { problem }),
    capabilities: { ...named, accessModes: accessModesOf(named) },
    ...(info.type === 'answer' && { nodeInfo: describeNode(info.value) }),
    notes: [
      ...notServed({ controller, groupController, node }),
      ...lists.notes,
      ...health.notes,
      ...(stats?.notes ?? []),
    ],
    calls: [...asked.map((result) => ({ result })), ...lists.calls, ...health.calls],
    ...(stats?.volumes !== undefined && { volumes: stats.volumes }),
  };
}

function namesOf(group: CapabilityGroup, { capabilities }: CapabilityAnswer): string[] {
  return capabilities.flatMap(({ rpc }) => (rpc === undefined ? [] : [capabilityName(group, rpc.type)]));
}

/** Controllers often lack the Node service, and node plugins the Controller service: that is no failure. */
function judgeCall(result: CallResult): Problem | undefined {
  if (result.type === 'broken') return result.problem;
  return result.type === 'status' && !isUnimplemented(result) ? driverError(result) : undefined;
}

/** With an empty node id kubelet cannot register the driver; CSI and CSINode limit it to 256 bytes. */
function judgeNodeId(nodeId: string): Problem | undefined {
  if (nodeId === '') return { failure: 'nodeid-invalid', detail: 'NodeGetInfo returned an empty node id' };
  const bytes = Buffer.byteLength(nodeId);
  return bytes > 256
    ? { failure: 'nodeid-invalid', detail: `NodeGetInfo returned a node id of ${bytes} bytes; at most 256 are allowed` }
    : undefined;
}

function describeNode({
  nodeId,
  maxVolumesPerNode,
  accessibleTopology,
}: Decoded<typeof nodeInfo>): NonNullable<ProbeItem['nodeInfo']> {
  return {
    nodeId,
    maxVolumes: Number(maxVolumesPerNode),
    topology: Object.fromEntries(accessibleTopology?.segments ?? []),
  };
}

/**
 * ReadWriteOncePod is SINGLE_NODE_SINGLE_WRITER, which a driver understands only with this capability (KEP-2485). For
 * the other access modes there is no capability: a driver refuses them when a volume is created.
 */
function accessModesOf({ controller, node }: ProbeCapabilities): string[] {
  const answered = [controller, node].filter((group) => group !== undefined);
  return answered.length > 0 && answered.every((group) => group.includes('SINGLE_NODE_MULTI_WRITER'))
    ? ['ReadWriteOncePod']
    : [];
}

function notServed(results: Readonly<Record<string, CallResult | undefined>>): string[] {
  const names: Readonly<Record<string, string>> = {
    controller: 'Controller',
    groupController: 'GroupController',
    node: 'Node',
  };
  return Object.entries(results).flatMap(([group, result]) =>
    result !== undefined && isUnimplemented(result)
      ? [
          `the ${names[group]} service is not served on this socket, which is usual for ` +
            `${group === 'node' ? 'a controller' : 'a node plugin'}`,
        ]
      : [],
  );
}

/**
 * Questions about the backend. Many backends need parameters or secrets for them, so a refusal is reported but proves
 * nothing.
 */
async function askLists(
  connection: CsiConnection,
  controller: readonly string[],
  deadline: Deadline,
): Promise<Pick<DeepResult, 'notes' | 'calls'>> {
  const [capacity, volumes, snapshots] = await Promise.all([
    controller.includes('GET_CAPACITY') ? connection.call(methods.getCapacity, deadline) : undefined,
    controller.includes('LIST_VOLUMES') ? connection.call(methods.listVolumes, deadline) : undefined,
    controller.includes('LIST_SNAPSHOTS') ? connection.call(methods.listSnapshots, deadline) : undefined,
  ]);
  const counted = (noun: string, list: { readonly entries: readonly unknown[]; readonly nextToken: string }): string =>
    `${list.entries.length} ${noun}${list.nextToken === '' ? '' : ' on the first page, and more'}`;
  const calls = [
    ...(capacity === undefined
      ? []
      : [
          {
            result: capacity,
            ...(capacity.type === 'answer' && { note: `${formatBytes(capacity.value.availableCapacity)} available` }),
          },
        ]),
    ...(volumes === undefined
      ? []
      : [{ result: volumes, ...(volumes.type === 'answer' && { note: counted('volumes', volumes.value) }) }]),
    ...(snapshots === undefined
      ? []
      : [{ result: snapshots, ...(snapshots.type === 'answer' && { note: counted('snapshots', snapshots.value) }) }]),
  ];
  const notes = calls.flatMap(({ result }) =>
    result.type === 'answer'
      ? []
      : [
          `${result.method} failed${result.type === 'status' ? ` with ${result.code}: ${result.message}` : ''}, ` +
            'possibly because it needs parameters or secrets',
        ],
  );
  return { notes, calls };
}
