import type { Controller } from './controller.ts';
import { driverContainerOf, flagOf, sidecarOf } from './driver-pods.ts';
import type { Workload } from './driver-pods.ts';
import type { DriverController, SidecarRole } from './drivers.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../evidence.ts';
import {
  crashEnd,
  crashEvidence,
  describePod,
  isCrashing,
  isRunning,
  podEvidence,
  statusOf,
  whyNotRunning,
} from '../pod/pod-health.ts';
import { isReady } from '../pod/pod-state.ts';

/** Why a controller does not work. How much that counts is up to the rule. */
export interface ControllerTrouble {
  /** Completes "the provisioner of X …". */
  readonly words: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
}

/** A container that keeps crashing. */
interface Crash {
  readonly pod: Pod;
  readonly status: ContainerStatus;
}

const mostPods = 3;

/** Whether the sidecar's container of this pod runs, whatever the state of the others. */
export function runsSidecar(pod: Pod, controller: DriverController): boolean {
  const status = statusOf(pod, sidecarOf(pod.spec, controller.role)?.name ?? controller.container);
  return status ? isRunning(status) : pod.status?.phase === 'Running' && isReady(pod);
}

export function usesLeaderElection(pod: Pod, { role }: DriverController): boolean {
  const sidecar = sidecarOf(pod.spec, role);
  const flag = flagOf(sidecar, 'leader-election') ?? flagOf(sidecar, 'enable-leader-election');
  return flag !== undefined && flag !== 'false';
}

/** Whether a replica works without leader election, so that a lease is only left over. */
export function leadsWithoutLease(controller: DriverController): boolean {
  return (
    controller.role === 'provisioner' &&
    controller.pods.items.some(
      (pod) =>
        runsSidecar(pod, controller) &&
        !usesLeaderElection(pod, controller) &&
        isReady(pod) &&
        (sidecarOf(pod.spec, controller.role)?.args ?? []).length > 0,
    )
  );
}

/** The driver's container first: when it ends, the sidecars end too (csi-lib-utils ExitOnConnectionLoss). */
export function crashesOf(pod: Pod, role: SidecarRole, now: number): Crash[] {
  const statuses = [driverContainerOf(pod.spec), sidecarOf(pod.spec, role)].map((container) =>
    statusOf(pod, container?.name),
  );
  return statuses.flatMap((status) => (status && isCrashing(status, now) ? [{ pod, status }] : []));
}

const crashLoops = new WeakMap<DriverController, ControllerTrouble | false>();

/** No replica works, and one of them crashes. Kept for each controller, which belongs to one snapshot and so to one `now`. */
export function crashLoop(controller: DriverController, now: number): ControllerTrouble | undefined {
  let trouble = crashLoops.get(controller);
  if (trouble === undefined) {
    trouble = findCrashLoop(controller, now) ?? false;
    crashLoops.set(controller, trouble);
  }
  return trouble || undefined;
}

function findCrashLoop(controller: DriverController, now: number): ControllerTrouble | undefined {
  const {
    pods: { items },
    role,
  } = controller;
  const isWorking = (pod: Pod): boolean =>
    isReady(pod) && isRunning(statusOf(pod, sidecarOf(pod.spec, role)?.name)) && crashesOf(pod, role, now).length === 0;
  if (items.some(isWorking)) return undefined;
  const [first, ...others] = items.map((pod) => crashesOf(pod, role, now)).find((crashes) => crashes.length > 0) ?? [];
  return first && crashTrouble(controller, [first, ...others]);
}

