import type { Attachment, Volume } from '../../kube/kinds.ts';
import type { RowAttachment } from '../../report/rows.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';
import { isServedByDriver } from '../../facts/volume/migrated-volume.ts';
import { attachmentsOf } from '../../facts/volume/volume-use.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { stateOfAttachment } from '../status/status-counts.ts';

/** The CSI driver that serves a volume; undefined for a volume without one. */
export function driverOfVolume(ask: Inquiry, volume: Volume): string | undefined {
  return isServedByDriver(ask, volume) ? servingDriver(volume) : undefined;
}

const notSources: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'storageClassName',
  'volumeMode',
  'volumeAttributesClassName',
  'persistentVolumeReclaimPolicy',
  'mountOptions',
  'nodeAffinity',
]);

/** The field that names the type of volume: nfs, hostPath, local. */
export function pluginOfVolume({ spec }: Volume): string | undefined {
  return Object.keys(spec ?? {}).find((field) => !notSources.has(field));
}

/** Whether volumes of this driver are attached at all: by default they are (attachRequired). */
export function isAttachable(ask: Inquiry, driver: string | undefined): boolean | undefined {
  if (driver === undefined) return false;
  const object = ask.get('CSIDriver', undefined, driver, 'whether volumes of the drivers are attached to nodes');
  if (object.state === 'unknown') return undefined;
  return object.state === 'missing' || object.object.spec?.attachRequired !== false;
}

/** No name and no selector leads from a volume to its attachments, so all of them are read. */
export function findAttachments(ask: Inquiry, volumeName: string): Listing<RowAttachment> {
  const { complete } = ask.list('VolumeAttachment', undefined, 'which volumes are attached to which nodes');
  return { items: attachmentsOf(ask, volumeName).map(attachmentOf), complete };
}

/** The error of the operation in progress: one of an earlier attach does not apply to a detach. */
export function attachmentError(
  attachment: Attachment,
): { readonly message: string; readonly time?: string } | undefined {
  const { attachError, detachError } = attachment.status ?? {};
  const state = stateOfAttachment(attachment);
  const error = state === 'detaching' ? (detachError ?? attachError) : attachError;
  if (error === undefined || state === 'attached') return undefined;
  return { message: error.message || 'no message', ...(error.time !== undefined && { time: error.time }) };
}

function attachmentOf(attachment: Attachment): RowAttachment {
  const error = attachmentError(attachment)?.message;
  return {
    name: attachment.metadata.name,
    node: attachment.spec?.nodeName ?? '',
    state: stateOfAttachment(attachment),
    ...(error !== undefined && { error }),
  };
}
