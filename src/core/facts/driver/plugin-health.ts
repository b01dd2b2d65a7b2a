import { driverContainerOf } from './driver-pods.ts';
import { registrarOf } from './node-plugin.ts';
import { isCrashing, isRunning } from '../pod/pod-health.ts';
import { conditionOf, containerStatusesOf, isReady } from '../pod/pod-state.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';

/** How long a pod may take to start and to register. */
const settleSeconds = 60;
/** A registrar that is refused restarts at least every five minutes. */
const recentFailureSeconds = 900;

/** Whether the time is less than so many seconds ago; a time that is not set is long ago. */
export function isRecent(time: string | undefined, now: number, seconds: number): boolean {
  const moment = parseTime(time);
  return moment !== undefined && (now - moment) / 1000 < seconds;
}

function statusIn(pod: Pod, container: string | undefined): ContainerStatus | undefined {
  return container === undefined ? undefined : containerStatusesOf(pod).find(({ name }) => name === container);
}

function registrarStatusOf(pod: Pod): ContainerStatus | undefined {
  return statusIn(pod, registrarOf(pod.spec)?.name);
}

export function driverStatusOf(pod: Pod): ContainerStatus | undefined {
  return statusIn(pod, driverContainerOf(pod.spec)?.name);
}

export interface UnhealthyPod {
  /** The container that keeps the pod from working; none where no container has a status yet. */
  readonly status?: ContainerStatus;
}

/** The container of the driver does not run, so nothing answers the kubelet, even if the driver is registered. */
export function findDown(pod: Pod, now: number): UnhealthyPod | undefined {
  const driver = driverStatusOf(pod);
  if (driver && isCrashing(driver, now)) return { status: driver };
  if (driver && isRunning(driver)) return undefined;
  const isYoung = isRecent(pod.metadata.creationTimestamp, now, settleSeconds);
  const init = findRunningInit(pod);
  if (init && !isYoung) return { status: init };
  const stuck = findStuckInit(pod) ?? driver;
  if (stuck?.state?.waiting || stuck?.state?.terminated)
    return isYoung && isStarting(stuck) ? undefined : { status: stuck };
  return pod.status?.phase === 'Running' || isYoung ? undefined : {};
}

function findStuckInit({ status }: Pod): ContainerStatus | undefined {
  return (status?.initContainerStatuses ?? []).find(
    ({ state }) => state?.waiting && state.waiting.reason !== 'PodInitializing',
  );
}

/** An init container that has not ended; one that restarts always is a sidecar (KEP-753). */
function findRunningInit({ spec, status }: Pod): ContainerStatus | undefined {
  return (status?.initContainerStatuses ?? []).find(
    ({ name, state }) =>
      state?.running && spec?.initContainers?.find((container) => container.name === name)?.restartPolicy !== 'Always',
  );
}

function isStarting({ state }: ContainerStatus): boolean {
  return /^(ContainerCreating|PodInitializing)$/.test(state?.waiting?.reason ?? '');
}

/** The driver runs, but the kubelet cannot use it yet: it is not ready, or its registrar cannot start. */
export function findUnready(pod: Pod, now: number): UnhealthyPod | undefined {
  const registrar = registrarStatusOf(pod);
  const waiting = registrar?.state?.waiting?.reason;
  const isStuck = waiting !== undefined && waiting !== 'CrashLoopBackOff';
  if (registrar && isStuck && !isRecent(pod.metadata.creationTimestamp, now, settleSeconds))
    return { status: registrar };
  if (registrar && wasKilled(registrar) && isEndRecent(registrar, now)) return { status: registrar };
  const driver = driverStatusOf(pod);
  const ready = conditionOf(pod.status?.conditions, 'Ready');
  const isUnready = ready?.status === 'False' && !isRecent(ready.lastTransitionTime, now, settleSeconds);
  return driver?.ready === false && isUnready ? { status: driver } : undefined;
}

/**
 * SIGKILL and SIGTERM: ended from outside, by its liveness probe or for lack of memory; a refused registrar ends with
 * 1.
 */
const killedCodes = [137, 143];

/** The registrar was ended from outside, which is no answer of the kubelet. */
function wasKilled({ state, lastState }: ContainerStatus): boolean {
  return killedCodes.includes((state?.terminated ?? lastState?.terminated)?.exitCode ?? 0);
}

/** The registrar ends itself when the kubelet refuses the driver (node-driver-registrar NotifyRegistrationStatus). */
export function refusedRegistrar(pod: Pod, now: number): ContainerStatus | undefined {
  const status = registrarStatusOf(pod);
  if (status && wasKilled(status)) return undefined;
  if (!status || isCrashing(status, now)) return status;
  const last = status.state?.terminated ?? status.lastState?.terminated;
  if ((status.restartCount ?? 0) === 0 || last === undefined || last.exitCode === 0) return undefined;
  return isEndRecent(status, now) ? status : undefined;
}

function isEndRecent({ state, lastState }: ContainerStatus, now: number): boolean {
  const { finishedAt } = state?.terminated ?? lastState?.terminated ?? {};
  return finishedAt === undefined || isRecent(finishedAt, now, recentFailureSeconds);
}

/** It runs, it is ready, and it has had the time to register. */
export function isSettled(pod: Pod, now: number): boolean {
  const started =
    registrarStatusOf(pod)?.state?.running?.startedAt ??
    conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime;
  return (isReady(pod) || pod.status?.phase === 'Running') && !isRecent(started, now, settleSeconds);
}
