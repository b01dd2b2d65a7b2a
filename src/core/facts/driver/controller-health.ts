import type { Controller, ControllerWorkload, LeavingPod } from './controller.ts';
import { driverContainerOf, flagOf, sidecarOf } from './driver-pods.ts';
import type { Workload } from './driver-pods.ts';
import { fittingSelector } from './fitting-selector.ts';
import type { DriverController, SidecarRole } from './drivers.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { crashFixes, endPodFixes, restartFix, startFixes } from './controller-fixes.ts';
import { field, fix, inNamespace, note, shellWord } from '../evidence.ts';
import {
  crashEnd,
  crashEvidence,
  isCrashing,
  isRunning,
  podEvidence,
  statusOf,
  whyNotRunning,
} from '../pod/pod-health.ts';
import { conditionOf, isReady } from '../pod/pod-state.ts';

/** Why a controller does not work. How much that counts is up to the rule. */
export interface ControllerTrouble {
  /** Completes "The provisioner of X …". */
  readonly words: string;
  /** The last part of the words, which proves it. */
  readonly reason?: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
}

/** A container that keeps crashing. */
interface Crash {
  readonly pod: Pod;
  readonly status: ContainerStatus;
}

const mostPods = 3;

/** Whether the sidecar's container of this pod runs; the state of the other containers does not matter. */
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

/** A sidecar about the driver next to it, which shows only that the driver ended. */
const aboutDriver = /Lost connection to CSI driver|csi\.sock|dial unix|connecting to unix/i;

/** What a container wrote before it ended; a sidecar that lost its driver has nothing to report. */
export function wordsOfEnd({ state, lastState }: ContainerStatus): string | undefined {
  const words = (lastState?.terminated ?? state?.terminated)?.message?.trim() ?? '';
  return words === '' || aboutDriver.test(words) ? undefined : words;
}

/** Whether a line of the log of a container that keeps crashing could tell why it ended: of a failure, and not of its neighbour. */
export function isTellingEnd(text: string): boolean {
  const isStack = /\+0x[0-9a-f]+|\((?:0x[0-9a-f]|\.\.\.)/.test(text);
  return (
    /\b(?:fail|error|fatal|panic|cannot\b|could not\b|unable\b|denied\b|no\b)/i.test(text) &&
    !isStack &&
    !aboutDriver.test(text)
  );
}

const crashLoops = new WeakMap<DriverController, ControllerTrouble | false>();

/**
 * No replica works, and one of them crashes. Cached for each controller, which belongs to one snapshot and so to one
 * `now`.
 */
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
  const crashes = items.map((pod) => crashesOf(pod, role, now)).find((found) => found.length > 0) ?? [];
  const telling = crashes.find(({ status }) => wordsOfEnd(status) !== undefined);
  const [first, ...others] = telling ? [telling, ...crashes.filter((crash) => crash !== telling)] : crashes;
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
  const reason = `container ${status.name ?? ''} of pod/${name} in namespace ${namespace ?? ''} keeps crashing${crashEnd(status)}`;
  return {
    words: `does not work: ${reason}`,
    reason,
    evidence: [
      ...crashEvidence(pod, status),
      ...others.flatMap((other) => crashEvidence(other.pod, other.status)),
      ...leaseEvidence(controller),
    ],
    fix: crashFixes(controller, first),
  };
}

/** There are pods, but none of them runs. */
export function podTrouble(
  controller: Controller,
  pods: readonly Pod[] = controller.pods.items,
): ControllerTrouble | undefined {
  const [pod, ...others] = pods;
  if (!pod) return undefined;
  const selects = fittingSelector(pod.spec, controller.nodes ?? []);
  const why = selects ? `: it selects nodes with ${selects.unmet.join(' and ')}, which no node has` : '';
  const reason = `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}${why}`;
  return {
    words: `is not running: ${reason}`,
    reason,
    evidence: [
      podEvidence(pod),
      ...(selects ? [field(pod, 'spec.nodeSelector')] : []),
      ...others.slice(0, mostPods - 1).map(podEvidence),
      ...workloadEvidence(controller.workload?.object),
      ...leaseEvidence(controller),
    ],
    fix: startFixes(pod, controller.workload, controller.nodes),
  };
}

