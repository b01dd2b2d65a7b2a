import { cutWords } from '../../kube/cut-words.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../evidence.ts';
import { conditionOf, containerStatusesOf } from './pod-state.ts';

const recentCrashSeconds = 900;
const manyRestarts = 3;

export function statusOf(pod: Pod, container: string | undefined): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name !== undefined && name === container);
}

export function isRunning(status: ContainerStatus | undefined): boolean {
  return status?.state?.running !== undefined;
}

/** It keeps ending: it waits for its next start, or has restarted several times and ended not long ago. */
export function isCrashing(status: ContainerStatus | undefined, now: number): boolean {
  if (!status || (status.restartCount ?? 0) < 1) return status?.state?.waiting?.reason === 'CrashLoopBackOff';
  if (status.state?.waiting?.reason === 'CrashLoopBackOff' || status.state?.terminated) return true;
  const died = parseTime(status.lastState?.terminated?.finishedAt);
  return died !== undefined && (now - died) / 1000 < recentCrashSeconds && (status.restartCount ?? 0) >= manyRestarts;
}

/** Completes "keeps crashing": how it ended the last time, if that is known. */
export function crashEnd(status: ContainerStatus): string {
  const last = lastEndOf(status);
  if (last?.reason === 'OOMKilled') return ': out of memory';
  return last?.exitCode === undefined ? '' : ` with exit code ${last.exitCode}`;
}

export function crashEvidence(pod: Pod, status: ContainerStatus): [Evidence, ...Evidence[]] {
  const list = pod.status?.initContainerStatuses?.includes(status) ? 'initContainerStatuses' : 'containerStatuses';
  const path = `status.${list}[${status.name ?? ''}]`;
  const last = lastEndOf(status);
  const words =
    last &&
    [last.reason, last.exitCode === undefined ? undefined : `exit code ${last.exitCode}`, last.message?.trim()]
      .filter(Boolean)
      .join(', ');
  return [
    field(pod, `${path}.restartCount`, status.restartCount ?? 0),
    ...(words ? [field(pod, `${path}.lastState.terminated`, words, last?.finishedAt)] : []),
    ...(status.state?.waiting?.reason ? [field(pod, `${path}.state.waiting.reason`, status.state.waiting.reason)] : []),
  ];
}

function lastEndOf(status: ContainerStatus): NonNullable<ContainerStatus['lastState']>['terminated'] {
  return status.lastState?.terminated ?? status.state?.terminated;
}

/**
 * Waiting reasons of a container that is starting or crashing; with any other reason it stays as it is until a person
 * fixes it.
 */
const passingWaits = /^(?:ContainerCreating|PodInitializing|CrashLoopBackOff)$/;
const longestMessage = 160;

/** The kubelet cannot create or start the container (image, configuration, runtime), so it has no log. */
export function cannotStart(status: ContainerStatus | undefined): boolean {
  const reason = status?.state?.waiting?.reason;
  return reason !== undefined && !passingWaits.test(reason);
}

/** `CreateContainerConfigError: secret "key" not found` */
export function waitingWords(status: ContainerStatus): string {
  const { reason, message } = status.state?.waiting ?? {};
  return [reason ?? 'no reason given', cutWords(message ?? '', longestMessage)].filter(Boolean).join(': ');
}

export function waitingEvidence(pod: Pod, status: ContainerStatus): Evidence {
  const { reason, message } = status.state?.waiting ?? {};
  const list = pod.status?.initContainerStatuses?.includes(status) ? 'initContainerStatuses' : 'containerStatuses';
  return field(
    pod,
    `status.${list}[${status.name ?? ''}].state.waiting`,
    [reason, message?.trim()].filter(Boolean).join(': '),
  );
}

export function startFix(pod: Pod, status: ContainerStatus): Fix {
  const reason = status.state?.waiting?.reason ?? '';
  const { command } = describePod(pod);
  if (/Image|Registry/.test(reason))
    return fix(
      'see why its image cannot be had: a wrong name or tag, a registry out of reach, credentials that are missing',
      command,
    );
  if (/^CreateContainer/.test(reason))
    return fix(
      'see what it needs and does not get, and create or correct that: a secret, a config map, a mount',
      command,
    );
  return fix('see why the container cannot start', command);
}

/** Why a pod does not run, in a word or two. */
export function whyNotRunning(pod: Pod): string {
  if (conditionOf(pod.status?.conditions, 'PodScheduled')?.status === 'False') return 'not scheduled';
  const waiting = waitingContainerOf(pod);
  if (waiting) return `waiting (${waiting.state?.waiting?.reason ?? 'no reason given'})`;
  return pod.status?.reason ?? `not ready, phase ${pod.status?.phase ?? 'unknown'}`;
}

/** The same, quoted from the scheduler or the kubelet. */
export function podEvidence(pod: Pod): Evidence {
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (scheduled?.status === 'False')
    return note(pod, `not scheduled: ${scheduled.message ?? scheduled.reason ?? 'no reason given'}`);
  const waiting = waitingContainerOf(pod);
  if (!waiting) return note(pod, whyNotRunning(pod));
  return note(
    pod,
    `container ${waiting.name ?? ''} waits: ` +
      `${[waiting.state?.waiting?.reason, waiting.state?.waiting?.message].filter(Boolean).join(': ') || 'no reason given'}`,
  );
}

export function describePod({ metadata }: Pod): Fix {
  return fix(
    'see what keeps the pod from running',
    `kubectl ${inNamespace(metadata.namespace)}describe pod ${shellWord(metadata.name)}`,
  );
}

function waitingContainerOf(pod: Pod): ContainerStatus | undefined {
  return containerStatusesOf(pod).find((status) => status.state?.waiting);
}
