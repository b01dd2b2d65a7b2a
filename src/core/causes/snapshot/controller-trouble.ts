import {
  controllerContainerOf,
  findSnapshotController,
  snapshotControllerLogs,
} from '../../facts/snapshot/snapshot-controller.ts';
import type { SnapshotController } from '../../facts/snapshot/snapshot-controller.ts';
import { componentOf } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Confidence } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import {
  crashTrouble,
  findWorkloadWords,
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import type { Fix } from '../../report/report.ts';
import { absent, note } from '../../facts/evidence.ts';
import { isCrashing, isRunning, statusOf } from '../../facts/pod/pod-health.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { steps } from '../lib/steps.ts';
import { installController } from './install.ts';

/** Snapshots that wait for the same snapshot controller are printed as one. */
export const aboutController = 'snapshot-controller';

/** Why the snapshot controller does not act; `words` are a sentence of their own. */
export interface SnapshotTrouble extends ControllerTrouble {
  readonly confidence: Confidence;
}

/** Time for a new leader to take over. */
const takeOverSeconds = 60;

/** Shown by its lease, its pods or its workload. A missing lease alone proves nothing: leader election is optional. */
export function provenTrouble(s: SnapshotCase): SnapshotTrouble | undefined {
  const controller = findSnapshotController(s.ask);
  const { lease, pods } = controller;
  if (lease.state === 'fresh' || hasActedWithoutLease(s, controller)) return undefined;
  const logs = snapshotControllerLogs(controller);
  const running = pods.items.filter(runsController);
  if (running.length > 0) {
    const idle = running.filter((pod) => s.secondsSince(controllerStart(pod)) > takeOverSeconds);
    const trouble = leaderTrouble(controller, idle, s.now);
    return trouble && proven(withLogs(trouble, ...logs));
  }
  const isSure = pods.complete || lease.state === 'stale';
  const crash = crashOf(s, controller);
  if (crash) return { ...proven(crash), confidence: isSure ? 'certain' : 'likely' };
  const down = podTrouble(controller);
  if (down) return { ...proven(withLogs(down, ...logs)), confidence: isSure ? 'certain' : 'likely' };
  const unmade = workloadTrouble(controller);
  if (unmade) return proven(unmade);
  const gone = leaseTrouble(controller, 'the snapshot controller', s.now);
  return gone && { ...proven(gone), fix: [startController(lease.object?.spec?.holderIdentity)] };
}

function proven(trouble: ControllerTrouble): SnapshotTrouble {
  const { words, reason } = trouble;
  const sentence = words.startsWith('is not running')
    ? `No snapshot controller is running: ${reason ?? words}.`
    : `The snapshot controller ${words}.`;
  return { ...trouble, words: sentence, confidence: 'certain' };
}

function crashOf(s: SnapshotCase, controller: SnapshotController): ControllerTrouble | undefined {
  const [first, ...others] = controller.pods.items.flatMap((pod) => {
    const status = statusOf(pod, controllerContainerOf(pod.spec)?.name);
    return status && isCrashing(status, s.now) ? [{ pod, status }] : [];
  });
  return first && crashTrouble(controller, [first, ...others]);
}

/** Its workload is not known: the first line finds it. */
function startController(holder?: string): Fix {
  return steps(
    'Start the snapshot controller: there is one for the whole cluster, and no driver brings it. ' +
      `${findWorkloadWords(holder)} Waiting snapshots are then taken within about a minute, with the ` +
      'data of that moment.',
    [
      'kubectl get deploy,sts -A -o wide | grep -i snapshot-controller',
      'kubectl -n PLACEHOLDER_NAMESPACE scale PLACEHOLDER_WORKLOAD --replicas=1',
    ],
  );
}

/** No trace of it was found, and it has written no event on the snapshot. */
export function silentTrouble(s: SnapshotCase): SnapshotTrouble | undefined {
  const controller = findSnapshotController(s.ask);
  const { lease, pods } = controller;
  if (
    lease.object ||
    pods.items.length > 0 ||
    !s.snapshot ||
    s.ask.isUnasked('Lease', { fieldSelector: `metadata.name=${lease.name}` })
  )
    return undefined;
  const spoken = s.ask.eventsOf(s.snapshot).items.some((event) => /snapshot-controller/.test(componentOf(event)));
  if (spoken) return undefined;
  const { isNowhere } = controller;
  return {
    confidence: 'likely',
    words: isNowhere
      ? 'No snapshot controller is installed: neither its lease nor a workload of it was found.'
      : 'No snapshot controller has answered, and whether one runs could not be read.',
    evidence: [
      lease.state === 'missing'
        ? absent('Lease', lease.name)
        : note(s.snapshot, 'has neither a status nor a finalizer of the snapshot controller'),
    ],
    fix: isNowhere ? [installController] : [startController(), installController],
  };
}

/** It has written since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithoutLease(s: SnapshotCase, { lease }: SnapshotController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined) return false;
  const errorTime = s.error?.object.kind === 'VolumeSnapshot' ? s.error.time : undefined;
  const contentTime = s.isPreProvisioned ? undefined : s.content?.metadata.creationTimestamp;
  return [errorTime, contentTime].some((time) => (parseTime(time) ?? 0) > renewed + takeOverSeconds * 1000);
}

function controllerStart(pod: Pod): string | undefined {
  return statusOf(pod, controllerContainerOf(pod.spec)?.name)?.state?.running?.startedAt;
}

function runsController(pod: Pod): boolean {
  const status = statusOf(pod, controllerContainerOf(pod.spec)?.name);
  return status ? isRunning(status) && status.ready !== false : pod.status?.phase === 'Running' && isReady(pod);
}
