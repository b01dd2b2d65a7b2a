import type { ProbeFailure, ProbeRole, ProbeStatus } from './probe-report.ts';
import type { Fix } from './report.ts';

/** A component that calls the driver and stops waiting after a while. */
export interface CallerPatience {
  /** Completes "which is longer than … waits". */
  readonly caller: string;
  readonly milliseconds: number;
  /** Set nowhere: the default of the component. */
  readonly isDefault: boolean;
}

/** The sidecar that probes the driver and reports its health over HTTP. */
export interface HealthListener {
  readonly container: string;
  readonly port: number;
  /** On the loopback address of the pod only. */
  readonly isLocal: boolean;
  readonly isRunning: boolean;
  /** Milliseconds that it has been running, where known. */
  readonly runningMs?: number;
}

/** What the objects of the cluster prove about a driver without calling it. */
export interface ObjectsVerdict {
  readonly status: ProbeStatus;
  readonly failure?: ProbeFailure;
  readonly summary: string;
  readonly fix: readonly Fix[];
}

/** One driver in one pod; or on one node, where no pod of it is known. */
export interface DriverPlace {
  readonly driver: string;
  readonly roles: readonly ProbeRole[];
  readonly node?: string;
  readonly namespace?: string;
  readonly pod?: string;
  /** The container of the driver, not of a sidecar. */
  readonly container?: string;
  /** The path of its socket in that container. */
  readonly socket?: string;
  /** The same socket on the node, if it is in a directory of the node. */
  readonly hostSocket?: string;
  /** An endpoint that is no socket of a file system, as it was written. */
  readonly address?: string;
  /** The container of the driver is running, as far as the kubelet reported. */
  readonly isRunning: boolean;
  /** Milliseconds that its container has been running, where known. */
  readonly runningMs?: number;
  /** It has ended before, and its log of that time is there. */
  readonly hasEnded: boolean;
  readonly health?: HealthListener;
  readonly callers: readonly CallerPatience[];
  /** What the objects show, one sentence each. */
  readonly known: readonly string[];
  readonly verdict: ObjectsVerdict;
}

export interface EndpointQuestion {
  /** None: all drivers of the cluster. */
  readonly drivers: readonly string[];
  /** None: all nodes, and the controllers. */
  readonly nodes: readonly string[];
}

export interface DriverEndpoints {
  readonly places: readonly DriverPlace[];
  /** Every driver and every node that is known, for names that nothing has. */
  readonly driverNames: readonly string[];
  readonly nodeNames: readonly string[];
  /** Named in the question, and proven not to exist. */
  readonly missingDrivers: readonly string[];
  readonly missingNodes: readonly string[];
}
