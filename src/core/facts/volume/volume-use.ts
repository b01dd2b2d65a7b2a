import type { Attachment, KubeEvent, PodVolume, Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Inquiry, Listing, Lookup } from '../../graph/inquiry.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { ClaimCase } from '../claim/claim-case.ts';
import { isServedByDriver, migratedHandle } from './migrated-volume.ts';
import type { PodCase } from '../pod/pod-case.ts';
import { servingDriver } from './volume-slots.ts';

/** One volume of a pod with its claim, its PersistentVolume, its driver and its attachment to the node. */
export class VolumeUse {
  readonly p: PodCase;
  readonly podVolume: PodVolume;
  readonly claim: ClaimCase | undefined;

  constructor(p: PodCase, podVolume: PodVolume, claim: ClaimCase | undefined) {
    this.p = p;
    this.podVolume = podVolume;
    this.claim = claim;
  }

  get ask(): Inquiry {
    return this.p.ask;
  }

  /** The name within the pod. */
  get name(): string {
    return this.podVolume.name ?? '';
  }

  get node(): string {
    return this.p.pod.spec?.nodeName ?? '';
  }

  /** The PersistentVolume of a bound claim; undefined for a volume that has none. */
  get volume(): Lookup<Volume> | undefined {
    return this.claim?.isBound ? this.claim.volume : undefined;
  }

  get volumeObject(): Volume | undefined {
    return this.volume?.state === 'found' ? this.volume.object : undefined;
  }

  /** The name of the PersistentVolume; empty for a volume that has none. */
  get volumeName(): string {
    return this.claim?.isBound ? this.claim.volumeName : '';
  }

  /** A `csi` volume in the pod's own spec, which is never attached. */
  get isInline(): boolean {
    return this.podVolume.csi !== undefined;
  }

  /** The CSI driver that serves it, also for a volume of a migrated in-tree plugin. */
  get driver(): string | undefined {
    if (this.podVolume.csi) return this.podVolume.csi.driver;
    const volume = this.volumeObject;
    if (volume) return isServedByDriver(this.ask, volume) ? servingDriver(volume) : undefined;
    return this.volume?.state === 'unknown' ? attachmentsOf(this.ask, this.volumeName)[0]?.spec?.attacher : undefined;
  }

  get handle(): string | undefined {
    return this.volumeObject && handleOf(this.volumeObject);
  }

  /** The name in `volumesAttached` and `volumesInUse` of a node. */
  get uniqueName(): string | undefined {
    return this.volumeObject && uniqueNameOf(this.volumeObject);
  }

  /** Whether it has to be attached first; a driver without a CSIDriver object needs that (csi_plugin.go skipAttach). */
  get needsAttach(): boolean | undefined {
    const { driver } = this;
    if (this.volumeName === '' || this.isInline) return false;
    if (this.volume?.state !== 'found') return this.volume?.state === 'missing' ? false : undefined;
    // An in-tree plugin attaches without a VolumeAttachment, so only events show it.
    if (driver === undefined) return this.volumeObject && servingDriver(this.volumeObject) ? undefined : false;
    const object = this.ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
    // What was attached once is proof enough where the object could not be read.
    if (object.state === 'unknown') return hasAttached(this.ask, driver) ? true : undefined;
    return object.state === 'missing' || object.object.spec?.attachRequired !== false;
  }

  /** The attachment to the pod's node, read by the name that it must have; undefined for a volume without one. */
  get attachment(): Lookup<Attachment> | undefined {
    const { node, volumeName, driver, handle, ask } = this;
    if (node === '' || volumeName === '' || this.isInline || (this.volumeObject && driver === undefined))
      return undefined;
    const named =
      driver && handle
        ? ask.get(
            'VolumeAttachment',
            undefined,
            attachmentName(handle, driver, node),
            `whether pv/${volumeName} is attached to ${node}`,
          )
        : undefined;
    if (named?.state === 'found') return named;
    const seen = attachmentsOf(ask, volumeName).find(({ spec }) => spec?.nodeName === node);
    if (seen) return { state: 'found', object: seen };
    return (
      named ??
      (ask.list('VolumeAttachment', undefined, `whether pv/${volumeName} is attached to ${node}`).complete
        ? { state: 'missing' }
        : { state: 'unknown' })
    );
  }