/** There are no pods: the workload is scaled to zero, or cannot create them. */
export function workloadTrouble(controller: Controller): ControllerTrouble | undefined {
  const { pods, workload } = controller;
  const isZero = workload?.object?.spec?.replicas === 0;
  if (!workload?.object || (!pods.complete && !isZero)) return undefined;
  // Its own status counts pods that work, so they are missing in the dump only.
  if (!isZero && readyCountOf(workload.object) > 0) return undefined;
  if (!isZero && controller.leaving) return leavingTrouble(controller, controller.leaving);
  const { namespace, name, object } = workload;
  const kind = workload.kind.toLowerCase();
  const refusal = refusalOf(object);
  const state = isZero ? 'is scaled to 0 replicas' : `has no pods${refusal === undefined ? '' : ` ("${refusal}")`}`;
  const reason = `${kind}/${name} in namespace ${namespace} ${state}`;
  return {
    words: `is not running: ${reason}`,
    reason,
    evidence: [
      isZero ? field(object, 'spec.replicas') : note(object, 'has no pods'),
      ...workloadEvidence(object).slice(isZero ? 1 : 0),
      ...leaseEvidence(controller),
    ],
    fix: [
      isZero
        ? fix(
            `Scale ${kind}/${name} up. What waits for it then continues automatically.`,
            `kubectl ${inNamespace(namespace)}scale ${kind} ${shellWord(name)} --replicas=1`,
          )
        : podlessFix(kind, workload, refusal),
    ],
  };
}

/** Its only pod is being deleted and does not end. */
function leavingTrouble(controller: Controller, { pod, node, isOverdue }: LeavingPod): ControllerTrouble | undefined {
  const { workload } = controller;
  if (!workload || !isOverdue) return undefined;
  const { nodeName = '' } = pod.spec ?? {};
  const object = node?.state === 'found' ? node.object : undefined;
  const ready = object && conditionOf(object.status?.conditions, 'Ready');
  const isDown = ready !== undefined && ready.status !== 'True';
  const kind = workload.kind.toLowerCase();
  const refusal = workload.object && refusalOf(workload.object);
  const reason =
    `${kind}/${workload.name} in namespace ${workload.namespace} has only pod/${pod.metadata.name}, which is being ` +
    `deleted and has not ended${isDown ? `: its node ${nodeName} does not answer` : ''}`;
  return {
    words: `is not running: ${reason}`,
    reason,
    evidence: [
      field(pod, 'metadata.deletionTimestamp'),
      field(pod, 'spec.nodeName'),
      ...(object && isDown ? [field(object, 'status.conditions[Ready].status', ready.status)] : []),
      ...leaseEvidence(controller),
    ],
    // A Deployment does not wait for its end with the next one, as a StatefulSet and a DaemonSet do.
    fix:
      workload.kind === 'Deployment'
        ? [podlessFix(kind, workload, refusal)]
        : endPodFixes(pod, isDown ? nodeName : undefined),
  };
}

function readyCountOf({ status }: Workload): number {
  return status?.readyReplicas ?? status?.numberReady ?? 0;
}

function podlessFix(kind: string, { namespace, name }: ControllerWorkload, refusal: string | undefined): Fix {
  return refusal === undefined
    ? fix(
        `Check the events of ${kind}/${name}: its controller creates no pods, and the events name what refuses them.`,
        `kubectl ${inNamespace(namespace)}describe ${kind} ${shellWord(name)}`,
      )
    : fix(`Correct what refuses the pods of ${kind}/${name}: "${refusal}". Its controller then creates them.`);
}

/** Why a workload cannot create its pods, in the words of the API server. */
function refusalOf({ status }: Workload): string | undefined {
  const failure = status?.conditions?.find(
    (condition) => condition.type === 'ReplicaFailure' && condition.status === 'True',
  );
  return failure && (failure.message ?? failure.reason);
}

function workloadEvidence(workload: Workload | undefined): Evidence[] {
  if (!workload) return [];
  const refusal = refusalOf(workload);
  return [
    field(workload, 'spec.replicas'),
    ...(refusal === undefined ? [] : [field(workload, 'status.conditions[ReplicaFailure]', refusal)]),
  ];
}

/** The lease is no longer renewed, and no pod is known to run. `who` names the controller: "the provisioner of X". */
export function leaseTrouble({ lease }: Controller, who: string, now: number): ControllerTrouble | undefined {
  if (lease.state !== 'stale' || !lease.object) return undefined;
  const reason = renewalWords(lease.object, now);
  return {
    words: `is not running: ${reason}`,
    reason,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
    fix: [startUnseen(who, lease.object.spec?.holderIdentity)],
  };
}

