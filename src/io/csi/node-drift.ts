import type { DriverAssumptions, NodeAssumption } from '../../core/report/driver-assumptions.ts';
import type { ProbeItem } from '../../core/report/probe-report.ts';
import { listNames, unreadNotes } from './drift-words.ts';
import type { Drift } from './drift-words.ts';

/**
 * Compares what the driver reports about its node with what kubelet wrote into CSINode when it registered the driver.
 */
export function nodeDrift({ roles, node, nodeInfo }: ProbeItem, assumed: DriverAssumptions): Drift {
  if (roles?.includes('node') !== true || node === undefined || nodeInfo === undefined) return { drift: [], notes: [] };
  const notes = roles.includes('controller') ? [] : unreadNotes(assumed, ['nodes']);
  const registered = assumed.nodes?.find((candidate) => candidate.node === node);
  if (registered === undefined) return { drift: [], notes };
  return {
    drift: [
      ...idDrift(registered, nodeInfo),
      ...limitDrift(registered, nodeInfo),
      ...topologyDrift(registered, nodeInfo),
    ],
    notes,
  };
}

type NodeInfo = NonNullable<ProbeItem['nodeInfo']>;

function idDrift({ node, nodeId }: NodeAssumption, info: NodeInfo): string[] {
  if (nodeId === undefined || info.nodeId === '' || nodeId === info.nodeId) return [];
  return [
    `the cluster uses node id ${nodeId} for ${node}, but the driver reports ${info.nodeId}: ` +
      'volumes are attached to the first until the kubelet registers the driver again',
  ];
}

/** Kubelet writes no limit if the driver reports none (csi nodeinfomanager, installDriverToCSINode). */
function limitDrift({ node, limit }: NodeAssumption, { maxVolumes }: NodeInfo): string[] {
  const own = maxVolumes > 0 ? maxVolumes : undefined;
  if (maxVolumes < 0 || own === limit) return [];
  const words = (count: number | undefined): string => (count === undefined ? 'no limit' : `${count} volumes`);
  return [`the scheduler assumes ${words(limit)} on ${node} (CSINode), but the driver reports ${words(own)}`];
}

function topologyDrift({ node, topologyKeys }: NodeAssumption, { topology }: NodeInfo): string[] {
  const own = Object.keys(topology);
  const isSame = own.length === topologyKeys.length && own.every((key) => topologyKeys.includes(key));
  const words = (keys: readonly string[]): string => (keys.length === 0 ? 'no topology keys' : listNames(keys));
  return isSame
    ? []
    : [`the kubelet of ${node} registered ${words(topologyKeys)}, but the driver now reports ${words(own)}`];
}
