import type { RawObject } from '../../core/kube/snapshot.ts';
import { object, schedulerEvent, uidOf } from './builders.ts';
import type { DemoClock } from './builders.ts';

export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly age: number;
  /** Volume name → claim name. */
  readonly claims?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly containers?: readonly string[];
  /** Container name → arguments. */
  readonly args?: Readonly<Record<string, readonly string[]>>;
  /** Volumes from the node, which every container mounts: name → path. */
  readonly hostPaths?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owner?: RawObject;
  /** More of the spec, such as a nodeSelector. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Why the scheduler found no node. */
  readonly unschedulable?: string;
  readonly gated?: boolean;
}

const addresses: Readonly<Record<string, string>> = {
  'worker-1': '192.0.2.11',
  'worker-2': '192.0.2.12',
  'worker-3': '192.0.2.13',
};
const stayAWhile = ['not-ready', 'unreachable'].map((key) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

const sidecarVersions: Readonly<Record<string, string>> = {
  'csi-provisioner': 'v6.3.0',
  'csi-attacher': 'v4.12.0',
  'csi-resizer': 'v2.2.1',
  'csi-snapshotter': 'v8.6.0',
  'snapshot-controller': 'v8.6.0',
  'csi-node-driver-registrar': 'v2.17.0',
  'liveness-probe': 'v2.19.0',
};

export function imageOf(container: string): string {
  const version = sidecarVersions[container];
  return version === undefined
    ? `example/${container}:1.4`
    : `sig-storage/${container === 'liveness-probe' ? 'livenessprobe' : container}:${version}`;
}

export function mountsOf(hostPaths: Readonly<Record<string, string>>): Record<string, unknown>[] {
  return Object.keys(hostPaths).map((volume) => ({
    mountPath: volume === 'socket-dir' ? '/csi' : `/${volume}`,
    name: volume,
  }));
}

export function hostVolume([name, path]: readonly [string, string]): Record<string, unknown> {
  return path === '' ? { name, emptyDir: {} } : { name, hostPath: { path, type: 'DirectoryOrCreate' } };
}

export function pod(clock: DemoClock, facts: PodFacts): RawObject {
  const { containers = ['main'], node } = facts;
  const uid = uidOf('Pod', facts.namespace, facts.name);
  const access = `kube-api-access-${uid.slice(0, 5)}`;
  const mounts = [
    ...Object.keys(facts.claims ?? {}).map((volume) => ({ mountPath: `/var/lib/${volume}`, name: volume })),
    ...mountsOf(facts.hostPaths ?? {}),
    { mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', name: access, readOnly: true },
  ];
  return object(
    clock,
    {
      kind: 'Pod',
      apiVersion: 'v1',
      namespace: facts.namespace,
      name: facts.name,
      age: facts.age,
      labels: facts.labels ?? { app: facts.name.replace(/-\d+$/, '') },
      ...(facts.owner === undefined ? {} : { owner: facts.owner }),
    },
    {
      spec: {
        containers: containers.map((container) => ({
          image: imageOf(container),
          imagePullPolicy: 'IfNotPresent',
          ...(facts.args?.[container] === undefined ? {} : { args: facts.args[container] }),
          name: container,
          resources: { requests: { cpu: facts.cpu ?? '50m', memory: '64Mi' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          volumeMounts: mounts,
        })),
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
        ...(node === undefined ? {} : { nodeName: node }),
        preemptionPolicy: 'PreemptLowerPriority',
        priority: 0,
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        serviceAccount: 'default',
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 30,
        tolerations: stayAWhile,
        volumes: [
          ...Object.entries(facts.claims ?? {}).map(([name, claimName]) => ({
            name,
            persistentVolumeClaim: { claimName },
          })),
          ...Object.entries(facts.hostPaths ?? {}).map(hostVolume),
          apiAccess(access),
        ],
        ...facts.spec,
      },
      status: node === undefined ? waiting(clock, facts) : running(clock, facts, node, containers),
    },
  );
}

/** A pod that no node could take, with the scheduler's event; the condition keeps the same message. */
export function unschedulablePod(
  clock: DemoClock,
  facts: PodFacts & { readonly unschedulable: string },
): readonly RawObject[] {
  const waits = pod(clock, facts);
  // Events live an hour: of an older pod only the last repetition is left.
  const at = Math.min(facts.age, 50);
  return [
    waits,
    schedulerEvent(clock, waits, {
      type: 'Warning',
      reason: 'FailedScheduling',
      message: facts.unschedulable,
      at,
      ...(at > 5 ? { repeats: Math.ceil(at / 5) } : {}),
    }),
  ];
}

/** The end of most of the scheduler's messages. */
export function noNode(reasons: string, nodes = 3): string {
  return (
    `0/${nodes} nodes are available: ${reasons}. ` +
    `no new claims to deallocate, preemption: 0/${nodes} nodes are available: ` +
    `${nodes} Preemption is not helpful for scheduling.`
  );
}

export const unboundImmediate = '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';

function waiting(clock: DemoClock, facts: PodFacts): Record<string, unknown> {
  const reason = facts.gated === true ? 'SchedulingGated' : 'Unschedulable';
  const message =
    facts.gated === true ? 'Scheduling is blocked due to non-empty scheduling gates' : (facts.unschedulable ?? '');
  return {
    conditions: [
      {
        lastProbeTime: null,
        lastTransitionTime: clock.ago(facts.age),
        message,
        observedGeneration: 1,
        reason,
        status: 'False',
        type: 'PodScheduled',
      },
    ],
    phase: 'Pending',
    qosClass: 'Burstable',
  };
}

function running(
  clock: DemoClock,
  facts: PodFacts,
  node: string,
  containers: readonly string[],
): Record<string, unknown> {
  const since = Math.max(0, facts.age - 0.3);
  const address = `10.0.${node.slice(-1)}.${(Number.parseInt(uidOf('Pod', facts.namespace, facts.name).slice(0, 2), 16) % 200) + 10}`;
  return {
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        lastProbeTime: null,
        lastTransitionTime: clock.ago(type === 'PodScheduled' || type === 'Initialized' ? facts.age : since),
        observedGeneration: 1,
        status: 'True',
        type,
      }),
    ),
    containerStatuses: containers.map((name) => ({
      image: imageOf(name),
      lastState: {},
      name,
      ready: true,
      restartCount: 0,
      started: true,
      state: { running: { startedAt: clock.ago(since) } },
    })),
    hostIP: addresses[node],
    phase: 'Running',
    podIP: address,
    podIPs: [{ ip: address }],
    qosClass: 'Burstable',
    startTime: clock.ago(facts.age),
  };
}

function apiAccess(name: string): Record<string, unknown> {
  return {
    name,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { items: [{ key: 'ca.crt', path: 'ca.crt' }], name: 'kube-root-ca.crt' } },
        {
          downwardAPI: {
            items: [{ fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' }, path: 'namespace' }],
          },
        },
      ],
    },
  };
}
