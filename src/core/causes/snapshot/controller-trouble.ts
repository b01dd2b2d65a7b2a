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

/** Why the snapshot controller does not act, as a part of a sentence, with its proof. */
export interface SnapshotTrouble extends ControllerTrouble {
  readonly confidence: Confidence;
}

const takeOverSeconds = 60;

/** Proven by its lease, its pods or its workload. A missing lease alone proves nothing: leader election is optional. */
export function provenTrouble(s: SnapshotCase): SnapshotTrouble | undefined {
  const controller = findSnapshotController(s.ask);
  const { lease, pods } = controller;
  if (lease.state === 'fresh' || hasActedWithout(s, controller)) return undefined;
  const logs = snapshotControllerLogs(controller);
  const running = pods.items.filter(runsController);
  if (running.length > 0) {
    const idle = running.filter(
      (pod) =>
        s.secondsSince(statusOf(pod, controllerContainerOf(pod.spec)?.name)?.state?.running?.startedAt) >
        takeOverSeconds,
    );
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

/** Nothing of it was found, and it has not said a word. */
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

/** It has written something since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithout(s: SnapshotCase, { lease }: SnapshotController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined) return false;
  const own = s.error?.object.kind === 'VolumeSnapshot' ? s.error.time : undefined;
  const made = s.isPreProvisioned ? undefined : s.content?.metadata.creationTimestamp;
  return [own, made].some((time) => (parseTime(time) ?? 0) > renewed + takeOverSeconds * 1000);
}

function runsController(pod: Pod): boolean {
  const status = statusOf(pod, controllerContainerOf(pod.spec)?.name);
  return status ? isRunning(status) && status.ready !== false : pod.status?.phase === 'Running' && isReady(pod);
}
