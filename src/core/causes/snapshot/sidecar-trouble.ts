import { findLease } from '../../facts/driver/driver-lease.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { componentOf, lastSeen } from '../../graph/events.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
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
import { absent, field, note } from '../../facts/evidence.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { steps } from '../lib/steps.ts';
import { addSnapshotter, installSnapshotter } from './add-snapshotter.ts';

/** Why the csi-snapshotter of a driver does not act; `words` are a sentence of their own. */
export interface SidecarTrouble extends ControllerTrouble {
  readonly confidence: Confidence;
}

/** Time for a new leader to take over, or for clocks to differ. */
const takeOverSeconds = 60;

const controllers = new WeakMap<SnapshotCase, DriverController>();

export function snapshotterOf(s: SnapshotCase, driver: string): DriverController {
  const known = controllers.get(s) ?? findController(s.ask, driver, 'snapshotter');
  controllers.set(s, known);
  return known;
}

/** The lease, the pods or the workload show that it does not run. */
export function provenSidecarTrouble(s: SnapshotCase, driver: string): SidecarTrouble | undefined {
  // A fresh lease proves that it runs: nothing else needs to be read then.
  if (findLease(s.ask, driver, 'snapshotter').state === 'fresh') return undefined;
  const controller = snapshotterOf(s, driver);
  if (hasActedWithoutLease(s, controller)) return undefined;
  const pods = ownPods(s, controller);
  const running = pods.filter((pod) => runsSidecar(pod, controller));
  const [broken] = pods.flatMap((pod) => crashesOf(pod, 'snapshotter', s.now));
  if (broken && !running.some((pod) => pod !== broken.pod)) return proven(driver, crashTrouble(controller, [broken]));
  if (running.length > 0) {
    const idle = isLeaderless(s, controller, running) ? leaderTrouble(controller, running, s.now) : undefined;
    return idle && proven(driver, withLogs(idle, logsFix(controller)));
  }
  const down = podTrouble(controller, pods) ?? (isMeantToRun(controller) ? workloadTrouble(controller) : undefined);
  if (down) return proven(driver, down);
  // A lease outlives a sidecar that the last upgrade dropped: then there is nothing to restart.
  const dropped = controller.pods.items.length === 0 ? findControllerWithoutSidecar(s, driver) : undefined;
  if (dropped) return dropped;
  const gone = leaseTrouble(controller, `the csi-snapshotter of ${driver}`, s.now);
  return gone && proven(driver, gone);
}

function proven(driver: string, trouble: ControllerTrouble): SidecarTrouble {
  const { words, reason } = trouble;
  const sentence = words.startsWith('is not running')
    ? `No csi-snapshotter is running for ${driver}: ${reason ?? words}.`
    : `The csi-snapshotter of ${driver} ${words}.`;
  return { ...trouble, confidence: 'certain', words: sentence };
}

/** The driver's controller may be deployed without this sidecar. */
function isMeantToRun({ workload }: DriverController): boolean {
  return sidecarOf(workload?.object?.spec?.template?.spec, 'snapshotter') !== undefined;
}

/** Neither a lease nor a pod was found, and no csi-snapshotter has written an event on the content. */
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
  // A sidecar with leader election leaves its lease behind: those of the driver's other sidecars show that it is in use
  // here.
  const isNeverSeen = lease.state === 'missing' && findLease(s.ask, driver, 'provisioner').state === 'fresh';
  const isDriverMissing = driverObject.state === 'missing';
  const isLookedFor = lease.state === 'missing' || pods.complete;
  const notFound = isDriverMissing
    ? `No csi-snapshotter of ${driver} was found running, and no driver of that name is installed.`
    : `No csi-snapshotter of ${driver} was found running.`;
  return {
    confidence: isLookedFor ? 'likely' : 'possible',
    words: isLookedFor
      ? notFound
      : `No csi-snapshotter has answered for ${driver}, and whether one runs could not be read.`,
    evidence: [
      lease.state === 'missing' ? absent('Lease', lease.name) : field(content, 'spec.driver'),
      ...(isDriverMissing ? [absent('CSIDriver', driver)] : []),
    ],
    fix: [isNeverSeen ? installSnapshotter(driver) : startOrAdd(driver)],
  };
}