/**
 * Its workload is not known: the first line finds it by the names of containers and images. `who` names the controller:
 * "the provisioner of X"; `holder` is what last held its lease, which for a process outside the cluster is the name of
 * its machine.
 */
export function startUnseen(who: string, holder?: string): Fix {
  const role = /^the (?:csi-)?(\S+)/.exec(who)?.[1] ?? who;
  const commands = [
    `kubectl get deploy,sts,ds -A -o wide | grep -i ${shellWord(role)}`,
    'kubectl -n PLACEHOLDER_NAMESPACE scale PLACEHOLDER_WORKLOAD --replicas=1',
  ] as const;
  return {
    text: `Start ${who}. ${findWorkloadWords(holder)} What waits for it then continues automatically, within about 5 minutes.`,
    command: commands[0],
    commands,
    risk: 'safe',
  };
}

/**
 * It is alive by its lease and does nothing; its workload is not known. Its log goes with the process, so it is saved
 * first.
 */
export function restartUnseen(who: string, then: string): Fix {
  const role = /^the (?:csi-)?(\S+)/.exec(who)?.[1] ?? who;
  const commands = [
    `kubectl get deploy,sts,ds -A -o wide | grep -i ${shellWord(role)}`,
    'kubectl -n PLACEHOLDER_NAMESPACE logs PLACEHOLDER_WORKLOAD --all-containers --since=15m > controller.log',
    'kubectl -n PLACEHOLDER_NAMESPACE rollout restart PLACEHOLDER_WORKLOAD',
  ] as const;
  return {
    text:
      `Save the log of ${who}, which holds the reason, and restart it: its lease shows that it is alive. ` +
      `PLACEHOLDER_NAMESPACE and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the first line's output. ${then}`,
    command: commands[0],
    commands,
    risk: 'disruptive',
  };
}

/** The name of a pod, or the random identity of an older external-provisioner: neither is a machine. */
const podLike = /-[a-z0-9]{5}$|-\d+$|^\d{10,}-/;

/** Explains the placeholders of a workload that a search lists, and what it means if none is listed. */
export function findWorkloadWords(holder: string | undefined): string {
  const machine = holder && !podLike.test(holder) ? ` (its lease was last held by "${holder}")` : '';
  return (
    `PLACEHOLDER_NAMESPACE and PLACEHOLDER_WORKLOAD (TYPE/NAME) are in the first line's output: ` +
    'scale it up if it shows 0 replicas, otherwise use "rollout restart" instead. ' +
    `If nothing is listed, it ran outside the cluster${machine} or was uninstalled: ` +
    'start it there, or install it again.'
  );
}

/**
 * It runs in these pods, but none of them takes the lease, and without the lease it does nothing (csi-lib-utils
 * leaderelection).
 */
export function leaderTrouble(
  { lease, workload }: Controller,
  idle: readonly Pod[],
  now: number,
): ControllerTrouble | undefined {
  const [pod] = idle;
  if (lease.state !== 'stale' || !lease.object || !pod) return undefined;
  const reason = renewalWords(lease.object, now);
  return {
    words: `runs but does not lead: ${reason}`,
    reason,
    evidence: [
      field(lease.object, 'spec.renewTime'),
      field(lease.object, 'spec.holderIdentity'),
      ...idle.slice(0, mostPods).map((each) => note(each, 'runs, and has not taken the lease')),
    ],
    fix: [restartFix(pod, workload, 'A fresh process takes the lease over and continues.')],
  };
}

/** Adds the commands that show logs, after the steps that act. */
export function withLogs(trouble: ControllerTrouble, ...logs: readonly Fix[]): ControllerTrouble {
  const commands = new Set(trouble.fix.map(({ command }) => command));
  return { ...trouble, fix: [...trouble.fix, ...logs.filter(({ command }) => !commands.has(command))] };
}

export function renewalWords({ metadata, spec }: NonNullable<Controller['lease']['object']>, now: number): string {
  const renewed = parseTime(spec?.renewTime);
  const since = renewed === undefined ? 'is not renewed' : `was last renewed ${ageText(renewed, now)} ago`;
  const holder = spec?.holderIdentity ? ` (holder "${spec.holderIdentity}")` : '';
  return `lease ${metadata.namespace ?? ''}/${metadata.name} ${since}${holder}`;
}
