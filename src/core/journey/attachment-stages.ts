import type { CsiDriver, Node, Pod } from '../kube/kinds.ts';
import type { Listing } from '../graph/inquiry.ts';
import { open, passed, unknown } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from '../facts/object-case.ts';
import { conditionOf, isTerminated, lastUseOf } from '../facts/pod/pod-state.ts';
import { uniqueNameOf } from '../facts/volume/volume-use.ts';

type AttachmentCase = ObjectCase<'VolumeAttachment'>;

/** The volume is attached to the node, or detached where it should be. */
export function assessAttachment(a: AttachmentCase): Assessment {
  const { metadata, spec, status } = a.object;
  const where = `pv/${spec?.source?.persistentVolumeName ?? '(inline)'} on ${spec?.nodeName ?? 'no node'}`;
  const since = metadata.creationTimestamp;
  if (a.isTerminating) return open(`${where} is being detached`, metadata.deletionTimestamp, 120);
  const name = spec?.nodeName;
  const node = name === undefined ? undefined : a.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  if (node?.state === 'missing') return open(`${where}: the node does not exist`, since, 0);
  if (status?.attached !== true) return open(`${where} is not attached yet`, since, 135);
  const volume = volumeOfAttachment(a);
  if (volume?.state === 'missing') return open(`${where}: the PersistentVolume does not exist`, since, 0);
  const driver = registrationState(a);
  if (driver === 'gone') return open(`${where}: ${spec?.attacher ?? 'the driver'} is no longer installed`, since, 0);
  if (driverWithoutAttach(a))
    return open(`${where}: ${spec?.attacher ?? 'the driver'} no longer attaches volumes`, since, 0);
  if (node?.state === 'unknown' || volume?.state === 'unknown' || driver === 'unknown')
    return unknown(`${where} is attached, but whether node, volume and driver are still there could not be read`);
  return (node && assessUse(a, node.object, where)) ?? passed(`${where} is attached`);
}

/** A node that is down, or a kubelet that still uses the volume, matters once no pod there needs it. */
function assessUse(a: AttachmentCase, node: Node, where: string): Assessment | undefined {
  const isDown = conditionOf(node.status?.conditions, 'Ready')?.status !== 'True';
  if (!isDown && !isHeldByKubelet(a, node.status?.volumesInUse ?? [])) return undefined;
  const pods = podsAtAttachment(a);
  if (!pods || pods.items.some((pod) => pod.metadata.deletionTimestamp === undefined)) return undefined;
  if (!pods.complete) return unknown(`${where} is attached, but whether a pod there needs it could not be read`);
  if (isDown)
    return open(
      `${where}: the node is not ready, and no pod there needs the volume`,
      a.object.metadata.creationTimestamp,
      0,
    );
  return open(
    `${where}: no pod there needs the volume, but the kubelet still uses it`,
    pods.items[0]?.metadata.deletionTimestamp ?? lastNeedOf(a) ?? a.object.metadata.creationTimestamp,
    120,
  );
}

/** When a pod of the claim ended here or was created elsewhere: until then the volume may have been needed here. */
function lastNeedOf(a: AttachmentCase): string | undefined {
  const volume = volumeOfAttachment(a);
  const { namespace, name } = (volume?.state === 'found' ? volume.object.spec?.claimRef : undefined) ?? {};
  if (!namespace || !name) return undefined;
  return a.ask
    .podsUsing({ namespace, name })
    .items.map((pod) => lastUseOf(pod, a.object.spec?.nodeName) ?? '')
    .sort()
    .at(-1);
}

/** The PersistentVolume; undefined for an attachment that carries its volume inline. */
export function volumeOfAttachment(a: AttachmentCase): ReturnType<typeof a.ask.get<'PersistentVolume'>> | undefined {
  const name = a.object.spec?.source?.persistentVolumeName;
  return name ? a.ask.get('PersistentVolume', undefined, name, `whether pv/${name} exists`) : undefined;
}

/**
 * Gone: neither the CSIDriver object nor the registration on the node is left. The object alone proves nothing, since
 * it is optional.
 */
function registrationState(a: AttachmentCase): 'there' | 'gone' | 'unknown' {
  const { attacher, nodeName } = a.object.spec ?? {};
  if (!attacher || !nodeName) return 'there';
  const object = a.ask.get('CSIDriver', undefined, attacher, `whether ${attacher} is installed`);
  if (object.state === 'found') return 'there';
  // The CSIDriver object may declare that the driver no longer attaches anything.
  if (object.state === 'unknown') return 'unknown';
  const csiNode = a.ask.get('CSINode', undefined, nodeName, `whether ${attacher} is registered on ${nodeName}`);
  if (csiNode.state === 'found' && csiNode.object.spec?.drivers?.some(({ name }) => name === attacher)) return 'there';
  return csiNode.state === 'unknown' ? 'unknown' : 'gone';
}

/** By then the attach-detach controller has removed every attachment of such a driver that it has in memory. */
const removalSeconds = 600;

/** The driver of the attachment, if its CSIDriver object has declared for some time that it needs no attachments. */
export function driverWithoutAttach(a: AttachmentCase): CsiDriver | undefined {
  const name = a.object.spec?.attacher;
  if (name === undefined || a.ageSeconds < removalSeconds) return undefined;
  const driver = a.ask.get('CSIDriver', undefined, name, `whether ${name} attaches its volumes`);
  if (driver.state !== 'found' || driver.object.spec?.attachRequired !== false) return undefined;
  return a.secondsSince(driver.object.metadata.creationTimestamp) < removalSeconds ? undefined : driver.object;
}

/** Pods on the node of the attachment that use its volume and have not ended; undefined when the claim is not known. */
export function podsAtAttachment(a: AttachmentCase): Listing<Pod> | undefined {
  const volume = volumeOfAttachment(a);
  const claim = volume?.state === 'found' ? volume.object.spec?.claimRef : undefined;
  if (!claim?.name || claim.namespace === undefined) return undefined;
  const { items, complete } = a.ask.podsUsing({ namespace: claim.namespace, name: claim.name });
  return {
    items: items.filter((pod) => pod.spec?.nodeName === a.object.spec?.nodeName && !isTerminated(pod)),
    complete,
  };
}

function isHeldByKubelet(a: AttachmentCase, volumesInUse: readonly string[]): boolean {
  const volume = volumeOfAttachment(a);
  const name = volume?.state === 'found' ? uniqueNameOf(volume.object) : undefined;
  return name !== undefined && volumesInUse.includes(name);
}
