import type { Stage } from '../report/report.ts';
import type { Assessment } from './assessment.ts';
import { assessAttachment } from './attachment-stages.ts';
import { assessDriver, assessNode, assessStorageClass } from './driver-stages.ts';
import type { AnyObjectCase, ObjectCase, ObjectKind } from '../facts/object-case.ts';
import { assessContent, assessGroup, assessSnapshot } from './snapshot-stages.ts';
import { assessAttributesClass, assessNamespace, assessVolume } from './volume-stages.ts';

/** The stages in which this object can be stuck now. */
export function stagesOfObject({ object }: AnyObjectCase): readonly Stage[] {
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  switch (object.kind) {
    case 'PersistentVolume':
      return isTerminating || object.status?.phase === 'Released' || object.status?.phase === 'Failed'
        ? ['delete']
        : ['bind'];
    case 'VolumeAttachment':
      return ['attach'];
    case 'VolumeSnapshot':
    case 'VolumeSnapshotContent':
    case 'VolumeGroupSnapshot':
    case 'VolumeGroupSnapshotContent':
      return isTerminating ? ['delete'] : ['snapshot'];
    case 'StorageClass':
      return ['provision'];
    case 'CSIDriver':
      return ['provision', 'attach', 'mount'];
    case 'Node':
      return ['mount'];
    case 'VolumeAttributesClass':
      return isTerminating ? ['delete'] : ['modify'];
    case 'Namespace':
      return ['delete'];
  }
}

const assessors: { readonly [K in ObjectKind]: (subject: ObjectCase<K>, stage: Stage) => Assessment } = {
  PersistentVolume: assessVolume,
  VolumeAttachment: assessAttachment,
  VolumeSnapshot: assessSnapshot,
  VolumeSnapshotContent: assessContent,
  VolumeGroupSnapshot: assessGroup,
  VolumeGroupSnapshotContent: assessGroup,
  StorageClass: assessStorageClass,
  CSIDriver: assessDriver,
  Node: assessNode,
  VolumeAttributesClass: assessAttributesClass,
  Namespace: assessNamespace,
};

export function assessObject<K extends ObjectKind>(stage: Stage, subject: ObjectCase<K>): Assessment {
  return assessors[subject.object.kind](subject, stage);
}
