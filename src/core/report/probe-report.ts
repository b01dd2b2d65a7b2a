import type { Amount } from '../kube/volume-usage.ts';
import type { Fix, Unread } from './report.ts';

export type ProbeStatus = 'ready' | 'initialising' | 'unhealthy' | 'unreachable' | 'unknown';
export type ProbeStage = 'stat' | 'connect' | 'http2' | 'rpc' | 'decode' | 'semantic';
/** By which way the driver was asked. */
export type ProbeVia = 'socket' | 'healthz' | 'exec' | 'pod' | 'objects';

/** What can be wrong, as ids that are never renamed or reused. */
export const probeFailures = [
  'socket-missing',
  'parent-not-directory',
  'socket-stale',
  'not-a-socket',
  'permission-denied',
  'wrong-socket-type',
  'backlog-full',
  'path-too-long',
  'handshake-hang',
  'closed-at-once',
  'tls-expected',
  'http1-server',
  'not-http2',
  'http2-not-grpc',
  'no-grpc-status',
  'stream-refused',
  'connection-dropped',
  'service-absent',
  'registration-socket',
  'csi-v0',
  'probe-unimplemented',
  'not-ready',
  'failed-precondition',
  'rpc-hang',
  'driver-error',
  'name-empty',
  'name-invalid',
  'name-mismatch',
  'version-empty',
  'nodeid-invalid',
  'response-too-large',
  'malformed-response',
  'invalid-utf8',
  'tcp-refused',
  'host-not-found',
  'exec-no-tool',
  'exec-forbidden',
  // Seen from outside the pod, where fewer failures can be distinguished.
  'no-connection',
  'container-not-running',
  'not-registered',
] as const;
export type ProbeFailure = (typeof probeFailures)[number];

/** Those that only a way into a cluster can end in. */
export const clusterFailures = [
  'exec-no-tool',
  'exec-forbidden',
  'no-connection',
  'container-not-running',
  'not-registered',
] as const satisfies readonly ProbeFailure[];

/** controller: creates and attaches volumes. node: mounts them. One pod may be both. */
export type ProbeRole = 'controller' | 'node';

/** A way that leads to the driver, and what came of it. */
export interface ProbeRoute {
  readonly via: ProbeVia;
  /**
   * answered: it gave an answer. forbidden: this user may not use it. impossible: it does not lead to the driver.
   * failed: it was tried without success. not-asked: it needs a flag that was not given.
   */
  readonly outcome: 'answered' | 'forbidden' | 'impossible' | 'failed' | 'not-asked';
  readonly note: string;
}

/** What the driver reports to support; a group is absent if it was not queried or is not served here. */
export interface ProbeCapabilities {
  readonly plugin?: readonly string[];
  readonly expansion?: readonly string[];
  readonly controller?: readonly string[];
  readonly groupController?: readonly string[];
  readonly node?: readonly string[];
  /** The object protocols of a driver for object storage. */
  readonly object?: readonly string[];
  /** The Kubernetes access modes that depend on a capability. */
  readonly accessModes?: readonly string[];
}

export interface ProbeCall {
  readonly method: string;
  /** The name of the gRPC status, OK when all went well. */
  readonly code: string;
  readonly latencyMs: number;
  /** What was answered, in a few words, or the driver's own message. */
  readonly note?: string;
}

/** How full a published volume is, as its driver measures it. */
export interface ProbeVolume {
  /** The name of its PersistentVolume. */
  readonly volume: string;
  /** Where the kubelet has it mounted. */
  readonly path: string;
  readonly bytes?: Amount;
  readonly inodes?: Amount;
  /** What the driver reports to be wrong with the volume. */
  readonly abnormal?: string;
  /** Why it was not measured; such a volume may be full. */
  readonly error?: string;
}

export interface ProbeItem {
  readonly endpoint: string;
  readonly via: ProbeVia;
  readonly protocol: 'csi' | 'registration' | 'cosi';
  readonly node?: string;
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  /** In a cluster: what this pod of the driver is for. */
  readonly roles?: readonly ProbeRole[];
  readonly driver?: string;
  readonly version?: string;
  readonly status: ProbeStatus;
  readonly failure?: ProbeFailure;
  /** Where it ended; absent when all stages were passed. */
  readonly stage?: ProbeStage;
  /** The name of the gRPC status behind the failure. */
  readonly code?: string;
  readonly summary: string;
  readonly latencyMs?: number;
  /** What is unusual without being a failure. */
  readonly notes: readonly string[];
  readonly calls: readonly ProbeCall[];
  readonly capabilities?: ProbeCapabilities;
  readonly nodeInfo?: {
    readonly nodeId: string;
    readonly maxVolumes: number;
    readonly topology: Readonly<Record<string, string>>;
  };
  /** With --deep on a node: the volumes that are mounted there. */
  readonly volumes?: readonly ProbeVolume[];
  readonly registration?: {
    readonly type: string;
    readonly name: string;
    readonly endpoint: string;
    readonly supportedVersions: readonly string[];
  };
  /** In a cluster: the ways to the driver in the order in which they were tried. */
  readonly routes?: readonly ProbeRoute[];
  readonly drift: readonly string[];
  readonly fix: readonly Fix[];
}

export interface ProbeReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'ProbeReport';
  readonly takenAt: string;
  readonly items: readonly ProbeItem[];
  /** What could not be read of the cluster and would have shown more. */
  readonly unread?: readonly Unread[];
  readonly summary: Readonly<Record<ProbeStatus, number>>;
}

export function probeReportOf(
  items: readonly ProbeItem[],
  takenAt: string,
  unread: readonly Unread[] = [],
): ProbeReport {
  const summary: Record<ProbeStatus, number> = { ready: 0, initialising: 0, unhealthy: 0, unreachable: 0, unknown: 0 };
  for (const item of items) summary[item.status] += 1;
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'ProbeReport',
    takenAt,
    items: items.map(inOrder),
    ...(unread.length > 0 && { unread }),
    summary,
  };
}

const fieldOrder: readonly (keyof ProbeItem)[] = [
  'endpoint',
  'via',
  'protocol',
  'roles',
  'node',
  'namespace',
  'pod',
  'container',
  'driver',
  'version',
  'status',
  'failure',
  'stage',
  'code',
  'summary',
  'latencyMs',
  'notes',
  'calls',
  'capabilities',
  'nodeInfo',
  'volumes',
  'registration',
  'routes',
  'drift',
  'fix',
];

/**
 * The order of the fields in JSON: name and result first, details after them, independent of the order in which they
 * were found.
 */
function inOrder(item: ProbeItem): ProbeItem {
  return Object.fromEntries(
    fieldOrder.filter((field) => item[field] !== undefined).map((field) => [field, item[field]]),
  ) as unknown as ProbeItem;
}
