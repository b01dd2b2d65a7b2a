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
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { absent, fix, note } from '../../facts/evidence.ts';
import { isRunning, statusOf } from '../../facts/pod/pod-health.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';

/** Snapshots that wait for the same snapshot controller are printed as one. */
export const aboutController = 'snapshot-controller';

/** Why the snapshot controller does not act; `words` follow "the snapshot controller". */
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
    return trouble && { ...withLogs(trouble, logs), confidence: 'certain' };
  }
  const down = podTrouble(controller);
  if (down)
    return { ...withLogs(down, logs), confidence: pods.complete || lease.state === 'stale' ? 'certain' : 'likely' };
  const unmade = workloadTrouble(controller);
  if (unmade) return { ...unmade, confidence: 'certain' };
  const gone = leaseTrouble(controller, 'the snapshot controller', s.now);
  return gone && { ...withLogs(gone, logs), confidence: 'certain' };
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
  return {
    confidence: 'likely',
    words: controller.isNowhere
      ? 'is not installed: there is neither its lease nor a workload of it'
      : 'does not answer, and whether it runs could not be seen',
    evidence: [
      lease.state === 'missing'
        ? absent('Lease', lease.name)
        : note(s.snapshot, 'has neither a status nor a finalizer of the snapshot controller'),
    ],
    fix: [
      fix(
        'install the snapshot controller: it is not part of any CSI driver, and a cluster needs one',
        'kubectl get deploy -A | grep -i snapshot-controller',
      ),
      fix('where the provider runs it out of sight, ask there whether snapshots are switched on'),
    ],
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
