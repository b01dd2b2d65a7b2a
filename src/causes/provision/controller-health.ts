import type { DriverController } from '../../graph/drivers.ts';
import { flagOf, sidecarOf } from '../../graph/driver-pods.ts';
import type { ContainerStatus, Pod } from '../../model/kinds.ts';
import type { Evidence } from '../../model/report.ts';
import { parseTime } from '../../model/time.ts';
import { field, note } from '../../journey/evidence.ts';
import { conditionOf, isReady } from '../../journey/pod-state.ts';

const recentCrashSeconds = 900;
const manyRestarts = 3;

export function statusOf(pod: Pod, container: string | undefined): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name !== undefined && name === container);
}

export function isRunning(status: ContainerStatus | undefined): boolean {
  return status?.state?.running !== undefined;
}

/** It died, and dies again: waiting for the next start, or started a moment ago for the nth time. */
export function isCrashing(status: ContainerStatus | undefined, now: number): boolean {
  if (!status || (status.restartCount ?? 0) < 1) return status?.state?.waiting?.reason === 'CrashLoopBackOff';
  if (status.state?.waiting?.reason === 'CrashLoopBackOff' || status.state?.terminated) return true;
  const died = parseTime(status.lastState?.terminated?.finishedAt);
  return died !== undefined && (now - died) / 1000 < recentCrashSeconds && (status.restartCount ?? 0) >= manyRestarts;
}

/** The sidecar's container of this pod runs, whatever the other containers do. */
export function runsSidecar(pod: Pod, controller: DriverController): boolean {
  const status = statusOf(pod, sidecarOf(pod.spec, controller.role)?.name ?? controller.container);
  return status ? isRunning(status) : pod.status?.phase === 'Running' && isReady(pod);
}

export function usesLeaderElection(pod: Pod, controller: DriverController): boolean {
  const flag = flagOf(sidecarOf(pod.spec, controller.role), 'leader-election') ?? flagOf(sidecarOf(pod.spec, controller.role), 'enable-leader-election');
  return flag !== undefined && flag !== 'false';
}

/** Leader election is on for no replica: its lease, if there is one, is a leftover. */
export function leadsWithoutLease(controller: DriverController): boolean {
  return controller.role === 'provisioner' && controller.pods.items.some((pod) => runsSidecar(pod, controller) && !usesLeaderElection(pod, controller) && isReady(pod) && (sidecarOf(pod.spec, controller.role)?.args ?? []).length > 0);
}

/** Why a pod does not run, in a word or two. */
export function whyNotRunning(pod: Pod): string {
  if (conditionOf(pod.status?.conditions, 'PodScheduled')?.status === 'False') return 'not scheduled';
  const waiting = waitingContainerOf(pod);
  if (waiting) return `waiting (${waiting.state?.waiting?.reason ?? 'no reason given'})`;
  return pod.status?.reason ?? `not ready, phase ${pod.status?.phase ?? 'unknown'}`;
}

/** The same in the words of the scheduler or the kubelet. */
function troubleOf(pod: Pod): string {
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (scheduled?.status === 'False') return `not scheduled: ${scheduled.message ?? scheduled.reason ?? 'no reason given'}`;
  const waiting = waitingContainerOf(pod);
  if (waiting) return `container ${waiting.name ?? ''} waits: ${[waiting.state?.waiting?.reason, waiting.state?.waiting?.message].filter(Boolean).join(': ') || 'no reason given'}`;
  return whyNotRunning(pod);
}

function waitingContainerOf(pod: Pod): ContainerStatus | undefined {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].find((status) => status.state?.waiting);
}

export function leaseEvidence({ lease }: DriverController): Evidence[] {
  if (!lease.object) return [];
  return [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')];
}

export function crashEvidence(pod: Pod, status: ContainerStatus): [Evidence, ...Evidence[]] {
  const last = status.lastState?.terminated ?? status.state?.terminated;
  const words = last && [last.reason, last.exitCode === undefined ? undefined : `exit code ${last.exitCode}`, last.message?.trim()].filter(Boolean).join(', ');
  return [
    field(pod, `status.containerStatuses[${status.name ?? ''}].restartCount`, status.restartCount ?? 0),
    ...(words ? [field(pod, `status.containerStatuses[${status.name ?? ''}].lastState.terminated`, words, last?.finishedAt)] : []),
    ...(status.state?.waiting?.reason ? [field(pod, `status.containerStatuses[${status.name ?? ''}].state.waiting.reason`, status.state.waiting.reason)] : []),
  ];
}

export function podEvidence(pod: Pod): Evidence {
  return note(pod, troubleOf(pod));
}
