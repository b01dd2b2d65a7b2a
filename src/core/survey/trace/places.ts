import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import type { NodePlugin } from '../../facts/driver/node-plugin.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { attachmentsOf, volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { Attachment, CsiNode, Node, Volume } from '../../kube/kinds.ts';

/** One node on which the volume is used, or should be. */
export interface Place {
  readonly node: string;
  readonly pod?: PodCase;
  /** undefined: this volume is never attached. */
  readonly attachment: Lookup<Attachment> | undefined;
  readonly nodeObject: Lookup<Node>;
  readonly csiNode: Lookup<CsiNode> | undefined;
  readonly plugin: NodePlugin | undefined;
}

/** What is known about a volume whose places are searched. */
interface PlacedClaim {
  readonly claim: ClaimCase;
  readonly pods: readonly PodCase[];
  readonly driver: string | undefined;
  readonly volume: Volume | undefined;
  /** The attachment that is the target of the trace. */
  readonly attachment: Attachment | undefined;
}

/** The nodes of the pods, then the nodes to which the volume is attached otherwise. */
export function placesOfClaim(ask: Inquiry, placed: PlacedClaim): Place[] {
  const { claim, pods, driver } = placed;
  const places = new Map<string, Place>();
  for (const pod of pods) {
    const node = pod.pod.spec?.nodeName;
    if (!node || places.has(node)) continue;
    const use = volumeUsesOf(pod).find((each) => each.claim === claim);
    const needsNone = use?.needsAttach === false || !claim.isBound;
    places.set(node, { ...placeOf(ask, node, driver, needsNone ? undefined : use?.attachment), pod });
  }
  for (const object of otherAttachments(ask, placed, places.size > 0)) {
    const node = object.spec?.nodeName ?? '';
    if (!places.has(node)) places.set(node, placeOf(ask, node, driver, { state: 'found', object }));
  }
  return [...places.values()];
}

/** Without a pod on a node, only the list of all attachments shows where the volume is still attached. */
function otherAttachments(
  ask: Inquiry,
  { volume, attachment }: PlacedClaim,
  hasPlaces: boolean,
): readonly Attachment[] {
  if (!volume) return [];
  const { name } = volume.metadata;
  if (attachment) return [attachment, ...attachmentsOf(ask, name)];
  return !hasPlaces && volume.spec?.csi ? allAttachmentsOf(ask, name) : attachmentsOf(ask, name);
}

export function allAttachmentsOf(ask: Inquiry, volumeName: string): readonly Attachment[] {
  ask.list('VolumeAttachment', undefined, `to which nodes pv/${volumeName} is attached`);
  return attachmentsOf(ask, volumeName);
}

export function placeOf(
  ask: Inquiry,
  node: string,
  driver: string | undefined,
  attachment: Lookup<Attachment> | undefined,
): Place {
  const isCsi = driver !== undefined && !driver.includes('/');
  return {
    node,
    attachment,
    nodeObject: ask.get('Node', undefined, node, `whether node ${node} exists and is ready`),
    csiNode: isCsi ? ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`) : undefined,
    plugin: isCsi ? findNodePlugin(ask, driver, node) : undefined,
  };
}
