import type { RawObject } from '../../core/kube/snapshot.ts';
import { event, object, uidOf } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { claim, staticVolume } from './claims.ts';
import { diskUser, statefulSet } from './healthy.ts';
import { unboundImmediate, unschedulablePod } from './pods.ts';

const controller = 'persistentvolume-controller';
const day = 60 * 24;

/** Claims that never reach a driver: class, quota, and volumes created by hand. */
export function claimTroubles(clock: DemoClock): readonly RawObject[] {
  return [
    ...missingClass(clock),
    ...noDefaultClass(clock),
    ...fullQuota(clock),
    ...tooSmallVolume(clock),
    ...releasedVolume(clock),
    ...lostVolume(clock),
    ...absentVolume(clock),
  ];
}

/** sc-missing: the class is called fast. */
function missingClass(clock: DemoClock): readonly RawObject[] {
  const cart = claim(clock, { namespace: 'shop', name: 'cart', age: 34, size: '10Gi', className: 'fast-ssd' });
  return [
    cart,
    event(clock, cart, {
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message: 'storageclass.storage.k8s.io "fast-ssd" not found',
      from: controller,
      first: 34,
      last: 0.2,
      count: 136,
    }),
    ...unschedulablePod(clock, {
      namespace: 'shop',
      name: 'cart-0',
      age: 33,
      claims: { data: 'cart' },
      unschedulable: unboundImmediate,
    }),
  ];
}

/** class-nil-no-default: reported in an event of type Normal. */
function noDefaultClass(clock: DemoClock): readonly RawObject[] {
  const uploads = claim(clock, { namespace: 'shop', name: 'uploads', age: 52, size: '100Gi' });
  return [
    uploads,
    event(clock, uploads, {
      reason: 'FailedBinding',
      message: 'no persistent volumes available for this claim and no storage class is set',
      from: controller,
      first: 52,
      last: 0.2,
      count: 208,
    }),
  ];
}

/** pvc-create-denied-quota: there is neither a claim nor a pod to ask about. */
function fullQuota(clock: DemoClock): readonly RawObject[] {
  const orders = statefulSet(clock, {
    namespace: 'billing',
    name: 'orders',
    age: 2 * day,
    replicas: 2,
    ready: 1,
    size: '20Gi',
    className: 'fast',
  });
  const refusal =
    'persistentvolumeclaims "data-orders-1" is forbidden: exceeded quota: storage, requested: ' +
    'requests.storage=20Gi, used: requests.storage=20Gi, limited: requests.storage=30Gi';
  const hard = { persistentvolumeclaims: '10', 'requests.storage': '30Gi' };
  return [
    orders,
    ...diskUser(clock, {
      namespace: 'billing',
      pod: 'orders-0',
      claim: 'data-orders-0',
      node: 'worker-1',
      age: 2 * day,
      size: '20Gi',
      owner: orders,
      labels: { app: 'orders' },
    }),
    object(
      clock,
      { kind: 'ResourceQuota', apiVersion: 'v1', namespace: 'billing', name: 'storage', age: 30 * day },
      { spec: { hard }, status: { hard, used: { persistentvolumeclaims: '1', 'requests.storage': '20Gi' } } },
    ),
    event(clock, orders, {
      type: 'Warning',
      reason: 'FailedCreate',
      message: `Create Claim data-orders-1 for Pod orders-1 in StatefulSet orders failed error: ${refusal}`,
      from: 'statefulset-controller',
      first: 55,
      last: 6,
      count: 14,
    }),
    event(clock, orders, {
      type: 'Warning',
      reason: 'FailedCreate',
      message: `Create Pod orders-1 in StatefulSet orders failed error: failed to create PVC data-orders-1: ${refusal}`,
      from: 'statefulset-controller',
      first: 55,
      last: 6,
      count: 14,
    }),
  ];
}

/** pv-capacity-too-small: one volume is a little too small, the other large enough but for one writer only. */
function tooSmallVolume(clock: DemoClock): readonly RawObject[] {
  const landing = claim(clock, {
    namespace: 'data',
    name: 'landing',
    age: 3 * 60,
    size: '100Gi',
    className: 'filer',
    modes: ['ReadWriteMany'],
  });
  return [
    landing,
    staticVolume(clock, {
      name: 'filer-landing',
      className: 'filer',
      size: '100G',
      modes: ['ReadWriteMany', 'ReadWriteOnce'],
      age: 3 * 60 + 12,
      phase: 'Available',
    }),
    staticVolume(clock, {
      name: 'filer-scratch',
      className: 'filer',
      size: '500Gi',
      modes: ['ReadWriteOnce'],
      age: 20 * day,
      phase: 'Available',
    }),
    event(clock, landing, {
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message: 'no volume plugin matched name: kubernetes.io/no-provisioner',
      from: controller,
      first: 58,
      last: 0.2,
      count: 232,
    }),
  ];
}

/** pv-released-stale-claimref: the claim was recreated, and the volume still belongs to the old one. */
function releasedVolume(clock: DemoClock): readonly RawObject[] {
  const legacy = claim(clock, { namespace: 'data', name: 'legacy', age: 76, size: '200Gi', className: 'manual' });
  const before = {
    namespace: 'data',
    name: 'legacy',
    uid: uidOf('PersistentVolumeClaim', 'data', 'legacy, the first'),
    resourceVersion: '3120',
  };
  return [
    legacy,
    staticVolume(clock, {
      name: 'legacy-disk',
      className: 'manual',
      size: '200Gi',
      modes: ['ReadWriteOnce'],
      age: 90 * day,
      phase: 'Released',
      claimRef: before,
    }),
    event(clock, legacy, {
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message: 'no volume plugin matched name: kubernetes.io/no-provisioner',
      from: controller,
      first: 58,
      last: 0.2,
      count: 232,
    }),
  ];
}

/** pvc-lost-pv-deleted: it happened two days ago, and every event of it has expired. */
function lostVolume(clock: DemoClock): readonly RawObject[] {
  const volumeName = `pvc-${uidOf('PersistentVolumeClaim', 'data', 'ledger')}`;
  const message =
    '0/3 nodes are available: persistentvolumeclaim "ledger" bound to non-existent persistentvolume ' +
    `"${volumeName}". not found`;
  return [
    claim(clock, {
      namespace: 'data',
      name: 'ledger',
      age: 60 * day,
      size: '40Gi',
      className: 'fast-immediate',
      phase: 'Lost',
      volumeName,
    }),
    ...unschedulablePod(clock, {
      namespace: 'data',
      name: 'ledger-0',
      age: 2 * day,
      claims: { data: 'ledger' },
      unschedulable: message,
    }),
  ];
}

/** pvc-volumename-not-found: no controller reports anything about it. */
function absentVolume(clock: DemoClock): readonly RawObject[] {
  return [
    claim(clock, {
      namespace: 'shop',
      name: 'invoices',
      age: 5 * 60,
      size: '8Gi',
      className: '',
      volumeName: 'invoices-2023',
    }),
  ];
}
