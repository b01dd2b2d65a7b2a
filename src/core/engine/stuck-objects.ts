import type { AnyObject, Attachment, Claim, ObjectOf, Pod, Volume } from '../kube/kinds.ts';
import type { Selection, TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { isAccessGranted, isBucketReady, isClaimReady } from '../facts/bucket/bucket.ts';
import { ClaimCase } from '../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../journey/claim-growth.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import { conditionOf } from '../facts/pod/pod-state.ts';

/** The fields by which a selection chooses objects. */
export interface Selectable {
  readonly metadata: { readonly namespace?: string; readonly labels?: { readonly [key: string]: string } };
}

/**
 * What can be stuck after a volume is in use: expansion, modification, deletion; volumes, attachments, snapshots,
 * nodes.
 */
export function findStuckElsewhere(
  ask: Inquiry,
  selection: Selection,
  isSelected: (object: Selectable) => boolean,
): TargetRef[] {
  const { graph } = ask;
  const isEverywhere = selection.namespace === undefined && !selection.labelSelector;
  const objects = [
    ...graph.all('PersistentVolumeClaim').filter((claim) => isSelected(claim) && isChanging(ask, claim)),
    ...graph.all('Pod').filter((pod) => isSelected(pod) && isTerminatingWithClaims(pod)),
    ...graph.all('PersistentVolume').filter((volume) => isVolumeStuck(volume) && isVolumeSelected(volume, selection)),
    ...graph.all('VolumeSnapshot').filter((snapshot) => isSelected(snapshot) && isSnapshotStuck(snapshot)),
    ...graph.all('VolumeGroupSnapshot').filter((group) => isSelected(group) && isSnapshotStuck(group)),
    ...graph.all('BucketClaim').filter((claim) => isSelected(claim) && (isLeaving(claim) || !isClaimReady(claim))),
    ...graph
      .all('BucketAccess')
      .filter((access) => isSelected(access) && (isLeaving(access) || !isAccessGranted(access))),
    ...(isEverywhere ? stuckClusterObjects(ask) : []),
  ];
  return objects.map(targetOf);
}

function isLeaving({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function targetOf({ kind, metadata: { namespace, name } }: AnyObject): TargetRef {
  return { kind, ...(namespace !== undefined && { namespace }), name };
}

/** A volume belongs to the namespace of its claim; labels of claims and pods do not choose volumes. */
function isVolumeSelected({ spec }: Volume, { namespace, labelSelector }: Selection): boolean {
  return !labelSelector && (namespace === undefined || spec?.claimRef?.namespace === namespace);
}

function isSnapshotStuck({
  metadata,
  status,
}: ObjectOf<'VolumeSnapshot' | 'VolumeGroupSnapshot' | 'VolumeGroupSnapshotContent'>): boolean {
  return metadata.deletionTimestamp !== undefined || status?.readyToUse !== true;
}

function isChanging(ask: Inquiry, claim: Claim): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  if (claim.metadata.deletionTimestamp !== undefined) return true;
  const subject = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name);
  return isExpanding(subject) || isModifying(subject);
}

/** A volume that is not unmounted may hold a pod whose containers have ended. */
function isTerminatingWithClaims(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && claimNamesOf(pod).length > 0;
}

/** A volume that is retained on purpose is not stuck. */
function isVolumeStuck({ metadata, spec, status }: Volume): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.phase === 'Failed') return true;
  return status?.phase === 'Released' && spec?.persistentVolumeReclaimPolicy !== 'Retain';
}

function stuckClusterObjects(ask: Inquiry) {
  const { graph } = ask;
  const nodes = graph.all('Node');
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const knowsNodes = graph.coverage.answers('Node', {});
  const isAttachmentStuck = ({ metadata, spec, status }: Attachment): boolean =>
    metadata.deletionTimestamp !== undefined ||
    status?.attached !== true ||
    (knowsNodes && spec?.nodeName !== undefined && !names.has(spec.nodeName));
  return [
    ...graph.all('VolumeAttachment').filter(isAttachmentStuck),
    ...graph
      .all('VolumeSnapshotContent')
      .filter(({ metadata, status }) => metadata.deletionTimestamp !== undefined || status?.error !== undefined),
    ...nodes.filter(({ status }) => conditionOf(status?.conditions, 'Ready')?.status !== 'True'),
    ...graph.all('VolumeGroupSnapshotContent').filter(isSnapshotStuck),
    ...graph.all('Bucket').filter((bucket) => isLeaving(bucket) || !isBucketReady(bucket)),
    ...graph.all('VolumeAttributesClass').filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
    ...graph.all('Namespace').filter(({ status }) => status?.phase === 'Terminating'),
  ];
}
