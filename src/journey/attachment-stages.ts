import type { Pod } from '../model/kinds.ts';
import type { Listing } from '../graph/inquiry.ts';
import { open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from './object-case.ts';
import { conditionOf, isTerminated } from './pod-state.ts';
import { uniqueNameOf } from './volume-use.ts';

type AttachmentCase = ObjectCase<'VolumeAttachment'>;

/** The volume is attached to the node, or is gone from it when it should be. */
export function assessAttachment(a: AttachmentCase): Assessment {
  const { metadata, spec, status } = a.object;
  const where = `pv/${spec?.source?.persistentVolumeName ?? '(inline)'} on ${spec?.nodeName ?? 'no node'}`;
  if (a.isTerminating) return open(`${where} is being detached`, metadata.deletionTimestamp, 120);
  const name = spec?.nodeName;
  const node = name === undefined ? undefined : a.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  if (node?.state === 'missing') return open(`${where}: the node is gone`, metadata.creationTimestamp, 0);
  if (status?.attached !== true) return open(`${where} is not attached yet`, metadata.creationTimestamp, 135);
  if (volumeOfAttachment(a)?.state === 'missing') return open(`${where}: the volume object is gone`, metadata.creationTimestamp, 0);
  if (isDriverGone(a)) return open(`${where}: ${spec?.attacher ?? 'the driver'} is not installed any more`, metadata.creationTimestamp, 0);
  const isDown = node?.state === 'found' && conditionOf(node.object.status?.conditions, 'Ready')?.status !== 'True';
  if (isDown && isLeftBehind(a)) return open(`${where}: the node is not ready, and no pod there needs the volume`, metadata.creationTimestamp, 0);
  if (node?.state === 'found' && isHeldByKubelet(a, node.object.status?.volumesInUse ?? []) && isLeftBehind(a)) {
    return open(`${where}: no pod there needs the volume, and the kubelet still holds it`, podsAtAttachment(a)?.items[0]?.metadata.deletionTimestamp ?? metadata.creationTimestamp, 120);
  }
  return passed(`${where} is attached`);
}

/** The PersistentVolume; undefined for an attachment that carries its volume inline. */
export function volumeOfAttachment(a: AttachmentCase): ReturnType<typeof a.ask.get<'PersistentVolume'>> | undefined {
  const name = a.object.spec?.source?.persistentVolumeName;
  return name ? a.ask.get('PersistentVolume', undefined, name, `whether pv/${name} exists`) : undefined;
}

/** Neither the driver's object nor its registration on the node is left; an object alone proves nothing, since it is optional. */
export function isDriverGone(a: AttachmentCase): boolean {
  const { attacher, nodeName } = a.object.spec ?? {};
  if (!attacher || !nodeName || a.ask.get('CSIDriver', undefined, attacher, `whether ${attacher} is installed`).state !== 'missing') return false;
  const csiNode = a.ask.get('CSINode', undefined, nodeName, `whether ${attacher} is registered on ${nodeName}`);
  return csiNode.state === 'missing' || (csiNode.state === 'found' && !csiNode.object.spec?.drivers?.some(({ name }) => name === attacher));
}

/** Pods that use the volume of the attachment on its node, those that are over left out; undefined when nobody can tell. */
export function podsAtAttachment(a: AttachmentCase): Listing<Pod> | undefined {
  const volume = volumeOfAttachment(a);
  const claim = volume?.state === 'found' ? volume.object.spec?.claimRef : undefined;
  if (!claim?.name || claim.namespace === undefined) return undefined;
  const { items, complete } = a.ask.podsUsing({ namespace: claim.namespace, name: claim.name });
  return { items: items.filter((pod) => pod.spec?.nodeName === a.object.spec?.nodeName && !isTerminated(pod)), complete };
}

/** No pod on that node needs the volume any more, or those that do are on their way out. */
function isLeftBehind(a: AttachmentCase): boolean {
  const pods = podsAtAttachment(a);
  return pods !== undefined && pods.complete && pods.items.every((pod) => pod.metadata.deletionTimestamp !== undefined);
}

export function isHeldByKubelet(a: AttachmentCase, volumesInUse: readonly string[]): boolean {
  const volume = volumeOfAttachment(a);
  const name = volume?.state === 'found' ? uniqueNameOf(volume.object) : undefined;
  return name !== undefined && volumesInUse.includes(name);
}
