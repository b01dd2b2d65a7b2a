import type { Attachment, Volume } from '../../kube/kinds.ts';
import type { RowAttachment } from '../../report/rows.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';
import { isServedByDriver } from '../../facts/volume/migrated-volume.ts';
import { attachmentsOf } from '../../facts/volume/volume-use.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { stateOfAttachment } from '../status/status-counts.ts';

/** The CSI driver that serves a volume; undefined for a volume of another kind. */
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

/** The field that says what kind of volume it is: nfs, hostPath, local. */
export function pluginOfVolume({ spec }: Volume): string | undefined {
  return Object.keys(spec ?? {}).find((field) => !notSources.has(field));
}

/** Whether volumes of this driver are attached at all: they are unless its object says otherwise. */
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

/** What went wrong with what is being done now: an attach that failed long ago says nothing about a detach. */
export function attachmentError(
  attachment: Attachment,
): { readonly message: string; readonly time?: string } | undefined {
  const { attachError, detachError } = attachment.status ?? {};
  const state = stateOfAttachment(attachment);
  const error = state === 'detaching' ? (detachError ?? attachError) : state === 'attached' ? undefined : attachError;
  return error === undefined
    ? undefined
    : { message: error.message || 'no message', ...(error.time !== undefined && { time: error.time }) };
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
