import type { Stage } from '../report/report.ts';
import { notApplicable } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import { assessAttachment } from './attachment-stages.ts';
import { assessDriver, assessNode, assessStorageClass } from './driver-stages.ts';
import type { AnyObjectCase, ObjectCase } from '../facts/object-case.ts';
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

export function assessObject(stage: Stage, subject: AnyObjectCase): Assessment {
  switch (subject.object.kind) {
    case 'PersistentVolume':
      return assessVolume(subject as ObjectCase<'PersistentVolume'>);
    case 'VolumeAttachment':
      return assessAttachment(subject as ObjectCase<'VolumeAttachment'>);
    case 'VolumeSnapshot':
      return assessSnapshot(subject as ObjectCase<'VolumeSnapshot'>);
    case 'VolumeSnapshotContent':
      return assessContent(subject as ObjectCase<'VolumeSnapshotContent'>);
    case 'VolumeGroupSnapshot':
    case 'VolumeGroupSnapshotContent':
      return assessGroup(subject as ObjectCase<'VolumeGroupSnapshot'> | ObjectCase<'VolumeGroupSnapshotContent'>);
    case 'StorageClass':
      return assessStorageClass(subject as ObjectCase<'StorageClass'>);
    case 'CSIDriver':
      return assessDriver(subject as ObjectCase<'CSIDriver'>, stage);
    case 'Node':
      return assessNode(subject as ObjectCase<'Node'>);
    case 'VolumeAttributesClass':
      return assessAttributesClass(subject as ObjectCase<'VolumeAttributesClass'>);
    case 'Namespace':
      return assessNamespace(subject as ObjectCase<'Namespace'>);
    default:
      return notApplicable('nothing to judge');
  }
}
