import type { ObjectRef, Report, Unread } from './report.ts';
import type { Source } from '../kube/snapshot.ts';

/** How much of a kind could be read. A count of `some` is a lower bound, and `none` has no count. */
export type Extent = 'all' | 'some' | 'none';

export interface Counts<State extends string> {
  readonly extent: Extent;
  readonly total?: number;
  /** Only states that occur. */
  readonly states: Readonly<Partial<Record<State, number>>>;
  /** How many of them the server counted without sending them. */
  readonly countedOnly?: number;
}

/**
 * waiting: pending by design. stuck: pending and proven blocked. pending: pending, and it is not known which of the
 * two.
 */
export const claimStates = [
  'bound',
  'resizing',
  'modifying',
  'waiting',
  'stuck',
  'pending',
  'lost',
  'terminating',
] as const;
export const volumeStates = ['bound', 'available', 'pending', 'released', 'failed', 'terminating'] as const;
export const attachmentStates = ['attached', 'attaching', 'failed', 'detaching'] as const;
export const snapshotStates = ['ready', 'inProgress', 'failed', 'terminating'] as const;
export type ClaimState = (typeof claimStates)[number];
export type VolumeState = (typeof volumeStates)[number];
export type AttachmentState = (typeof attachmentStates)[number];
export type SnapshotState = (typeof snapshotStates)[number];

/** The leader, by the lease. */
export interface Leader {
  readonly holder: string;
  /** The pod of that name was seen. */
  readonly isPod: boolean;
  readonly since?: string;
}

interface StaleLease {
  readonly name: string;
  readonly namespace?: string;
  readonly holder?: string;
  readonly renewedAt?: string;
}

export interface SidecarStatus {
  /** provisioner, attacher, …, livenessprobe, registrar. */
  readonly role: string;
  readonly place: 'controller' | 'node';
  readonly state: 'works' | 'down' | 'unknown';
  readonly image?: string;
  readonly version?: string;
  readonly leader?: Leader;
  readonly staleLease?: StaleLease;
  /** Why it is down; completes "the attacher of X …". */
  readonly why?: string;
}

export interface ControllerStatus {
  /** none: the driver has no controller, as far as everything could be read. */
  readonly state: 'works' | 'down' | 'none' | 'unknown';
  readonly namespace?: string;
  /** `deployment/NAME`. */
  readonly workload?: string;
  readonly pods?: { readonly ready: number; readonly total: number };
}

/**
 * A driver on one node. missing: it should be there and is not registered. notReady: its plugin does not run well.
 * excluded: its DaemonSet avoids the node. absent: not registered, and nothing shows that it should be.
 */
export type PlacementState = 'ready' | 'notReady' | 'missing' | 'excluded' | 'absent' | 'unknown';

export interface Placement {
  readonly node: string;
  readonly state: PlacementState;
  readonly isRegistered?: boolean;
  readonly pod?: ObjectRef;
  readonly why?: string;
  readonly slots?: Slots;
}

export interface Slots {
  readonly limit: number;
  /** Absent if it could not be counted. */
  readonly used?: number;
  readonly level: 'free' | 'near' | 'full' | 'unknown';
}

export interface DriverStatus {
  readonly context?: string;
  readonly name: string;
  readonly state: 'works' | 'trouble' | 'unknown';
  readonly isInstalled?: boolean;
  readonly version?: string;
  /** Versions of the node plugin other than `version`. */
  readonly otherVersions: readonly string[];
  readonly classes: readonly string[];
  readonly controller: ControllerStatus;
  readonly sidecars: readonly SidecarStatus[];
  /** Whether the placements show on which nodes the driver is; false if registrations could not be read. */
  readonly placed: Extent;
  readonly placements: readonly Placement[];
  readonly verdict?: {
    readonly status: 'blocked' | 'waiting' | 'healthy' | 'unknown';
    readonly cause?: string;
    readonly summary: string;
  };
}

export interface NodeStatus {
  readonly context?: string;
  readonly name: string;
  readonly state: 'ready' | 'notReady' | 'unknown';
  readonly isCordoned: boolean;
  readonly why?: string;
}

export interface CapacityStatus {
  readonly context?: string;
  readonly storageClass: string;
  readonly driver?: string;
  /** The labels of the nodes that reach it, in words; `every node` for an empty topology. */
  readonly segment: string;
  readonly capacity?: string;
  readonly largestVolume?: string;
  readonly level: 'enough' | 'low' | 'none';
  readonly why?: string;
}

/** What is stuck for one cause. */
export interface StuckCause {
  readonly status: 'blocked' | 'unknown' | 'waiting';
  readonly cause?: string;
  readonly summary: string;
  readonly targets: readonly ObjectRef[];
  /** The clusters in which it is, where a status is about several. */
  readonly contexts?: readonly string[];
  /** When the latest of them got stuck. */
  readonly since?: string;
  /** When the first of them got stuck. */
  readonly oldest?: string;
  /** The command that shows more. */
  readonly command: string;
}

/** How full a volume was measured to be. */
export interface VolumeFullness {
  readonly context?: string;
  readonly namespace: string;
  readonly claim: string;
  readonly level: 'full' | 'near' | 'enough';
  readonly percent?: number;
  readonly inodesPercent?: number;
  /** `4.9Gi of 5Gi`. */
  readonly used?: string;
  readonly fullInSeconds?: number;
  readonly source: string;
}

export interface UsageStatus {
  readonly measured: number;
  /** Mounted, and measured by no source. */
  readonly unmeasured: number;
  readonly sources: readonly string[];
  /** The fullest first. */
  readonly fullest: readonly VolumeFullness[];
}

export interface Status {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'Status';
  readonly takenAt: string;
  readonly source: Source;
  readonly serverVersion?: string;
  /** Absent: the whole cluster. */
  readonly namespace?: string;
  readonly driversKnown: Extent;
  readonly drivers: readonly DriverStatus[];
  readonly nodesKnown: Extent;
  readonly nodes: readonly NodeStatus[];
  readonly capacityKnown: Extent;
  readonly capacity: readonly CapacityStatus[];
  /** Present only on request. */
  readonly usage?: UsageStatus;
  readonly claims: Counts<ClaimState>;
  readonly volumes: Counts<VolumeState>;
  readonly attachments: Counts<AttachmentState>;
  readonly snapshots: Counts<SnapshotState>;
  /** Whether everything could be searched for stuck objects. */
  readonly isSearched: boolean;
  readonly stuck: readonly StuckCause[];
  readonly waiting: readonly StuckCause[];
  readonly unread: readonly Unread[];
  readonly summary: Report['summary'];
}
