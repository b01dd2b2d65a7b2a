import { boolean, map, number, quantity, record, string } from '../shape.ts';
import { labelSelector, reference } from '../shared-shapes.ts';

/** Snapshots of volumes and of groups of volumes. */
export const snapshotShapes = {
  VolumeSnapshot: {
    spec: record({
      volumeSnapshotClassName: string,
      source: record({ persistentVolumeClaimName: string, volumeSnapshotContentName: string }),
    }),
    status: record({
      boundVolumeSnapshotContentName: string,
      creationTime: string,
      readyToUse: boolean,
      restoreSize: quantity,
      error: record({ message: string, time: string }),
      volumeGroupSnapshotName: string,
    }),
  },
  VolumeSnapshotContent: {
    spec: record({
      driver: string,
      deletionPolicy: string,
      volumeSnapshotClassName: string,
      volumeSnapshotRef: reference,
      sourceVolumeMode: string,
      source: record({ volumeHandle: string, snapshotHandle: string }),
    }),
    status: record({
      snapshotHandle: string,
      readyToUse: boolean,
      restoreSize: number,
      creationTime: number,
      volumeGroupSnapshotHandle: string,
      error: record({ message: string, time: string }),
    }),
  },
  VolumeSnapshotClass: { driver: string, deletionPolicy: string, parameters: map(quantity) },
  VolumeGroupSnapshot: {
    spec: record({
      volumeGroupSnapshotClassName: string,
      source: record({ selector: labelSelector, volumeGroupSnapshotContentName: string }),
    }),
    status: record({
      boundVolumeGroupSnapshotContentName: string,
      creationTime: string,
      readyToUse: boolean,
      error: record({ message: string, time: string }),
    }),
  },
  VolumeGroupSnapshotContent: {
    spec: record({
      driver: string,
      deletionPolicy: string,
      volumeGroupSnapshotClassName: string,
      volumeGroupSnapshotRef: reference,
    }),
    status: record({
      volumeGroupSnapshotHandle: string,
      creationTime: string,
      readyToUse: boolean,
      error: record({ message: string, time: string }),
    }),
  },
} as const;