export function leaseEvidence({ lease }: Controller): Evidence[] {
  return lease.object ? [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')] : [];
}

/** Containers of one pod keep crashing; the first one is the likely cause of the others. */
export function crashTrouble(
  controller: Controller,
  [first, ...others]: readonly [Crash, ...Crash[]],
): ControllerTrouble {
  const { pod, status } = first;
  const { name, namespace } = pod.metadata;
  const container = status.name ?? '';
  return {
    words: `does not work: container ${container} of pod/${name} (namespace ${namespace ?? ''}) keeps crashing${crashEnd(status)}`,
    evidence: [
      ...crashEvidence(pod, status),
      ...others.flatMap((other) => crashEvidence(other.pod, other.status)),
      ...leaseEvidence(controller),
    ],
    fix: [
      fix(
        'read why it died: credentials, the storage API, memory',
        `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(container)} --previous --tail=50`,
      ),
    ],
  };
}

/** There are pods, but none of them runs. */
export function podTrouble(
  controller: Controller,
  pods: readonly Pod[] = controller.pods.items,
): ControllerTrouble | undefined {
  const [pod, ...others] = pods;
  if (!pod) return undefined;
  return {
    words: `does not run: pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
    evidence: [
      podEvidence(pod),
      ...others.slice(0, mostPods - 1).map(podEvidence),
      ...workloadEvidence(controller.workload?.object),
      ...leaseEvidence(controller),
    ],
    fix: [describePod(pod)],
  };
}

/** There are no pods: the workload is scaled to zero, or cannot create them. */
export function workloadTrouble(controller: Controller): ControllerTrouble | undefined {
  const { pods, workload } = controller;
  const isZero = workload?.object?.spec?.replicas === 0;
  if (!workload?.object || (!pods.complete && !isZero)) return undefined;
  const { namespace, name, object } = workload;
  const kind = workload.kind.toLowerCase();
  return {
    words: `does not run: ${kind}/${name} in namespace ${namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
    evidence: [
      isZero ? field(object, 'spec.replicas') : note(object, 'has no pods'),
      ...workloadEvidence(object).slice(isZero ? 1 : 0),
      ...leaseEvidence(controller),
    ],
    fix: [
      isZero
        ? fix('start it again', `kubectl ${inNamespace(namespace)}scale ${kind} ${shellWord(name)} --replicas=1`)
        : fix('see why it makes no pods', `kubectl ${inNamespace(namespace)}describe ${kind} ${shellWord(name)}`),
    ],
  };
}

function workloadEvidence(workload: Workload | undefined): Evidence[] {
  if (!workload) return [];
  const failure = workload.status?.conditions?.find(
    (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
  );
  return [
    field(workload, 'spec.replicas'),
    ...(failure ? [field(workload, 'status.conditions[ReplicaFailure]', failure.message ?? failure.reason)] : []),
  ];
}

/** The lease is no longer renewed, and no pod is known to run. `who` names the controller: "the provisioner of X". */
export function leaseTrouble({ lease }: Controller, who: string, now: number): ControllerTrouble | undefined {
  if (lease.state !== 'stale' || !lease.object) return undefined;
  return {
    words: `does not run: ${renewalWords(lease.object, now)}`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
    fix: [
      fix(
        `look for ${who} and start it again: what waits for it then goes on by itself`,
        `kubectl ${inNamespace(lease.object.metadata.namespace)}get deploy,sts,pods -o wide`,
      ),
    ],
  };
}

/** It runs in these pods, but none of them takes the lease, and without the lease it does nothing (csi-lib-utils leaderelection). */
export function leaderTrouble(
  { lease, workload }: Controller,
  idle: readonly Pod[],
  now: number,
): ControllerTrouble | undefined {
  const [pod] = idle;
  if (lease.state !== 'stale' || !lease.object || !pod) return undefined;
  return {
    words: `runs but does not lead: ${renewalWords(lease.object, now)}`,
    evidence: [
      field(lease.object, 'spec.renewTime'),
      field(lease.object, 'spec.holderIdentity'),
      ...idle.slice(0, mostPods).map((each) => note(each, 'runs, and has not taken the lease')),
    ],
    fix: [
      workload && restartable.has(workload.kind)
        ? fix(
            'restart the controller',
            `kubectl ${inNamespace(workload.namespace)}rollout restart ${workload.kind.toLowerCase()} ${shellWord(workload.name)}`,
            'disruptive',
          )
        : fix(
            'restart the controller',
            `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`,
            'disruptive',
          ),
    ],
  };
}

/** Adds the commands that show logs, after the safe fixes and before the others. */
export function withLogs(trouble: ControllerTrouble, ...logs: readonly Fix[]): ControllerTrouble {
  const isSafe = ({ risk }: Fix): boolean => risk === 'safe';
  return { ...trouble, fix: [...trouble.fix.filter(isSafe), ...logs, ...trouble.fix.filter((each) => !isSafe(each))] };
}

/** The kinds that `kubectl rollout restart` supports; the pods of any other owner are deleted one by one. */
const restartable: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

export function renewalWords({ metadata, spec }: NonNullable<Controller['lease']['object']>, now: number): string {
  const renewed = parseTime(spec?.renewTime);
  return `nobody has renewed lease ${metadata.namespace ?? ''}/${metadata.name}${renewed === undefined ? '' : ` for ${ageText(renewed, now)}`}${spec?.holderIdentity ? ` (last held by ${spec.holderIdentity})` : ''}`;
}
