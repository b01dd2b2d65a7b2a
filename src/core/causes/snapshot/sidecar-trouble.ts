import { findLease } from '../../facts/driver/driver-lease.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { componentOf, lastSeen } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Confidence } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import {
  crashesOf,
  crashTrouble,
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  renewalWords,
  runsSidecar,
  withLogs,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';

/** Why the csi-snapshotter of a driver does not act: here `words` is a whole sentence. */
export interface SidecarTrouble extends ControllerTrouble {
  readonly confidence: Confidence;
}

const controllers = new WeakMap<SnapshotCase, DriverController>();

export function snapshotterOf(s: SnapshotCase, driver: string): DriverController {
  const known = controllers.get(s) ?? findController(s.ask, driver, 'snapshotter');
  controllers.set(s, known);
  return known;
}

/** The lease, the pods or the workload show that nobody is there. */
export function provenSidecarTrouble(s: SnapshotCase, driver: string): SidecarTrouble | undefined {
  // A fresh lease is the cheapest proof of life: nothing else is asked then.
  if (findLease(s.ask, driver, 'snapshotter').state === 'fresh') return undefined;
  const controller = snapshotterOf(s, driver);
  if (hasActedWithout(s, controller)) return undefined;
  const pods = ownPods(s, controller);
  const running = pods.filter((pod) => runsSidecar(pod, controller));
  const [broken] = pods.flatMap((pod) => crashesOf(pod, 'snapshotter', s.now));
  if (broken && !running.some((pod) => pod !== broken.pod))
    return proven(driver, withLogs(crashTrouble(controller, [broken]), logsFix(controller)));
  if (running.length > 0) {
    const idle = isLeaderless(s, controller, running) ? leaderTrouble(controller, running, s.now) : undefined;
    return idle && proven(driver, withLogs(idle, logsFix(controller)));
  }
  const down = podTrouble(controller, pods) ?? (isMeantToRun(controller) ? workloadTrouble(controller) : undefined);
  if (down) return proven(driver, down);
  // A lease outlives the sidecar that was left out of the last upgrade: there is nothing to start again then.
  const leftOut = controller.pods.items.length === 0 ? withoutSidecar(s, driver) : undefined;
  if (leftOut) return leftOut;
  const gone = leaseTrouble(controller, `the csi-snapshotter of ${driver}`, s.now);
  return gone && proven(driver, withLogs(gone, logsFix(controller)));
}

function proven(driver: string, trouble: ControllerTrouble): SidecarTrouble {
  return { ...trouble, confidence: 'certain', words: `the csi-snapshotter of ${driver} ${trouble.words}` };
}

/** The workload of the driver's controller may be without this sidecar. */
function isMeantToRun({ workload }: DriverController): boolean {
  return sidecarOf(workload?.object?.spec?.template?.spec, 'snapshotter') !== undefined;
}

/** Neither lease nor pod was found, and nobody has touched the content. */
export function silentSidecarTrouble(
  s: SnapshotCase,
  driver: string,
  content: SnapshotContent,
): SidecarTrouble | undefined {
  const { lease, pods } = snapshotterOf(s, driver);
  if (
    lease.object ||
    pods.items.length > 0 ||
    s.ask.isUnasked('Lease', { fieldSelector: `metadata.name=${lease.name}` })
  )
    return undefined;
  if (s.ask.eventsOf(content).items.some((event) => componentOf(event).startsWith('csi-snapshotter'))) return undefined;
  const driverObject = s.ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
  const isLookedFor = lease.state === 'missing' || pods.complete;
  return {
    confidence: isLookedFor ? 'likely' : 'possible',
    words: isLookedFor
      ? `no csi-snapshotter of ${driver} was found running${driverObject.state === 'missing' ? ', nor is such a driver installed' : ''}`
      : `nobody has answered for ${driver}, and whether its csi-snapshotter runs could not be read`,
    evidence: [
      lease.state === 'missing' ? absent('Lease', lease.name) : field(content, 'spec.driver'),
      ...(driverObject.state === 'missing' ? [absent('CSIDriver', driver)] : []),
    ],
    fix: [
      fix(
        `deploy the csi-snapshotter sidecar beside the controller of ${driver} (many charts leave it out unless the snapshot CRDs are there or it is asked for)`,
        'kubectl get deploy,sts -A -o wide | grep -i csi',
      ),
    ],
  };
}

/** With distributed snapshotting each node has a sidecar of its own, and only that of the volume's node counts. */
function ownPods(s: SnapshotCase, { pods }: DriverController): readonly Pod[] {
  const node = s.content?.metadata.labels?.[managedByLabel];
  return node === undefined ? pods.items : pods.items.filter((pod) => pod.spec?.nodeName === node);
}

/** It wrote since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithout(s: SnapshotCase, { lease }: DriverController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined || !s.content) return false;
  const since = renewed + 60_000;
  if ((parseTime(s.content.status?.error?.time) ?? 0) > since) return true;
  return s.ask
    .eventsOf(s.content)
    .items.some((event) => componentOf(event).startsWith('csi-snapshotter') && lastSeen(event) > since);
}

function isLeaderless(s: SnapshotCase, controller: DriverController, running: readonly Pod[]): boolean {
  const electing = running.filter(
    (pod) => (flagOf(sidecarOf(pod.spec, 'snapshotter'), 'leader-election') ?? 'false') !== 'false',
  );
  return (
    controller.lease.state === 'stale' &&
    electing.length > 0 &&
    electing.every(
      (pod) => s.secondsSince(statusOf(pod, sidecarOf(pod.spec, 'snapshotter')?.name)?.state?.running?.startedAt) > 60,
    )
  );
}

/** The controller of the driver runs, and the sidecar was never put beside it, or was taken away. */
function withoutSidecar(s: SnapshotCase, driver: string): SidecarTrouble | undefined {
  const { pods } = findController(s.ask, driver, 'provisioner');
  const [pod] = pods.items;
  if (!pod || !pods.complete || pods.items.some((candidate) => sidecarOf(candidate.spec, 'snapshotter')))
    return undefined;
  const { lease } = snapshotterOf(s, driver);
  const left = lease.object ? `; it had one once: ${renewalWords(lease.object, s.now)}` : '';
  return {
    confidence: lease.object ? 'certain' : 'likely',
    words: `the controller of ${driver} runs without the csi-snapshotter sidecar (pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''})${left}`,
    evidence: [
      note(pod, `has containers ${(pod.spec?.containers ?? []).map(({ name }) => name ?? '').join(', ')}`),
      ...(lease.object
        ? [field(lease.object, 'spec.renewTime')]
        : lease.state === 'missing'
          ? [absent('Lease', lease.name)]
          : []),
    ],
    fix: [
      fix(
        `add the csi-snapshotter to the controller of ${driver}: many charts leave it out unless the snapshot CRDs were there first or it is asked for, so upgrade or force it`,
        `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.spec.containers[*].name}'`,
      ),
    ],
  };
}
