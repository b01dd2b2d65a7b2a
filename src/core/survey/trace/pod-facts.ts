import { conditionOf, containerStatusesOf } from '../../facts/pod/pod-state.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import { kubeletOn, unknownComponent, scheduler } from './components.ts';
import type { Fact } from './fact.ts';
import { writesOf } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites } from './object-facts.ts';

export function podFacts(pod: Pod): (Fact | undefined)[] {
  const { name } = pod.metadata;
  const label = labelOf(pod);
  const node = pod.spec?.nodeName;
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
  const ready = conditionOf(pod.status?.conditions, 'Ready');
  return [
    createdFact(pod, { what: `${label} was created`, ...(owner?.kind && { by: `${owner.kind} controller` }) }),
    schedulingFact(pod),
    factAt(pod, pod.status?.startTime, {
      key: `seen-by-kubelet/${name}`,
      component: kubeletOn(node),
      what: `took ${label} up`,
      isMinor: true,
      source: 'status.startTime',
    }),
    mountFact(pod),
    ...containerStatusesOf(pod).flatMap((status) => containerFacts(pod, status)),
    ready?.status === 'True'
      ? factAt(pod, ready.lastTransitionTime, {
          key: `ready/${name}`,
          component: kubeletOn(node),
          what: `${label} became ready`,
          source: 'status.conditions[Ready].lastTransitionTime',
        })
      : undefined,
    disruptionFact(pod),
    deletionFact(pod),
    // Writes to the status show in the conditions and container states.
    ...otherWrites(
      pod,
      writesOf(pod).filter(({ subresource }) => subresource === 'status'),
      node,
    ),
  ];
}

function schedulingFact(pod: Pod): Fact | undefined {
  const condition = conditionOf(pod.status?.conditions, 'PodScheduled');
  const source = 'status.conditions[PodScheduled].lastTransitionTime';
  const { name } = pod.metadata;
  if (condition?.status === 'True')
    return factAt(pod, condition.lastTransitionTime, {
      key: `scheduled/${name}`,
      component: scheduler,
      what: `assigned ${labelOf(pod)} to ${pod.spec?.nodeName ?? 'a node'}`,
      source,
    });
  if (condition?.status !== 'False') return undefined;
  const isGated = condition.reason === 'SchedulingGated';
  return factAt(pod, condition.lastTransitionTime, {
    key: `unschedulable/${name}`,
    component: scheduler,
    what: isGated ? `left ${labelOf(pod)} behind its gates` : `found no node for ${labelOf(pod)}`,
    isTrouble: true,
    source,
    ...(condition.message && { said: condition.message }),
  });
}

/**
 * The kubelet mounts all volumes before it creates the sandbox, and the sandbox before it starts a container: the first
 * of these is the latest time at which the volumes were mounted.
 */
function mountFact(pod: Pod): Fact | undefined {
  const sandbox = conditionOf(pod.status?.conditions, 'PodReadyToStartContainers');
  const proofs = [
    {
      time: sandbox?.status === 'True' ? sandbox.lastTransitionTime : undefined,
      source: 'status.conditions[PodReadyToStartContainers].lastTransitionTime',
    },
    ...containerStatusesOf(pod).flatMap(({ state, lastState, name = '' }) =>
      [lastState?.terminated?.startedAt, state?.terminated?.startedAt, state?.running?.startedAt].map((time) => ({
        time,
        source: `start of container ${name}`,
      })),
    ),
  ].flatMap(({ time, source }) => {
    const at = parseTime(time);
    return at === undefined ? [] : [{ at, source }];
  });
  const [first] = proofs.sort((a, b) => a.at - b.at);
  return (
    first &&
    factAt(pod, first.at, {
      key: `mounted/${pod.metadata.name}`,
      component: kubeletOn(pod.spec?.nodeName),
      what: `had mounted all volumes of ${labelOf(pod)}`,
      certainty: 'latest',
      source: first.source,
    })
  );
}

export function containerFacts(
  pod: Pod,
  { name = '', state, lastState, restartCount = 0 }: ContainerStatus,
): (Fact | undefined)[] {
  const key = `${pod.metadata.name}/${name}`;
  const component = kubeletOn(pod.spec?.nodeName);
  const where = `container ${name} of ${labelOf(pod)}`;
  const ended = (end: NonNullable<typeof state>['terminated'], path: string): Fact | undefined => {
    if (!end) return undefined;
    const how = [end.reason, end.exitCode === undefined ? undefined : `exit code ${end.exitCode}`]
      .filter(Boolean)
      .join(', ');
    return factAt(pod, end.finishedAt, {
      key: `ended/${key}/${path}`,
      component,
      what: `${where} ended${how ? `: ${how}` : ''}`,
      source: `${path}.finishedAt`,
      ...(end.message && { said: end.message.trim() }),
      ...(end.exitCode !== 0 && { isTrouble: true }),
    });
  };
  const started = state?.running?.startedAt ?? state?.terminated?.startedAt;
  return [
    ended(lastState?.terminated, 'lastState.terminated'),
    factAt(pod, started, {
      key: `started/${key}`,
      component,
      what: `started ${where}${restartCount > 0 ? `, restart ${restartCount}` : ''}`,
      source: state?.running ? 'state.running.startedAt' : 'state.terminated.startedAt',
    }),
    ended(state?.terminated, 'state.terminated'),
  ];
}

function disruptionFact(pod: Pod): Fact | undefined {
  const condition = conditionOf(pod.status?.conditions, 'DisruptionTarget');
  if (condition?.status !== 'True') return undefined;
  return factAt(pod, condition.lastTransitionTime, {
    key: `disruption/${pod.metadata.name}`,
    component: unknownComponent,
    what: `${labelOf(pod)} is to go: ${condition.reason ?? 'disruption'}`,
    isTrouble: true,
    source: 'status.conditions[DisruptionTarget].lastTransitionTime',
    ...(condition.message && { said: condition.message }),
  });
}
