import { posix } from 'node:path';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { RouteResult } from './cluster-words.ts';
import { rightsOf, rightText } from './ways.ts';
import type { PodName } from './pod-conversation.ts';
import type { Ways } from './ways.ts';

export interface ProbePodOptions {
  readonly image: string;
  /** A mark of this run, so that it never deletes the pods of another one. */
  readonly run: string;
  /** How long a pod may take to start. */
  readonly startMs: number;
}

/** The label by which the pods of all runs are found. */
export const probeLabel = 'csi.kubectl.dev/probe';
/** The kubelet ends the pod after this if it was not deleted. */
const lifeSeconds = 180;
export const probeContainer = 'probe';
const mountRoot = '/probe';

/** The path in the pod of a socket on the node. */
export const socketInPod = (hostSocket: string, directories: readonly string[]): string =>
  `${mountRoot}/${directories.indexOf(posix.dirname(hostSocket))}/${posix.basename(hostSocket)}`;

/**
 * A pod that waits on one node and can do nothing but connect: no host network, no token, no capability, the
 * directories of the sockets read-only. The cluster's own scheduler places it, and `type: Directory` keeps the kubelet
 * from creating a directory.
 */
export function probePod(
  { namespace, name }: PodName,
  node: string,
  directories: readonly string[],
  { image, run }: ProbePodOptions,
): RawObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { [probeLabel]: run, 'app.kubernetes.io/managed-by': 'kubectl-csi' } },
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
          },
        },
      },
      tolerations: [{ operator: 'Exists' }],
      restartPolicy: 'Never',
      activeDeadlineSeconds: lifeSeconds,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [containerOf(image, directories)],
      volumes: directories.map((path, index) => ({ name: `sockets-${index}`, hostPath: { path, type: 'Directory' } })),
    },
  };
}

function containerOf(image: string, directories: readonly string[]): object {
  return {
    name: probeContainer,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', `sleep ${lifeSeconds}`],
    resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { cpu: '500m', memory: '64Mi' } },
    // The sockets belong to root, and connecting needs write permission.
    securityContext: {
      runAsUser: 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: directories.map((_path, index) => ({
      name: `sockets-${index}`,
      mountPath: `${mountRoot}/${index}`,
      readOnly: true,
    })),
  };
}

/** Why this user may not create such a pod in the namespace, found out before anything is created. */
export async function whyNoPodAllowed(ways: Ways, namespace: string): Promise<RouteResult | undefined> {
  const lacking = await ways.lacks(rightsOf.pods, namespace);
  if (lacking === undefined) return undefined;
  const right = rightText(lacking, namespace);
  return {
    route: { via: 'pod', outcome: 'forbidden', note: `you may not ${right}` },
    ...(lacking.resource === 'pods/exec' && { failure: 'exec-forbidden' as const }),
    next: [{ text: `Request the right to ${right}. The driver can then be queried from a pod.`, risk: 'safe' }],
  };
}

/** A pod that is ready for exec, or why there is none. */
type ReadyPod =
  { readonly type: 'ready' } | { readonly type: 'none'; readonly isForbidden: boolean; readonly note: string };

/** Creates the pod and waits until it runs. The caller deletes it in any case. */
export async function startProbePod(
  pod: RawObject,
  ways: Ways,
  options: ProbePodOptions,
  signal: AbortSignal,
): Promise<ReadyPod> {
  const name: PodName = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  if (signal.aborted) return interrupted;
  const created = await ways.create(pod);
  if (created.type === 'no way')
    return {
      type: 'none',
      isForbidden: created.reason === 'forbidden' && !/PodSecurity|admission|quota/i.test(created.message),
      note: `the cluster rejected the pod: ${created.message}`,
    };
  const begun = performance.now();
  let seen: PodState = {};
  for (
    let pauseMs = 200;
    performance.now() - begun < options.startMs && !signal.aborted;
    pauseMs = Math.min(1000, pauseMs * 1.5)
  ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    seen = ((await ways.look(name)) ?? {}) as PodState;
    if (seen.status?.containerStatuses?.[0]?.state?.running !== undefined) return { type: 'ready' };
    const waiting = seen.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '';
    if (seen.status?.phase === 'Failed' || seen.status?.phase === 'Succeeded' || hopeless.has(waiting))
      return { type: 'none', isForbidden: false, note: `the pod cannot start: ${whyNot(seen)}` };
  }
  if (signal.aborted) return interrupted;
  return {
    type: 'none',
    isForbidden: false,
    note: `the pod did not start within ${Math.round(options.startMs / 1000)} s: ${whyNot(seen)}`,
  };
}

const interrupted: ReadyPod = { type: 'none', isForbidden: false, note: 'the probe was interrupted' };

/** Reasons to wait that a short-lived pod does not get over. */
const hopeless: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

interface PodState {
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly running?: unknown;
        readonly waiting?: { readonly reason?: string; readonly message?: string };
        readonly terminated?: { readonly reason?: string; readonly message?: string };
      };
    }[];
  };
}

function whyNot({ status }: PodState): string {
  const unscheduled = status?.conditions?.find(
    ({ type, status: state }) => type === 'PodScheduled' && state === 'False',
  );
  if (unscheduled !== undefined) return `it was not scheduled: ${unscheduled.message ?? 'no reason given'}`;
  const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  if (terminated !== undefined)
    return (
      `it ended at once (${[terminated.reason, terminated.message].filter(Boolean).join(': ') || 'no reason given'}); ` +
      'its image needs sh and sleep'
    );
  if (waiting?.reason === 'ContainerCreating')
    return 'it is being created; the directory of the socket may not exist on the node, or the image is being pulled';
  return (
    [waiting?.reason ?? status?.reason ?? status?.phase, waiting?.message ?? status?.message]
      .filter(Boolean)
      .join(': ') || 'no status reported'
  );
}
