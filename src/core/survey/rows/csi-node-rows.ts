import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { CsiNodeDriver, CsiNodeRow } from '../../report/rows.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { heldByNode } from '../../facts/volume/volume-slots.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { isAttachable } from './volume-attachments.ts';

export function csiNodeRow({ ask }: RowDesk, csiNode: CsiNode): CsiNodeRow {
  const { name } = csiNode.metadata;
  const unknown: string[] = [];
  const node = ask.get('Node', undefined, name, 'whether the nodes are ready, and in which zone they are');
  if (node.state === 'unknown') unknown.push('status');
  const drivers = (csiNode.spec?.drivers ?? []).map((driver): CsiNodeDriver => {
    const limit = driver.allocatable?.count;
    const attachable = isAttachable(ask, driver.name);
    // Without attachments and without a limit there is nothing to count.
    const isCounted = attachable !== false || limit !== undefined;
    const used = isCounted ? countUsed(ask, driver.name ?? '', name, attachable) : undefined;
    if (isCounted && used === undefined) unknown.push(`drivers[${driver.name ?? ''}].used`);
    const labels = node.state === 'found' ? node.object.metadata.labels : undefined;
    return {
      name: driver.name ?? '',
      ...(driver.nodeID !== undefined && { nodeId: driver.nodeID }),
      ...(used !== undefined && { used }),
      ...(limit !== undefined && { limit }),
      topology: Object.fromEntries((driver.topologyKeys ?? []).map((key) => [key, labels?.[key] ?? ''])),
    };
  });
  if (node.state === 'unknown' && drivers.some(({ topology }) => Object.keys(topology).length > 0))
    unknown.push('topology');
  return {
    ...rowBase(csiNode, unknown),
    ...(node.state !== 'unknown' && { status: node.state === 'found' ? nodeStatus(node.object) : 'Missing' }),
    drivers,
  };
}

function nodeStatus({ spec, status }: Node): string {
  const word = readyText(conditionOf(status?.conditions, 'Ready')?.status);
  return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function readyText(ready: string | undefined): string {
  if (ready === undefined) return 'Unknown';
  return ready === 'True' ? 'Ready' : 'NotReady';
}

/** For most drivers the attachments show it; volumes mounted without one show only in the pods that use them. */
function countUsed(ask: Inquiry, driver: string, node: string, attachable: boolean | undefined): number | undefined {
  if (attachable === undefined) return undefined;
  const listings = attachable
    ? [ask.list('VolumeAttachment', undefined, 'which volumes are attached to which nodes')]
    : [
        ask.podsOnNode(node),
        ask.list('PersistentVolumeClaim', undefined, 'which volumes the pods on the nodes use'),
        ask.list('PersistentVolume', undefined, 'which volumes the pods on the nodes use'),
      ];
  return listings.every(({ complete }) => complete) ? (heldByNode(ask, driver).get(node)?.size ?? 0) : undefined;
}
