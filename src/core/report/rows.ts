import type { FieldSelector } from '../kube/field-path.ts';
import type { Kind } from '../kube/kinds.ts';
import type { Status, Unread } from './report.ts';
import type { Source } from '../kube/snapshot.ts';
import type { AttachmentState } from './status.ts';

/** What every row of `get` has. */
export interface RowBase {
  /** The cluster, where rows are of several. */
  readonly context?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly createdAt?: string;
  /** When its deletion was requested. */
  readonly deletedAt?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Fields that could not be read. They are left out, or hold only what is known. */
  readonly unknown?: readonly string[];
  /** In a watch: it no longer exists, and this is how it last was. */
  readonly isGone?: boolean;
}

export interface ObjectName {
  readonly context?: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface RowPod extends ObjectName {
  readonly phase?: string;
  readonly node?: string;
}

export interface RowAttachment {
  readonly name: string;
  readonly node: string;
  readonly state: AttachmentState;
  readonly error?: string;
}

/**
 * What the diagnosis says about a row. Both fields are absent for what is healthy; `unknown` lists the cause that could
 * not be found.
 */
interface RowVerdict {
  /** blocked: stuck. waiting: expected, and nothing has to be done. */
  readonly verdict?: Exclude<Status, 'healthy'>;
  /** The id of the cause, as `why` names it. */
  readonly cause?: string;
}

export interface ClaimRow extends RowBase, RowVerdict {
  /** Bound; Bound,Resizing; Terminating. */
  readonly status: string;
  readonly phase: string;
  readonly volume?: string;
  readonly capacity?: string;
  readonly requested?: string;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  readonly storageClass?: string;
  readonly attributesClass?: string;
  readonly driver?: string;
  /** What kind of volume it is where no driver serves it: nfs, hostPath. */
  readonly plugin?: string;
  readonly reclaimPolicy?: string;
  readonly volumeHandle?: string;
  /** Whether volumes of this kind are attached to nodes at all. */
  readonly isAttachable?: boolean;
  readonly attachments: readonly RowAttachment[];
  /** Those that use it and are not over. */
  readonly pods: readonly RowPod[];
  /** How full its volume was measured to be; `unknown` lists it where that was asked and nothing has measured it. */
  readonly usage?: RowUsage;
}

/** How full a volume is, and the source of the measurement. */
export interface RowUsage {
  readonly source: string;
  readonly at?: string;
  readonly bytes?: RowAmount;
  readonly inodes?: RowAmount;
  /** At the rate of the last hours, from Prometheus only. */
  readonly fullInSeconds?: number;
}

export interface RowAmount {
  readonly total: number;
  readonly used: number;
  readonly free: number;
  /** Of what can be used, rounded down. */
  readonly percent: number;
}

/** A pod that has claims or other volumes of CSI drivers. */
export interface PodRow extends RowBase, RowVerdict {
  /** As kubectl shows it: Running; ContainerCreating; Terminating. */
  readonly status: string;
  readonly phase: string;
  readonly node?: string;
  /** The claims that it uses, in its own namespace. */
  readonly claims: readonly string[];
  /** The drivers of volumes that the pod's own spec defines. */
  readonly inlineDrivers: readonly string[];
  readonly isReady: boolean;
}

export interface VolumeRow extends RowBase {
  readonly status: string;
  readonly phase: string;
  readonly reason?: string;
  readonly message?: string;
  readonly capacity?: string;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  readonly reclaimPolicy?: string;
  readonly claim?: ObjectName;
  readonly storageClass?: string;
  readonly attributesClass?: string;
  readonly driver?: string;
  readonly plugin?: string;
  readonly volumeHandle?: string;
  readonly isAttachable?: boolean;
  readonly attachments: readonly RowAttachment[];
  /** Which nodes reach it, in words. */
  readonly reach: string;
}

export interface ClassRow extends RowBase {
  readonly isDefault: boolean;
  readonly provisioner: string;
  /** The driver that does the work; absent for a class that provisions nothing or is served within Kubernetes. */
  readonly driver?: string;
  readonly isInstalled?: boolean;
  readonly registeredNodes?: number;
  readonly nodes?: number;
  readonly reclaimPolicy: string;
  readonly bindingMode: string;
  readonly allowsExpansion: boolean;
  readonly features: readonly string[];
  readonly claims?: number;
  readonly mountOptions: readonly string[];
  readonly allowedTopologies: readonly string[];
}

export interface CsiNodeDriver {
  readonly name: string;
  readonly nodeId?: string;
  /** Absent if it could not be counted. */
  readonly used?: number;
  /** Absent: the driver sets none. */
  readonly limit?: number;
  /** The value is empty where the node lacks the label. */
  readonly topology: Readonly<Record<string, string>>;
}

export interface CsiNodeRow extends RowBase {
  /** Of the node: Ready; NotReady,SchedulingDisabled; Missing. */
  readonly status?: string;
  readonly drivers: readonly CsiNodeDriver[];
}

export interface AttachmentRow extends RowBase {
  readonly state: AttachmentState;
  readonly isAttached: boolean;
  readonly volume?: string;
  readonly isInline: boolean;
  readonly claim?: ObjectName;
  readonly node: string;
  readonly driver: string;
  /** Those on the node that use the claim. */
  readonly pods: readonly RowPod[];
  readonly error?: string;
  readonly errorAt?: string;
}

export interface DriverSidecar {
  /** provisioner, attacher, …, registrar. */
  readonly role: string;
  readonly place: 'controller' | 'node';
  readonly version?: string;
  readonly state: 'works' | 'down' | 'unknown';
  readonly leader?: string;
  readonly why?: string;
}

export interface DriverRow extends RowBase {
  /** There is a CSIDriver object; without one a driver may still be registered on nodes. */
  readonly isDeclared?: boolean;
  readonly version?: string;
  readonly isAttachRequired?: boolean;
  readonly features: readonly string[];
  readonly lifecycleModes: readonly string[];
  readonly fsGroupPolicy?: string;
  readonly controller: 'works' | 'down' | 'none' | 'unknown';
  readonly controllerPods?: { readonly ready: number; readonly total: number };
  readonly controllerNamespace?: string;
  readonly leader?: string;
  readonly sidecars: readonly DriverSidecar[];
  readonly registeredNodes?: number;
  readonly nodes?: number;
  readonly classes: readonly string[];
  readonly volumes?: number;
}

export interface SnapshotRow extends RowBase {
  readonly isReady?: boolean;
  readonly sourceClaim?: string;
  readonly sourceContent?: string;
  readonly content?: string;
  readonly snapshotClass?: string;
  readonly restoreSize?: string;
  readonly driver?: string;
  readonly deletionPolicy?: string;
  readonly snapshotHandle?: string;
  /** When the storage took it. */
  readonly takenAt?: string;
  readonly error?: string;
  readonly errorAt?: string;
}

/** An access to a bucket, and whether its credentials have been written. */
export interface RowAccess {
  readonly name: string;
  readonly isGranted: boolean;
}

interface ObjectStorageRow extends RowBase, RowVerdict {
  /** Ready, Pending or Terminating. */
  readonly status: string;
  readonly bucketClass?: string;
  readonly driver?: string;
  readonly protocols: readonly string[];
  readonly accesses: readonly RowAccess[];
}

export interface BucketClaimRow extends ObjectStorageRow {
  readonly bucket?: string;
}

export interface BucketRow extends ObjectStorageRow {
  readonly claim?: ObjectName;
  readonly deletionPolicy?: string;
  /** What the driver calls the bucket on the storage. */
  readonly bucketId?: string;
}

export interface CapacityRow extends RowBase {
  readonly storageClass: string;
  readonly driver?: string;
  /** The nodes that reach the space, in words. */
  readonly segment: string;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
  /** How many nodes reach it. */
  readonly nodes?: number;
}

export interface RowOf {
  PersistentVolumeClaim: ClaimRow;
  Pod: PodRow;
  PersistentVolume: VolumeRow;
  StorageClass: ClassRow;
  CSINode: CsiNodeRow;
  VolumeAttachment: AttachmentRow;
  CSIDriver: DriverRow;
  VolumeSnapshot: SnapshotRow;
  CSIStorageCapacity: CapacityRow;
  BucketClaim: BucketClaimRow;
  Bucket: BucketRow;
}
export type RowKind = keyof RowOf;
export type Row = RowOf[RowKind];

/** How a list of one kind is called in structured output and in a sentence. */
export const rowKinds: Readonly<
  Record<
    RowKind,
    {
      readonly list: string;
      readonly noun: string;
      /** The type as the usage of `get` writes it. */ readonly type: string;
    }
  >
> = {
  PersistentVolumeClaim: { list: 'ClaimList', noun: 'claims', type: 'pvc' },
  Pod: { list: 'PodList', noun: 'pods with volumes of claims or drivers', type: 'pods' },
  PersistentVolume: { list: 'VolumeList', noun: 'volumes', type: 'pv' },
  StorageClass: { list: 'ClassList', noun: 'storage classes', type: 'sc' },
  CSINode: { list: 'NodeList', noun: 'nodes with CSI drivers', type: 'csinodes' },
  VolumeAttachment: { list: 'AttachmentList', noun: 'attachments', type: 'attachments' },
  CSIDriver: { list: 'DriverList', noun: 'drivers', type: 'drivers' },
  VolumeSnapshot: { list: 'SnapshotList', noun: 'snapshots', type: 'snapshots' },
  CSIStorageCapacity: { list: 'CapacityList', noun: 'storage capacities', type: 'capacity' },
  BucketClaim: { list: 'BucketClaimList', noun: 'bucket claims', type: 'bucketclaims' },
  Bucket: { list: 'BucketList', noun: 'buckets', type: 'buckets' },
};

export function isRowKind(kind: Kind): kind is RowKind {
  return Object.hasOwn(rowKinds, kind);
}

/** One list of `get -o json`, a stable contract. */
export interface RowList {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: string;
  readonly takenAt: string;
  readonly source: Source;
  readonly items: readonly Row[];
  readonly unread?: readonly Unread[];
}

/** What is asked of one kind; without names, all of it in the namespace, or everywhere. */
export interface RowQuestion {
  readonly kind: RowKind;
  readonly names: readonly string[];
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: FieldSelector;
}

/** names: only what the objects themselves are called. usual and wide: what the table of that name shows. */
export type RowDetail = 'names' | 'usual' | 'wide';
