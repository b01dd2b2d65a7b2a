import { createHash } from 'node:crypto';
import { toleratesTaint } from '../../core/kube/selectors.ts';
import type { Taint } from '../../core/kube/selectors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, numberAt, textAt, valueAt } from '../fields.ts';
import { expiredPod } from '../pod-rules.ts';
import type { Workplace } from './loop.ts';
import { containerStatuses, withCondition } from './pod-status.ts';
import { claimNamesOf, hasEnded, isBound, isLeaving, needsAttachment, volumeOf } from './storage-objects.ts';

/** The kubelets: start pods whose volumes are ready, stop those that are being deleted. */
export function runPods({ cluster, writes }: Workplace): void {
  for (const pod of cluster.list('Pod')) {
    const node = cluster.get('Node', undefined, textAt(pod, 'spec', 'nodeName'));
    if (node === undefined) continue;
    if (isLeaving(pod)) stop(pod, cluster);
    else if (isEvicted(pod, node)) writes.delete(pod);
    else if (textAt(pod, 'status', 'phase') === 'Pending') start(pod, node, cluster);
    else if (isOverdue(pod, cluster.now)) cluster.put(expiredPod(pod));
  }
}

function stop(pod: RawObject, cluster: Cluster): void {
  if (listAt(pod, 'metadata', 'finalizers').length === 0) cluster.remove(pod);
}

/** A taint with NoExecute drives away what does not tolerate it. */
function isEvicted(pod: RawObject, node: RawObject): boolean {
  const tolerations = listAt(pod, 'spec', 'tolerations') as Parameters<typeof toleratesTaint>[0];
  return (listAt(node, 'spec', 'taints') as Taint[]).some(
    (taint) => taint.effect === 'NoExecute' && !hasEnded(pod) && !toleratesTaint(tolerations, taint),
  );
}

function start(pod: RawObject, node: RawObject, cluster: Cluster): void {
  const obstacle = obstacleOf(pod, node, cluster);
  const status = pod['status'] as object;
  if (obstacle !== undefined) {
    const waiting = { waiting: { reason: 'ContainerCreating' } };
    const startTime = textAt(pod, 'status', 'startTime') || cluster.timestamp;
    const hasStatus = listAt(pod, 'status', 'containerStatuses').length > 0;
    if (!hasStatus)
      cluster.put({
        ...pod,
        status: { ...status, startTime, containerStatuses: containerStatuses(pod, waiting, false) },
      });
    if (obstacle !== '')
      cluster.report(pod, { type: 'Warning', reason: 'FailedMount', message: obstacle, from: 'kubelet' });
    return;
  }
  const startedAt = cluster.timestamp;
  const podIP = addressOf(pod);
  const running = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].reduce(
    (current, type) => withCondition(current, { type, status: 'True' }, startedAt),
    pod,
  );
  cluster.put({
    ...running,
    status: {
      ...(running['status'] as object),
      phase: 'Running',
      startTime: textAt(pod, 'status', 'startTime') || startedAt,
      hostIP: textAt(node, 'status', 'addresses', 0, 'address'),
      podIP,
      podIPs: [{ ip: podIP }],
      containerStatuses: containerStatuses(pod, { running: { startedAt } }, true),
    },
  });
  cluster.report(pod, { reason: 'Started', message: 'Container started', from: 'kubelet' });
}

/** What a pod waits for before it can start; empty if there is nothing to report about it. */
function obstacleOf(pod: RawObject, node: RawObject, cluster: Cluster): string | undefined {
  for (const name of claimNamesOf(pod)) {
    const claim = cluster.get('PersistentVolumeClaim', pod.metadata.namespace, name);
    const volume = claim && volumeOf(claim, cluster);
    if (claim === undefined || volume === undefined || !isBound(claim)) return '';
    if (needsAttachment(volume, cluster) && !isAttached(volume, node, cluster)) return '';
    const driver = textAt(volume, 'spec', 'csi', 'driver');
    if (driver !== '' && !isRegistered(driver, node, cluster))
      return (
        `MountVolume.MountDevice failed for volume "${volume.metadata.name}" : kubernetes.io/csi: ` +
        'attacher.MountDevice failed to create newCsiDriverClient: ' +
        `driver name ${driver} not found in the list of registered CSI drivers`
      );
  }
  return missingReference(pod, cluster);
}

function missingReference(pod: RawObject, cluster: Cluster): string | undefined {
  for (const volume of listAt(pod, 'spec', 'volumes')) {
    const references = [
      ['Secret', textAt(volume, 'secret', 'secretName'), valueAt(volume, 'secret', 'optional')],
      ['ConfigMap', textAt(volume, 'configMap', 'name'), valueAt(volume, 'configMap', 'optional')],
    ] as const;
    for (const [kind, name, isOptional] of references)
      if (name !== '' && isOptional !== true && cluster.get(kind, pod.metadata.namespace, name) === undefined)
        return `MountVolume.SetUp failed for volume "${textAt(volume, 'name')}" : ${kind.toLowerCase()} "${name}" not found`;
  }
  return undefined;
}

function isAttached(volume: RawObject, node: RawObject, cluster: Cluster): boolean {
  return cluster
    .list('VolumeAttachment')
    .some(
      (attachment) =>
        textAt(attachment, 'spec', 'source', 'persistentVolumeName') === volume.metadata.name &&
        textAt(attachment, 'spec', 'nodeName') === node.metadata.name &&
        valueAt(attachment, 'status', 'attached') === true,
    );
}

function isRegistered(driver: string, node: RawObject, cluster: Cluster): boolean {
  const csiNode = cluster.get('CSINode', undefined, node.metadata.name);
  return listAt(csiNode, 'spec', 'drivers').some((entry) => textAt(entry, 'name') === driver);
}

function isOverdue(pod: RawObject, now: number): boolean {
  const deadline = numberAt(pod, 'spec', 'activeDeadlineSeconds');
  const started = Date.parse(textAt(pod, 'status', 'startTime'));
  return deadline > 0 && textAt(pod, 'status', 'phase') === 'Running' && now - started > deadline * 1000;
}

function addressOf({ metadata }: RawObject): string {
  const [first = 0, second = 0] = createHash('sha256')
    .update(metadata.uid ?? '')
    .digest();
  return `10.9.${first}.${(second % 250) + 2}`;
}
