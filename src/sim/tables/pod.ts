import { parseTime } from '../../core/kube/time.ts';
import { listAt, numberAt, textAt, valueAt } from '../fields.ts';
import { age, agoOf, field, name, text, wide } from './column.ts';
import type { Column } from './column.ts';

export const podColumns: readonly Column[] = [
  name,
  text(
    'Ready',
    (pod) =>
      `${mainStatuses(pod).filter((status) => valueAt(status, 'ready') === true).length}/${listAt(pod, 'spec', 'containers').length}`,
  ),
  text('Status', (pod) => podStatus(pod)),
  text('Restarts', (pod, now) => restarts(pod, now)),
  age,
  wide(field('IP', ['status', 'podIP'], '<none>')),
  wide(field('Node', ['spec', 'nodeName'], '<none>')),
  wide(field('Nominated Node', ['status', 'nominatedNodeName'], '<none>')),
  wide(text('Readiness Gates', (pod) => readinessGates(pod))),
];

const mainStatuses = (pod: unknown): readonly unknown[] => listAt(pod, 'status', 'containerStatuses');
const initStatuses = (pod: unknown): readonly unknown[] => listAt(pod, 'status', 'initContainerStatuses');
const conditionOf = (pod: unknown, type: string): unknown =>
  listAt(pod, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);

/** The word from `kubectl get pods`: computed from the containers, not stored anywhere. */
function podStatus(pod: unknown): string {
  if (
    textAt(pod, 'metadata', 'deletionTimestamp') !== '' &&
    !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'))
  ) {
    return textAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  const gated = textAt(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  const general = textAt(pod, 'status', 'reason') || (gated ? 'SchedulingGated' : textAt(pod, 'status', 'phase'));
  return initStatus(pod) ?? containerStatus(pod, general);
}

function initStatus(pod: unknown): string | undefined {
  const statuses = initStatuses(pod);
  for (const [index, status] of statuses.entries()) {
    const exit = valueAt(status, 'state', 'terminated');
    if (exit !== undefined && numberAt(exit, 'exitCode') === 0) continue;
    if (isSidecar(pod, status) && valueAt(status, 'started') === true) continue;
    if (exit !== undefined) return `Init:${terminatedWord(exit)}`;
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    return waiting !== '' && waiting !== 'PodInitializing'
      ? `Init:${waiting}`
      : `Init:${index}/${listAt(pod, 'spec', 'initContainers').length}`;
  }
  return undefined;
}

/** An init container that continues to run next to the others (restartPolicy Always). */
function isSidecar(pod: unknown, status: unknown): boolean {
  const container = listAt(pod, 'spec', 'initContainers').find(
    (candidate) => textAt(candidate, 'name') === textAt(status, 'name'),
  );
  return textAt(container, 'restartPolicy') === 'Always';
}

function containerStatus(pod: unknown, general: string): string {
  let word = general;
  let isRunning = false;
  for (const status of mainStatuses(pod).toReversed()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const exit = valueAt(status, 'state', 'terminated');
    if (waiting !== '') word = waiting;
    else if (exit !== undefined) word = terminatedWord(exit);
    else if (valueAt(status, 'ready') === true && valueAt(status, 'state', 'running') !== undefined) isRunning = true;
  }
  if (word !== 'Completed' || !isRunning) return word;
  return textAt(conditionOf(pod, 'Ready'), 'status') === 'True' ? 'Running' : 'NotReady';
}

function terminatedWord(terminated: unknown): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

function restarts(pod: unknown, now: number): string {
  const statuses = [...mainStatuses(pod), ...initStatuses(pod).filter((status) => isSidecar(pod, status))];
  const count = statuses.reduce<number>((sum, status) => sum + numberAt(status, 'restartCount'), 0);
  const ends = statuses
    .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
    .filter((time) => parseTime(time) !== undefined);
  const last = ends.sort().at(-1);
  return count === 0 || last === undefined ? String(count) : `${count} (${agoOf(last, now)} ago)`;
}

function readinessGates(pod: unknown): string {
  const gates = listAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  const passed = gates.filter(
    (gate) => textAt(conditionOf(pod, textAt(gate, 'conditionType')), 'status') === 'True',
  ).length;
  return `${passed}/${gates.length}`;
}
