import type { AnyObject } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Stage } from '../../report/report.ts';
import type { ObjectCase, ObjectKind } from '../../facts/object-case.ts';
import { bucketClaimCaseOf } from '../../facts/bucket/bucket-claim-case.ts';
import { bucketOwner } from './bucket-owner.ts';
import { controlPlaneOwner } from './control-plane-owner.ts';
import type { StageOwner, Trace } from './owner.ts';
import { sidecarOwner, snapshotControllerOwner } from './sidecar-owner.ts';
import { traceOf, traceOfAttachment } from './trace.ts';

/** The component that has to act on an object that is neither claim nor pod. */
export function ownerOfObject(subject: ObjectCase<ObjectKind>, stage: Stage, ask: Inquiry): StageOwner | undefined {
  const { finalizers } = subject;
  const object = subject.object as AnyObject;
  const trace = (): Trace => traceOf(object, subject.events.items, ask.now);
  switch (object.kind) {
    case 'VolumeAttachment':
      return object.spec?.attacher === undefined
        ? undefined
        : sidecarOwner(ask, object.spec.attacher, 'attacher', () => traceOfAttachment(object));
    case 'PersistentVolume': {
      const driver = object.spec?.csi?.driver;
      const isHeldByAttacher = finalizers.some((name) => name.startsWith('external-attacher/'));
      if (driver !== undefined && stage === 'delete')
        return sidecarOwner(ask, driver, subject.isTerminating && isHeldByAttacher ? 'attacher' : 'provisioner', trace);
      return controlPlaneOwner(ask, 'kube-controller-manager', 'volume controller', trace);
    }
    case 'VolumeSnapshot':
    case 'VolumeGroupSnapshot':
      return snapshotControllerOwner(ask, trace);
    case 'VolumeSnapshotContent':
    case 'VolumeGroupSnapshotContent':
      return object.spec?.driver === undefined
        ? snapshotControllerOwner(ask, trace)
        : sidecarOwner(ask, object.spec.driver, 'snapshotter', trace);
    case 'BucketClaim':
      return bucketOwner(
        ask,
        stage === 'provision' ? bucketClaimCaseOf(subject as ObjectCase<'BucketClaim'>).driver : undefined,
        trace,
      );
    case 'Bucket':
      return bucketOwner(ask, object.spec?.driverName, trace);
    case 'BucketAccess':
      return bucketOwner(ask, object.status?.driverName, trace);
    case 'VolumeAttributesClass':
      return controlPlaneOwner(ask, 'kube-controller-manager', 'vac-protection controller', trace);
    case 'Namespace':
      return controlPlaneOwner(ask, 'kube-controller-manager', 'namespace controller', trace);
    default:
      return undefined;
  }
}
