import type { Node, Pod } from '../../kube/kinds.ts';
import type { LeaderLease } from './driver-lease.ts';
import type { Workload } from './driver-pods.ts';
import type { Listing, Lookup } from '../../graph/inquiry.ts';

/** The workload that creates the pods of a controller; the object only if it was read. */
export interface ControllerWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object?: Workload;
}

/** What shows whether a controller is alive: a sidecar of a driver, or the snapshot controller. */
export interface Controller {
  readonly lease: LeaderLease;
  /** Its pods; complete means that its namespace has no others, or that it is deployed nowhere. */
  readonly pods: Listing<Pod>;
  readonly workload?: ControllerWorkload;
  /** The nodes of the cluster, where a pod of it has none. */
  readonly nodes?: readonly Node[];
  /** The only pod that is left, where it is being deleted. */
  readonly leaving?: LeavingPod;
}

/** A pod that is being deleted; until it has ended, a StatefulSet or DaemonSet creates no other in its place. */
export interface LeavingPod {
  readonly pod: Pod;
  readonly node: Lookup<Node> | undefined;
  /** Its time to end is over. */
  readonly isOverdue: boolean;
}
