import type { Attachment, Claim, Pod, Volume } from '../kube/kinds.ts';
import type { Selection, TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { ClaimCase } from '../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../journey/claim-growth.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import { conditionOf } from '../facts/pod/pod-state.ts';

/** What is stuck beyond its volume's arrival: growing, changing, leaving; volumes, attachments, snapshots, nodes. */
export function findStuckElsewhere(
  ask: Inquiry,
  selection: Selection,
  isSelected: (object: {
    readonly metadata: { readonly namespace?: string; readonly labels?: { readonly [key: string]: string } };
  }) => boolean,
): TargetRef[] {
  const { graph } = ask;
  const everywhere = selection.namespace === undefined;
  const objects = [
    ...graph.all('PersistentVolumeClaim').filter((claim) => isSelected(claim) && isChanging(ask, claim)),
    ...graph.all('Pod').filter((pod) => isSelected(pod) && isLeaving(pod)),
    ...graph
      .all('PersistentVolume')
      .filter(
        (volume) =>
          isVolumeStuck(volume) &&
          (everywhere || volume.spec?.claimRef?.namespace === selection.namespace) &&
          !selection.labelSelector,
      ),
    ...graph
      .all('VolumeSnapshot')
      .filter(
        (snapshot) =>
          isSelected(snapshot) &&
          (snapshot.metadata.deletionTimestamp !== undefined || snapshot.status?.readyToUse !== true),
      ),
    ...(everywhere && !selection.labelSelector ? clusterObjects(ask) : []),
  ];
  return objects.map(({ kind, metadata }): TargetRef => ({
    kind,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    name: metadata.name,
  }));
}

function isChanging(ask: Inquiry, claim: Claim): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  if (claim.metadata.deletionTimestamp !== undefined) return true;
  const subject = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name);
  return isExpanding(subject) || isModifying(subject);
}

/** A pod that was told to go and is still there: one whose containers have ended may be held by a volume that is not unmounted. */
function isLeaving(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && claimNamesOf(pod).length > 0;
}

/** A volume that is kept on purpose is not stuck. */
function isVolumeStuck({ metadata, spec, status }: Volume): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.phase === 'Failed') return true;
  return status?.phase === 'Released' && spec?.persistentVolumeReclaimPolicy !== 'Retain';
}

function clusterObjects(ask: Inquiry) {
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
    ...graph.all('VolumeAttributesClass').filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
  ];
}
