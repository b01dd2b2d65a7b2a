import { driverOfInTree } from '../../kube/in-tree.ts';
import type { Claim, Pod } from '../../kube/kinds.ts';
import { percentUsed } from '../../kube/volume-usage.ts';
import type { Amount, VolumeUsage } from '../../kube/volume-usage.ts';
import type { ClaimRow, RowAmount, RowUsage } from '../../report/rows.ts';
import { ClaimCase } from '../../facts/claim/claim-case.ts';
import { hasCondition, isExpanding, isForNode, resizeStateOf } from '../../journey/claim-growth.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import { driverOfClass } from '../../facts/driver/driver-names.ts';
import { targetOf } from '../../engine/stuck-objects.ts';
import { lacksVolumeInUse, waitsForVolumes } from '../../engine/stuck-pods.ts';
import { rowBase, rowPod } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { driverOfVolume, findAttachments, isAttachable, pluginOfVolume } from './volume-attachments.ts';

export function claimRow({ ask, isWide, suspect }: RowDesk, claim: Claim): ClaimRow {
  const c = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name, claim);
  const unknown: string[] = [];
  const side = volumeSide(c, isWide, unknown);
  const pods = c.consumers;
  if (!pods.complete) unknown.push('pods');
  const status = claimStatus(c, claim);
  if (status !== 'Bound' || lacksVolume(c) || pods.items.some((pod) => isHeldUp(pod, ask.now)))
    suspect(targetOf(claim));
  // A bound claim is healthy only if its pods have started, and these could not be read.
  else if (!pods.complete) unknown.push('cause');
  const usage = usageSide(c, claim, unknown);
  const capacity = claim.status?.capacity?.['storage'];
  const attributesClass = claim.status?.currentVolumeAttributesClassName ?? claim.spec?.volumeAttributesClassName;
  return {
    ...rowBase(claim, unknown),
    status,
    phase: claim.status?.phase ?? 'Unknown',
    ...(c.volumeName !== '' && { volume: c.volumeName }),
    ...(capacity !== undefined && { capacity }),
    ...(c.request !== undefined && { requested: c.request }),
    accessModes: (c.isBound ? claim.status?.accessModes : undefined) ?? claim.spec?.accessModes ?? [],
    volumeMode: volumeModeOf(claim),
    ...(c.class.name !== '' && { storageClass: c.class.name }),
    ...(attributesClass && { attributesClass }),
    ...side,
    pods: pods.items.map(rowPod),
    ...(usage && { usage }),
  };
}

/** A volume without a file system has none, and one that no pod mounts is not measured by any kubelet. */
function usageSide(c: ClaimCase, claim: Claim, unknown: string[]): RowUsage | undefined {
  const { snapshot } = c.ask.graph;
  if (snapshot.usage === undefined || !c.isBound || volumeModeOf(claim) === 'Block') return undefined;
  const usage = c.ask.graph.usageOf(c.namespace, c.name);
  if (!usage) unknown.push('usage');
  return usage && rowUsage(usage);
}

function rowUsage({ source, at, bytes, inodes, fullInSeconds }: VolumeUsage): RowUsage {
  const amount = (each: Amount): RowAmount => ({ ...each, percent: percentUsed(each) });
  return {
    source,
    ...(at !== undefined && { at }),
    ...(bytes && { bytes: amount(bytes) }),
    ...(inodes && { inodes: amount(inodes) }),
    ...(fullInSeconds !== undefined && { fullInSeconds }),
  };
}

function lacksVolume({ volume }: ClaimCase): boolean {
  return volume?.state === 'missing';
}

/** A pod that has not started may wait for this very claim. */
function isHeldUp(pod: Pod, now: number): boolean {
  return waitsForVolumes(pod) || lacksVolumeInUse(pod, now);
}

type VolumeSide = Pick<
  ClaimRow,
  'driver' | 'plugin' | 'reclaimPolicy' | 'volumeHandle' | 'isAttachable' | 'attachments'
>;

/** What the volume shows; before there is one, the class names the driver that will create it. */
function volumeSide(c: ClaimCase, isWide: boolean, unknown: string[]): VolumeSide {
  const { volume } = c;
  if (volume?.state === 'found') {
    const driver = driverOfVolume(c.ask, volume.object);
    const plugin = driver === undefined ? pluginOfVolume(volume.object) : undefined;
    const handle = handleOf(volume.object);
    const reclaimPolicy = volume.object.spec?.persistentVolumeReclaimPolicy;
    return {
      ...(driver !== undefined && { driver }),
      ...(plugin !== undefined && { plugin }),
      ...(reclaimPolicy !== undefined && { reclaimPolicy }),
      ...(handle !== undefined && { volumeHandle: handle }),
      ...attachmentSide(c, isAttachable(c.ask, driver), unknown),
    };
  }
  if (volume?.state === 'unknown' && isWide) unknown.push('reclaimPolicy', 'volumeHandle');
  // The class may have been recreated since; the claim itself records the provisioner that was asked.
  const asked = c.askedProvisioner;
  const driver = (asked && (driverOfInTree(asked) ?? asked)) ?? classDriver(c, volume?.state === 'unknown', unknown);
  const shown = driver !== undefined && driver !== '' && { driver };
  return { ...shown, ...(volume === undefined ? { attachments: [] } : attachmentSide(c, undefined, unknown)) };
}

function classDriver(c: ClaimCase, isBehindVolume: boolean, unknown: string[]): string | undefined {
  if (isBehindVolume || c.storageClass?.state === 'unknown') unknown.push('driver');
  return c.storageClassObject && driverOfClass(c.storageClassObject);
}

function attachmentSide(
  c: ClaimCase,
  attachable: boolean | undefined,
  unknown: string[],
): Pick<ClaimRow, 'isAttachable' | 'attachments'> {
  if (attachable === false) return { isAttachable: false, attachments: [] };
  const { items, complete } = findAttachments(c.ask, c.volumeName);
  if (!complete) unknown.push('attachments');
  return { ...(attachable !== undefined && { isAttachable: attachable }), attachments: items };
}

/** The phase as kubectl shows it, and an expansion or modification in progress. */
function claimStatus(c: ClaimCase, claim: Claim): string {
  if (claim.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return [claim.status?.phase ?? 'Unknown', growthOf(c, claim), changeOf(claim)]
    .filter((word) => word !== undefined)
    .join(',');
}

function growthOf(c: ClaimCase, claim: Claim): string | undefined {
  if (!isExpanding(c)) return undefined;
  const hasFailed =
    /Infeasible$|Failed$/.test(resizeStateOf(claim)) ||
    hasCondition(claim, 'ControllerResizeError') ||
    hasCondition(claim, 'NodeResizeError');
  if (hasFailed) return 'ResizeFailed';
  return isForNode(claim) ? 'FileSystemResizePending' : 'Resizing';
}

function changeOf({ status }: Claim): string | undefined {
  const state = status?.modifyVolumeStatus?.status;
  if (!state) return undefined;
  if (state === 'Infeasible') return 'ModifyFailed';
  return state === 'Pending' ? 'ModifyPending' : 'Modifying';
}