/** Nothing is known of the sidecar: the list shows whether the driver's controller has it at all. */
function startOrAdd(driver: string): Fix {
  return steps(
    `Start the csi-snapshotter of ${driver}. ` +
      'Find the controller of the driver in the list (PLACEHOLDER_NAMESPACE, PLACEHOLDER_WORKLOAD as ' +
      'TYPE/NAME): scale it up if it has 0 replicas, and use "rollout restart" otherwise. ' +
      `If its containers include no csi-snapshotter, switch that on in the driver's chart or operator instead: ` +
      'many leave it out unless the snapshot CRDs existed first. ' +
      'What waits for it then continues automatically.',
    [
      'kubectl get deploy,sts,ds -A -o ' +
        `custom-columns='NAMESPACE:.metadata.namespace,TYPE:.kind,NAME:.metadata.name,REPLICAS:.spec.replicas,CONTAINERS:.spec.template.spec.containers[*].name' | grep -i csi`,
      'kubectl -n PLACEHOLDER_NAMESPACE scale PLACEHOLDER_WORKLOAD --replicas=1',
    ],
  );
}

/** With distributed snapshotting each node has its own sidecar, and only the one on the volume's node counts. */
function ownPods(s: SnapshotCase, { pods }: DriverController): readonly Pod[] {
  const node = s.content?.metadata.labels?.[managedByLabel];
  return node === undefined ? pods.items : pods.items.filter((pod) => pod.spec?.nodeName === node);
}

/** It has written since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithoutLease(s: SnapshotCase, { lease }: DriverController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined || !s.content) return false;
  const since = renewed + takeOverSeconds * 1000;
  if ((parseTime(s.content.status?.error?.time) ?? 0) > since) return true;
  return s.ask
    .eventsOf(s.content)
    .items.some((event) => componentOf(event).startsWith('csi-snapshotter') && lastSeen(event) > since);
}

/** Pods that take part in leader election run, and none of them renews the lease. */
function isLeaderless(s: SnapshotCase, { lease }: DriverController, running: readonly Pod[]): boolean {
  const electing = running.filter(
    (pod) => (flagOf(sidecarOf(pod.spec, 'snapshotter'), 'leader-election') ?? 'false') !== 'false',
  );
  return (
    lease.state === 'stale' &&
    electing.length > 0 &&
    electing.every((pod) => s.secondsSince(sidecarStart(pod)) > takeOverSeconds)
  );
}

function sidecarStart(pod: Pod): string | undefined {
  return statusOf(pod, sidecarOf(pod.spec, 'snapshotter')?.name)?.state?.running?.startedAt;
}

/** The driver's controller runs, and this sidecar was never deployed with it or was removed. */
function findControllerWithoutSidecar(s: SnapshotCase, driver: string): SidecarTrouble | undefined {
  const { pods, workload } = findController(s.ask, driver, 'provisioner');
  const [pod] = pods.items;
  if (!pod || !pods.complete || pods.items.some((candidate) => sidecarOf(candidate.spec, 'snapshotter')))
    return undefined;
  const { lease } = snapshotterOf(s, driver);
  const former = lease.object ? ` It had one before: ${renewalWords(lease.object, s.now)}.` : '';
  return {
    confidence: lease.object ? 'certain' : 'likely',
    words:
      `The controller of ${driver} runs without a csi-snapshotter (pod/${pod.metadata.name} in namespace ` +
      `${pod.metadata.namespace ?? ''}).${former}`,
    evidence: [
      note(pod, `has containers ${(pod.spec?.containers ?? []).map(({ name }) => name ?? '').join(', ')}`),
      ...leaseEvidence(lease),
    ],
    fix: [addSnapshotter(driver, pod, workload)],
  };
}

function leaseEvidence(lease: DriverController['lease']): Evidence[] {
  if (lease.object) return [field(lease.object, 'spec.renewTime')];
  return lease.state === 'missing' ? [absent('Lease', lease.name)] : [];
}
