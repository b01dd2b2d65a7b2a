import type { Pod } from '../../kube/kinds.ts';
import type { LeaderLease } from './driver-lease.ts';
import type { Workload } from './driver-pods.ts';
import type { Listing } from '../../graph/inquiry.ts';

/** What makes the pods of a controller; the object only where it was read. */
export interface ControllerWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly object?: Workload;
}

/** Whatever shows whether a controller lives: a sidecar of a driver, or the snapshot controller. */
export interface Controller {
  readonly lease: LeaderLease;
  /** Its pods; complete means that there are no others where it lives, or that it lives nowhere. */
  readonly pods: Listing<Pod>;
  readonly workload?: ControllerWorkload;
}
