import type { Stage } from '../report/report.ts';
import type { Assessment } from './assessment.ts';
import { assessAttachment } from './attachment-stages.ts';
import {
  assessBucket,
  assessBucketAccess,
  assessBucketClaim,
  stagesOfBucketAccess,
  stagesOfBucketClaim,
} from './bucket-stages.ts';
import { assessDriver, assessNode, assessStorageClass } from './driver-stages.ts';
import type { ObjectCase, ObjectKind } from '../facts/object-case.ts';
import { assessContent, assessGroup, assessSnapshot } from './snapshot-stages.ts';
import { assessAttributesClass, assessNamespace, assessVolume } from './volume-stages.ts';

interface ObjectStages<K extends ObjectKind> {
  /** The stages in which the object can be stuck now. */
  stages(subject: ObjectCase<K>): readonly Stage[];
  assess(subject: ObjectCase<K>, stage: Stage): Assessment;
  /** Each stage needs the one before it; otherwise they are judged side by side. */
  readonly isSequence?: true;
}

const deleteOr =
  (...stages: readonly Stage[]) =>
  ({ isTerminating }: ObjectCase<ObjectKind>): readonly Stage[] =>
    isTerminating ? ['delete'] : stages;

const stagesByKind: { readonly [K in ObjectKind]: ObjectStages<K> } = {
  PersistentVolume: { stages: stagesOfVolume, assess: assessVolume },
  VolumeAttachment: { stages: () => ['attach'], assess: assessAttachment },
  VolumeSnapshot: { stages: deleteOr('snapshot'), assess: assessSnapshot },
  VolumeSnapshotContent: { stages: deleteOr('snapshot'), assess: assessContent },
  VolumeGroupSnapshot: { stages: deleteOr('snapshot'), assess: assessGroup },
  VolumeGroupSnapshotContent: { stages: deleteOr('snapshot'), assess: assessGroup },
  BucketClaim: { stages: deleteOr(...stagesOfBucketClaim), assess: assessBucketClaim, isSequence: true },
  BucketAccess: { stages: deleteOr(...stagesOfBucketAccess), assess: assessBucketAccess, isSequence: true },
  Bucket: { stages: deleteOr('provision'), assess: assessBucket },
  StorageClass: { stages: () => ['provision'], assess: assessStorageClass },
  CSIDriver: { stages: () => ['provision', 'attach', 'mount'], assess: assessDriver },
  Node: { stages: () => ['mount'], assess: assessNode },
  VolumeAttributesClass: { stages: deleteOr('modify'), assess: assessAttributesClass },
  Namespace: { stages: () => ['delete'], assess: assessNamespace },
};

function stagesOfVolume({ object, isTerminating }: ObjectCase<'PersistentVolume'>): readonly Stage[] {
  const phase = object.status?.phase;
  return isTerminating || phase === 'Released' || phase === 'Failed' ? ['delete'] : ['bind'];
}

/** The journeys of an object, each with its stages in order. */
export function journeysOfStages<K extends ObjectKind>(subject: ObjectCase<K>): readonly (readonly Stage[])[] {
  const { stages, isSequence }: ObjectStages<K> = stagesByKind[subject.object.kind];
  return isSequence ? [stages(subject)] : stages(subject).map((stage) => [stage]);
}

export function assessObject<K extends ObjectKind>(stage: Stage, subject: ObjectCase<K>): Assessment {
  return stagesByKind[subject.object.kind].assess(subject, stage);
}
