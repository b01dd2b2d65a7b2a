import type { ObjectsVerdict } from '../../report/driver-endpoints.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { fix, inNamespace, shellWord } from '../evidence.ts';
import { crashEnd, describePod, isCrashing, isRunning, whyNotRunning } from '../pod/pod-health.ts';
import { containerStatusesOf, reasonsBeforeStart } from '../pod/pod-state.ts';

interface PlaceFacts {
  readonly driver: string;
  readonly pod: Pod;
  readonly container: string | undefined;
  readonly node: string | undefined;
  /**
   * Whether the kubelet has registered the driver on the node; undefined when that could not be read, or when the pod
   * is not a node plugin.
   */
  readonly isRegistered: boolean | undefined;
  readonly now: number;
}

/** A registrar needs a moment after the driver has started. */
const registrationMs = 60_000;

/** What the objects prove. That everything runs proves nothing, because a driver that hangs looks the same. */
export function judgeObjects(facts: PlaceFacts): ObjectsVerdict {
  const { pod, container, isRegistered } = facts;
  const status = statusOf(facts);
  if (status !== undefined && !isRunning(status)) return containerNotRunning(facts, status);
  if (status === undefined && pod.status?.phase !== 'Running') return podNotRunning(pod);
  if (isRegistered === false) return notRegistered(facts, status);
  return {
    status: 'unknown',
    summary: `Container ${container ?? 'of the driver'} is running, but the driver itself was not queried.`,
    fix: [],
  };
}

function podNotRunning(pod: Pod): ObjectsVerdict {
  return {
    status: pod.status?.phase === 'Pending' ? 'initialising' : 'unreachable',
    failure: 'container-not-running',
    summary: `pod/${pod.metadata.name} is not running: it is ${whyNotRunning(pod)}.`,
    fix: [describePod(pod)],
  };
}

function notRegistered({ driver, pod, node, now }: PlaceFacts, status: ContainerStatus | undefined): ObjectsVerdict {
  const since = parseTime(status?.state?.running?.startedAt);
  const isYoung = since !== undefined && now - since < registrationMs;
  return {
    status: isYoung ? 'initialising' : 'unhealthy',
    failure: 'not-registered',
    summary: isYoung
      ? `The driver has just started, and the kubelet of ${node ?? 'the node'} has not registered it yet.`
      : `The driver is running, but the kubelet of ${node ?? 'the node'} has not registered it, so no volume can be mounted there.`,
    fix: [
      fix('Find out why it is not registered.', `kubectl csi why csidriver/${shellWord(driver)}`),
      ...registrarLog(pod),
    ],
  };
}

function containerNotRunning({ pod, now }: PlaceFacts, status: ContainerStatus): ObjectsVerdict {
  return {
    status: isStarting(status) ? 'initialising' : 'unreachable',
    failure: 'container-not-running',
    summary: describeStopped(status, now),
    fix: [...previousLog(pod, status), describePod(pod)],
  };
}

function isStarting({ state, restartCount = 0 }: ContainerStatus): boolean {
  return state?.waiting !== undefined && reasonsBeforeStart.includes(state.waiting.reason ?? '') && restartCount === 0;
}

function describeStopped(status: ContainerStatus, now: number): string {
  const container = status.name ?? '';
  const reason = status.state?.waiting?.reason || 'no reason given';
  if (isCrashing(status, now))
    return `The driver keeps crashing: container ${container} ended${crashEnd(status)} and is waiting to be restarted.`;
  if (isStarting(status)) return `Container ${container} of the driver has not started yet (${reason}).`;
  const why = status.state?.terminated ? `it ended${crashEnd(status)}` : reason;
  return `Container ${container} of the driver is not running: ${why}.`;
}

function previousLog({ metadata }: Pod, { name = '', state, lastState }: ContainerStatus): Fix[] {
  if (!lastState?.terminated && !state?.terminated) return [];
  return [
    fix(
      'Read the log of the previous run.',
      `kubectl ${inNamespace(metadata.namespace)}logs ${shellWord(metadata.name)} -c ${shellWord(name)} --previous --tail=50`,
    ),
  ];
}

function registrarLog(pod: Pod): Fix[] {
  const registrar = containerStatusesOf(pod).find(({ name }) => name?.includes('registrar'))?.name;
  if (registrar === undefined) return [];
  return [
    fix(
      'Read the log of the registrar.',
      `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(registrar)} --tail=50`,
    ),
  ];
}

function statusOf({ pod, container }: PlaceFacts): ContainerStatus | undefined {
  return containerStatusesOf(pod).find(({ name }) => name !== undefined && name === container);
}

/** For how long its container has been running. */
export function runningMsOf(facts: PlaceFacts): number | undefined {
  const since = parseTime(statusOf(facts)?.state?.running?.startedAt);
  return since === undefined ? undefined : Math.max(0, facts.now - since);
}

export const hasEnded = (facts: PlaceFacts): boolean => (statusOf(facts)?.restartCount ?? 0) > 0;

/** What the kubelet reports about the containers and how they ended, which outlives their logs. */
export function tellContainers(facts: PlaceFacts): string[] {
  const ends = containerStatusesOf(facts.pod).flatMap((status) => tellEnd(status, facts.now));
  return [...tellRun(facts), ...tellRegistration(facts), ...ends];
}

function tellRun(facts: PlaceFacts): string[] {
  const status = statusOf(facts);
  if (!status || !isRunning(status)) return [];
  const since = parseTime(status.state?.running?.startedAt);
  const age = since === undefined ? '' : ` for ${ageText(since, facts.now)}`;
  return [`container ${facts.container ?? ''} has been running${age}${restartWords(status.restartCount ?? 0)}`];
}

function restartWords(restarts: number): string {
  if (restarts === 0) return '';
  return restarts === 1 ? ', restarted once' : `, restarted ${restarts} times`;
}

function tellRegistration({ node = 'its node', isRegistered }: PlaceFacts): string[] {
  if (isRegistered === undefined) return [];
  return [`the kubelet of ${node} ${isRegistered ? 'has registered it' : 'has not registered it'}`];
}

/** How the container ended with an error, unless that was more than a day ago. */
function tellEnd(status: ContainerStatus, now: number): string[] {
  const last = status.lastState?.terminated ?? status.state?.terminated;
  const ended = parseTime(last?.finishedAt);
  if (last === undefined || last.exitCode === 0 || (ended !== undefined && now - ended > dayMs)) return [];
  const message = last.message?.trim().split('\n').at(-1)?.slice(0, 200);
  return [
    `container ${status.name ?? ''} ` +
      `ended${ended === undefined ? '' : ` ${ageText(ended, now)} ago`}${crashEnd(status)}${message ? `, with message "${message}"` : ''}`,
  ];
}

const dayMs = 86_400_000;
