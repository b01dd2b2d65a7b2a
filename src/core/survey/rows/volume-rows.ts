import type { Volume } from '../../kube/kinds.ts';
import type { VolumeRow } from '../../report/rows.ts';
import { resolveClass } from '../../facts/class/storage-class.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';
import { driverOfVolume, findAttachments, isAttachable, pluginOfVolume } from './volume-attachments.ts';

export function volumeRow({ ask }: RowDesk, volume: Volume): VolumeRow {
  const { metadata, spec, status } = volume;
  const driver = driverOfVolume(ask, volume);
  const plugin = driver === undefined ? pluginOfVolume(volume) : undefined;
  const attachable = isAttachable(ask, driver);
  const attachments = attachable === false ? { items: [], complete: true } : findAttachments(ask, metadata.name);
  const handle = handleOf(volume);
  const { name: storageClass } = resolveClass(volume);
  const phase = status?.phase ?? 'Unknown';
  const capacity = spec?.capacity?.['storage'];
  const { namespace, name } = spec?.claimRef ?? {};
  return {
    ...rowBase(volume, attachments.complete ? [] : ['attachments']),
    status: metadata.deletionTimestamp === undefined ? phase : 'Terminating',
    phase,
    ...(status?.reason && { reason: status.reason }),
    ...(status?.message && { message: status.message }),
    ...(capacity !== undefined && { capacity }),
    accessModes: spec?.accessModes ?? [],
    volumeMode: volumeModeOf(volume),
    ...(spec?.persistentVolumeReclaimPolicy !== undefined && { reclaimPolicy: spec.persistentVolumeReclaimPolicy }),
    ...(name && { claim: { ...(namespace !== undefined && { namespace }), name } }),
    ...(storageClass !== '' && { storageClass }),
    ...(spec?.volumeAttributesClassName && { attributesClass: spec.volumeAttributesClassName }),
    ...(driver !== undefined && { driver }),
    ...(plugin !== undefined && { plugin }),
    ...(handle !== undefined && { volumeHandle: handle }),
    ...(attachable !== undefined && { isAttachable: attachable }),
    attachments: attachments.items,
    reach: describeReach(volume),
  };
}
