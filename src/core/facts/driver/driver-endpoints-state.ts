import type { ObjectsVerdict } from '../../report/driver-endpoints.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { fix, inNamespace, shellWord } from '../evidence.ts';
import { crashEnd, describePod, isCrashing, isRunning, whyNotRunning } from '../pod/pod-health.ts';
import { containerStatusesOf, reasonsBeforeStart } from '../pod/pod-state.ts';

export interface PlaceFacts {
  readonly driver: string;
  readonly pod: Pod;
  readonly container: string | undefined;
  readonly node: string | undefined;
  /** Whether kubelet has registered the driver on the node; undefined when nobody could look, or it is not for this pod to register. */
  readonly isRegistered: boolean | undefined;
  readonly now: number;
}

/** A registrar needs a moment after the driver has started. */
const registrationMs = 60_000;

/** What the objects prove. That all runs proves nothing: a driver that hangs looks just so. */
export function judgeObjects(facts: PlaceFacts): ObjectsVerdict {
  const { driver, pod, container, node, isRegistered, now } = facts;
  const status = statusOf(facts);
  if (status !== undefined && !isRunning(status)) return notRunning(facts, status);
  if (status === undefined && pod.status?.phase !== 'Running') {
    return {
      status: pod.status?.phase === 'Pending' ? 'initialising' : 'unreachable',
      failure: 'container-not-running',
      summary: `pod/${pod.metadata.name} does not run: it is ${whyNotRunning(pod)}`,
      fix: [describePod(pod)],
    };
  }
  if (isRegistered === false) {
    const since = parseTime(status?.state?.running?.startedAt);
    const isYoung = since !== undefined && now - since < registrationMs;
    return {
      status: isYoung ? 'initialising' : 'unhealthy',
      failure: 'not-registered',
      summary: isYoung
        ? `the driver has just started, and the kubelet of ${node ?? 'the node'} has not registered it yet`
        : `the driver runs, but the kubelet of ${node ?? 'the node'} has not registered it, so it can mount nothing there`,
      fix: [fix('see why', `kubectl csi why csidriver/${shellWord(driver)}`), ...registrarLog(pod)],
    };
  }
  return {
    status: 'unknown',
    summary: `container ${container ?? 'of the driver'} runs, but nobody has asked the driver itself`,
    fix: [],
  };
}

function notRunning({ pod, now }: PlaceFacts, status: ContainerStatus): ObjectsVerdict {
  const { name, namespace } = pod.metadata;
  const container = status.name ?? '';
  const reason = status.state?.waiting?.reason ?? '';
  const isStarting =
    status.state?.waiting !== undefined && reasonsBeforeStart.includes(reason) && (status.restartCount ?? 0) === 0;
  const summary = isCrashing(status, now)
    ? `the driver keeps crashing: container ${container} ended${crashEnd(status)} and waits for its next start`
    : isStarting
      ? `container ${container} of the driver has not started yet (${reason || 'no reason given'})`
      : `container ${container} of the driver does not run: ${status.state?.terminated ? `it ended${crashEnd(status)}` : reason || 'no reason given'}`;
  return {
    status: isStarting ? 'initialising' : 'unreachable',
    failure: 'container-not-running',
    summary,
    fix: [
      ...((status.lastState?.terminated ?? status.state?.terminated)
        ? [
            fix(
              'read why it ended',
              `kubectl ${inNamespace(namespace)}logs ${shellWord(name)} -c ${shellWord(container)} --previous --tail=50`,
            ),
          ]
        : []),
      describePod(pod),
    ],
  };
}

function registrarLog(pod: Pod): ReturnType<typeof fix>[] {
  const registrar = containerStatusesOf(pod).find(({ name }) => name?.includes('registrar'))?.name;
  return registrar === undefined
    ? []
    : [
        fix(
          'read the log of the registrar',
          `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(registrar)} --tail=50`,
        ),
      ];
}

function statusOf({ pod, container }: PlaceFacts): ContainerStatus | undefined {
  return containerStatusesOf(pod).find(({ name }) => name !== undefined && name === container);
}

export const hasEnded = (facts: PlaceFacts): boolean => (statusOf(facts)?.restartCount ?? 0) > 0;

/** What the kubelet tells of the containers, and of what they said when they ended: it outlives their logs. */
export function tellContainers(facts: PlaceFacts): string[] {
  const { pod, container, now, node, isRegistered } = facts;
  const own = statusOf(facts);
  const since = parseTime(own?.state?.running?.startedAt);
  const times = own?.restartCount ?? 0;
  const ran =
    own === undefined || !isRunning(own)
      ? []
      : [
          `container ${container ?? ''} runs${since === undefined ? '' : ` for ${ageText(since, now)}`}${times === 0 ? '' : `, restarted ${times === 1 ? 'once' : `${times} times`}`}`,
        ];
  const registered =
    isRegistered === undefined
      ? []
      : [
          isRegistered
            ? `the kubelet of ${node ?? 'its node'} has registered it`
            : `the kubelet of ${node ?? 'its node'} has not registered it`,
        ];
  const ends = containerStatusesOf(pod).flatMap((status) => lastWords(status, now));
  return [...ran, ...registered, ...ends];
}

/** Only what tells something: an end in the last day, or one that left a message. */
function lastWords(status: ContainerStatus, now: number): string[] {
  const last = status.lastState?.terminated ?? status.state?.terminated;
  const ended = parseTime(last?.finishedAt);
  if (last === undefined || last.exitCode === 0 || (ended !== undefined && now - ended > dayMs)) return [];
  const message = last.message?.trim().split('\n').at(-1)?.slice(0, 200);
  return [
    `container ${status.name ?? ''} ended${ended === undefined ? '' : ` ${ageText(ended, now)} ago`}${crashEnd(status)}${message ? `, saying "${message}"` : ''}`,
  ];
}

const dayMs = 86_400_000;
