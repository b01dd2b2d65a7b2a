import { driverContainerOf } from '../../facts/driver/driver-pods.ts';
import { registrarOf } from '../../facts/driver/node-plugin.ts';
import { conditionOf, containerStatusesOf, isReady } from '../../facts/pod/pod-state.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { isCrashing, isRunning } from '../../facts/pod/pod-health.ts';

const settleSeconds = 60;
/** A registrar that is refused starts again at least every five minutes. */
const recentFailureSeconds = 900;

/** Not so many seconds ago; a time that nobody wrote down is long ago. */
export function isRecent(time: string | undefined, now: number, seconds: number): boolean {
  const moment = parseTime(time);
  return moment !== undefined && (now - moment) / 1000 < seconds;
}

export function statusIn(pod: Pod, container: string | undefined): ContainerStatus | undefined {
  return container === undefined ? undefined : containerStatusesOf(pod).find(({ name }) => name === container);
}

export function registrarStatusOf(pod: Pod): ContainerStatus | undefined {
  return statusIn(pod, registrarOf(pod.spec)?.name);
}

export function driverStatusOf(pod: Pod): ContainerStatus | undefined {
  return statusIn(pod, driverContainerOf(pod.spec)?.name);
}

export interface Down {
  /** The container that keeps the pod down; none where the pod has not come so far. */
  readonly status?: ContainerStatus;
}

/** The driver's own container does not run: whatever is registered, nobody answers the kubelet. */
export function downOf(pod: Pod, now: number): Down | undefined {
  const driver = driverStatusOf(pod);
  if (driver && isCrashing(driver, now)) return { status: driver };
  if (driver && isRunning(driver)) return undefined;
  const isYoung = isRecent(pod.metadata.creationTimestamp, now, settleSeconds);
  const stuck =
    (pod.status?.initContainerStatuses ?? []).find(
      (status) => status.state?.waiting && status.state.waiting.reason !== 'PodInitializing',
    ) ?? driver;
  if (stuck?.state?.waiting || stuck?.state?.terminated)
    return isYoung && /^(ContainerCreating|PodInitializing)$/.test(stuck.state.waiting?.reason ?? '')
      ? undefined
      : { status: stuck };
  return pod.status?.phase === 'Running' || isYoung ? undefined : {};
}

/** Up, but not what the kubelet can use yet: not ready, or its registrar cannot start. */
export function isUnready(pod: Pod, now: number): Down | undefined {
  const registrar = registrarStatusOf(pod);
  const waiting = registrar?.state?.waiting?.reason;
  if (
    registrar &&
    waiting !== undefined &&
    waiting !== 'CrashLoopBackOff' &&
    !isRecent(pod.metadata.creationTimestamp, now, settleSeconds)
  )
    return { status: registrar };
  const driver = driverStatusOf(pod);
  const ready = conditionOf(pod.status?.conditions, 'Ready');
  return driver?.ready === false && ready?.status === 'False' && !isRecent(ready.lastTransitionTime, now, settleSeconds)
    ? { status: driver }
    : undefined;
}

/** The registrar ends itself when the kubelet says no (node-driver-registrar NotifyRegistrationStatus). */
export function refusedRegistrar(pod: Pod, now: number): ContainerStatus | undefined {
  const status = registrarStatusOf(pod);
  if (!status) return undefined;
  const last = status.state?.terminated ?? status.lastState?.terminated;
  if (isCrashing(status, now)) return status;
  const isFailure = (status.restartCount ?? 0) > 0 && last !== undefined && last.exitCode !== 0;
  return isFailure && (last.finishedAt === undefined || isRecent(last.finishedAt, now, recentFailureSeconds))
    ? status
    : undefined;
}

/** It runs, it is ready, and it has had the time to register. */
export function isSettled(pod: Pod, now: number): boolean {
  const started =
    registrarStatusOf(pod)?.state?.running?.startedAt ??
    conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime;
  return (isReady(pod) || pod.status?.phase === 'Running') && !isRecent(started, now, settleSeconds);
}