  /**
   * Attachments of the same volume to other nodes. No selector finds them, so this lists all attachments: use it late.
   */
  get otherAttachments(): Listing<Attachment> {
    const { complete } = this.ask.list(
      'VolumeAttachment',
      undefined,
      `to which other nodes pv/${this.volumeName} is attached`,
    );
    return {
      items: attachmentsOf(this.ask, this.volumeName).filter(({ spec }) => spec?.nodeName !== this.node),
      complete,
    };
  }

  /**
   * Whether only one node may use it (pkg/volume/util IsMultiAttachAllowed); where the volume cannot be read, the
   * claim's modes count.
   */
  get isExclusive(): boolean {
    const modes =
      (this.volumeObject ? this.volumeObject.spec?.accessModes : this.claim?.claim?.spec?.accessModes) ?? [];
    return modes.length > 0 && !modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
  }

  /**
   * When it was attached at the latest, in ms: the last write to the attachment, and the last event about the attach.
   * Dumps of kubectl have no managed fields, and a volume was not attached yet when its attach failed.
   */
  get attachedSince(): number | undefined {
    const attachment = this.attachment?.state === 'found' ? this.attachment.object : undefined;
    if (attachment?.status?.attached !== true) return undefined;
    const { creationTimestamp, managedFields = [] } = attachment.metadata;
    const times = [creationTimestamp, ...managedFields.map(({ time }) => time)].map((text) => parseTime(text) ?? 0);
    return Math.max(...times, ...this.#allAttachEvents.map(lastSeen)) || undefined;
  }

  /** The attach-detach controller's events about this volume on the pod, oldest first, since the last success. */
  get attachEvents(): readonly KubeEvent[] {
    const said = this.#allAttachEvents;
    return said.slice(said.findLastIndex(({ reason }) => reason === 'SuccessfulAttachVolume') + 1);
  }

  get #allAttachEvents(): readonly KubeEvent[] {
    const quoted = `"${this.volumeName}"`;
    return this.p.events.items
      .filter(({ reason }) => reason === 'FailedAttachVolume' || reason === 'SuccessfulAttachVolume')
      .filter((event) => messageOf(event).includes(quoted))
      .sort((a, b) => lastSeen(a) - lastSeen(b));
  }
}

/** An attacher has attached a volume of this driver, as far as attachments were read. */
function hasAttached(ask: Inquiry, driver: string): boolean {
  return ask
    .seen('VolumeAttachment')
    .some(({ spec, status }) => spec?.attacher === driver && status?.attached === true);
}

const usesByPod = new WeakMap<PodCase, readonly VolumeUse[]>();

/** All volumes of the pod, in its order. */
export function volumeUsesOf(p: PodCase): readonly VolumeUse[] {
  let uses = usesByPod.get(p);
  if (!uses) {
    uses = (p.pod.spec?.volumes ?? []).map((podVolume) => {
      const claimName =
        podVolume.persistentVolumeClaim?.claimName ??
        (podVolume.ephemeral && podVolume.name ? `${p.pod.metadata.name}-${podVolume.name}` : undefined);
      return new VolumeUse(
        p,
        podVolume,
        claimName === undefined ? undefined : p.claims.find(({ name }) => name === claimName),
      );
    });
    usesByPod.set(p, uses);
  }
  return uses;
}

/** The attachments of a volume that are in the snapshot; nothing is read for it. */
export function attachmentsOf(ask: Inquiry, volumeName: string): readonly Attachment[] {
  return (
    ask.graph
      .group('VolumeAttachment', 'volume', ({ spec }) =>
        spec?.source?.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
      )
      .get(volumeName) ?? []
  );
}

/** The driver's id of the volume. */
export function handleOf(volume: Volume): string | undefined {
  return volume.spec?.csi ? volume.spec.csi.volumeHandle : migratedHandle(volume);
}

/** The name of a CSI volume in the status of a node (pkg/volume/util GetUniqueVolumeName). */
export function uniqueNameOf(volume: Volume): string | undefined {
  const driver = servingDriver(volume);
  const handle = handleOf(volume);
  return driver && handle ? `kubernetes.io/csi/${driver}^${handle}` : undefined;
}
