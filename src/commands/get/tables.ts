import type { RowKind, RowOf } from '../../core/report/rows.ts';
import type { Column } from './column.ts';
import { attachmentColumns } from './columns/attachments.ts';
import { bucketClaimColumns, bucketColumns } from './columns/buckets.ts';
import { capacityColumns } from './columns/capacity.ts';
import { claimColumns } from './columns/claims.ts';
import { classColumns } from './columns/classes.ts';
import { csiNodeColumns } from './columns/csi-nodes.ts';
import { driverColumns } from './columns/drivers.ts';
import { podColumns } from './columns/pods.ts';
import { snapshotColumns } from './columns/snapshots.ts';
import { volumeColumns } from './columns/volumes.ts';

const tables: { readonly [K in RowKind]: readonly Column<RowOf[K]>[] } = {
  PersistentVolumeClaim: claimColumns,
  Pod: podColumns,
  PersistentVolume: volumeColumns,
  StorageClass: classColumns,
  CSINode: csiNodeColumns,
  VolumeAttachment: attachmentColumns,
  CSIDriver: driverColumns,
  VolumeSnapshot: snapshotColumns,
  CSIStorageCapacity: capacityColumns,
  BucketClaim: bucketClaimColumns,
  Bucket: bucketColumns,
};

/** All columns of a kind, in their order. */
export function columnsOf(kind: RowKind): readonly Column[] {
  return tables[kind] as unknown as readonly Column[];
}
