import { findLease } from '../../graph/driver-lease.ts';
import { findController, logsFix } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import { flagOf, sidecarOf } from '../../graph/driver-pods.ts';
import { componentOf, lastSeen } from '../../graph/events.ts';
import type { Pod } from '../../model/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../model/report.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { absent, field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { managedByLabel } from '../../journey/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../journey/snapshot-case.ts';
import { crashEvidence, isCrashing, leaseEvidence, podEvidence, runsSidecar, statusOf, whyNotRunning } from '../provision/controller-health.ts';

/** Why the csi-snapshotter of a driver does not act, as a part of a sentence, with its proof. */
export interface SidecarTrouble {
  readonly confidence: Confidence;
  readonly words: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
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
  const broken = pods.flatMap((pod) => sidecarStatuses(pod, controller).filter((status) => isCrashing(status, s.now)).map((status) => ({ pod, status })))[0];
  if (broken && !running.some((pod) => pod !== broken.pod)) {
    const { pod, status } = broken;
    return {
      confidence: 'certain',
      words: `container ${status.name ?? ''} of pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) keeps crashing`,
      evidence: [...crashEvidence(pod, status), ...leaseEvidence(controller)],
      fix: [fix('read why it died', `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name ?? '')} --previous --tail=50`), logsFix(controller)],
    };
  }
  if (running.length > 0) return isLeaderless(s, controller, running) ? leaderless(s, controller, running) : undefined;
  return downByPods(controller, pods) ?? staleLease(s, controller) ?? withoutSidecar(s, driver);
}

/** Neither lease nor pod was found, and nobody has touched the content. */
export function silentSidecarTrouble(s: SnapshotCase, driver: string, content: SnapshotContent): SidecarTrouble | undefined {
  const { lease, pods } = snapshotterOf(s, driver);
  if (lease.object || pods.items.length > 0 || s.ask.isUnasked('Lease', { fieldSelector: `metadata.name=${lease.name}` })) return undefined;
  if (s.ask.eventsOf(content).items.some((event) => componentOf(event).startsWith('csi-snapshotter'))) return undefined;
  const driverObject = s.ask.get('CSIDriver', undefined, driver, `whether ${driver} is installed`);
  const isLookedFor = lease.state === 'missing' || pods.complete;
  return {
    confidence: isLookedFor ? 'likely' : 'possible',
    words: isLookedFor
      ? `no csi-snapshotter of ${driver} was found running${driverObject.state === 'missing' ? ', nor is such a driver installed' : ''}`
      : `nobody has answered for ${driver}, and whether its csi-snapshotter runs could not be read`,
    evidence: [lease.state === 'missing' ? absent('Lease', lease.name) : field(content, 'spec.driver'), ...(driverObject.state === 'missing' ? [absent('CSIDriver', driver)] : [])],
    fix: [fix(`deploy the csi-snapshotter sidecar beside the controller of ${driver} (many charts leave it out unless the snapshot CRDs are there or it is asked for)`, 'kubectl get deploy,sts -A -o wide | grep -i csi')],
  };
}

/** With distributed snapshotting each node has a sidecar of its own, and only that of the volume's node counts. */
function ownPods(s: SnapshotCase, { pods }: DriverController): readonly Pod[] {
  const node = s.content?.metadata.labels?.[managedByLabel];
  return node === undefined ? pods.items : pods.items.filter((pod) => pod.spec?.nodeName === node);
}

function sidecarStatuses(pod: Pod, controller: DriverController) {
  const names = [controller.driverContainer, sidecarOf(pod.spec, 'snapshotter')?.name];
  return names.map((name) => statusOf(pod, name)).filter((status) => status !== undefined);
}

/** It wrote since its lease was last renewed: leader election was switched off, and the lease is a leftover. */
function hasActedWithout(s: SnapshotCase, { lease }: DriverController): boolean {
  const renewed = parseTime(lease.object?.spec?.renewTime);
  if (renewed === undefined || !s.content) return false;
  const since = renewed + 60_000;
  if ((parseTime(s.content.status?.error?.time) ?? 0) > since) return true;
  return s.ask.eventsOf(s.content).items.some((event) => componentOf(event).startsWith('csi-snapshotter') && lastSeen(event) > since);
}

function isLeaderless(s: SnapshotCase, controller: DriverController, running: readonly Pod[]): boolean {
  const electing = running.filter((pod) => (flagOf(sidecarOf(pod.spec, 'snapshotter'), 'leader-election') ?? 'false') !== 'false');
  return controller.lease.state === 'stale' && electing.length > 0 && electing.every((pod) => s.secondsSince(statusOf(pod, sidecarOf(pod.spec, 'snapshotter')?.name)?.state?.running?.startedAt) > 60);
}

function leaderless(s: SnapshotCase, controller: DriverController, running: readonly Pod[]): SidecarTrouble | undefined {
  const { lease } = controller;
  if (!lease.object) return undefined;
  return {
    confidence: 'certain',
    words: `the csi-snapshotter of ${controller.driver} runs but does not lead: nobody has renewed lease ${lease.object.metadata.namespace ?? ''}/${lease.name} for ${leaseAge(s, controller)}`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity'), ...running.slice(0, 2).map((pod) => note(pod, 'runs, and has not taken the lease'))],
    fix: [logsFix(controller)],
  };
}

function downByPods(controller: DriverController, pods: readonly Pod[]): SidecarTrouble | undefined {
  const { driver, workload } = controller;
  const [pod] = pods;
  if (pod) {
    return {
      confidence: 'certain',
      words: `the csi-snapshotter of ${driver} does not run: pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} is ${whyNotRunning(pod)}`,
      evidence: [podEvidence(pod), ...leaseEvidence(controller)],
      fix: [fix('see what keeps the pod from running', `kubectl ${inNamespace(pod.metadata.namespace)}describe pod ${shellWord(pod.metadata.name)}`)],
    };
  }
  if (!workload?.object || !sidecarOf(workload.object.spec?.template?.spec, 'snapshotter') || (!controller.pods.complete && workload.object.spec?.replicas !== 0)) return undefined;
  const isZero = workload.object.spec?.replicas === 0;
  const kind = workload.kind.toLowerCase();
  return {
    confidence: 'certain',
    words: `the csi-snapshotter of ${driver} does not run: ${kind}/${workload.name} in namespace ${workload.namespace} ${isZero ? 'is scaled to zero' : 'has no pods'}`,
    evidence: [field(workload.object, 'spec.replicas'), ...leaseEvidence(controller)],
    fix: [isZero ? fix('start it again', `kubectl ${inNamespace(workload.namespace)}scale ${kind} ${shellWord(workload.name)} --replicas=1`) : fix('see why it makes no pods', `kubectl ${inNamespace(workload.namespace)}describe ${kind} ${shellWord(workload.name)}`)],
  };
}

function staleLease(s: SnapshotCase, controller: DriverController): SidecarTrouble | undefined {
  const { lease, driver } = controller;
  if (lease.state !== 'stale' || !lease.object) return undefined;
  const holder = lease.object.spec?.holderIdentity;
  return {
    confidence: 'certain',
    words: `the csi-snapshotter of ${driver} does not run: nobody has renewed lease ${lease.object.metadata.namespace ?? ''}/${lease.name} for ${leaseAge(s, controller)}${holder ? ` (last held by ${holder})` : ''}`,
    evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity')],
    fix: [fix(`start the controller of ${driver} again, with its csi-snapshotter`, `kubectl ${inNamespace(lease.object.metadata.namespace)}get deploy,sts,pods -o wide`), logsFix(controller)],
  };
}

/** The controller of the driver runs, and the sidecar was never put beside it. */
function withoutSidecar(s: SnapshotCase, driver: string): SidecarTrouble | undefined {
  const { pods } = findController(s.ask, driver, 'provisioner');
  const [pod] = pods.items;
  if (!pod || !pods.complete || pods.items.some((candidate) => sidecarOf(candidate.spec, 'snapshotter'))) return undefined;
  const { lease } = snapshotterOf(s, driver);
  return {
    confidence: lease.object ? 'certain' : 'likely',
    words: `the controller of ${driver} runs without the csi-snapshotter sidecar (pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''})`,
    evidence: [note(pod, `has containers ${(pod.spec?.containers ?? []).map(({ name }) => name ?? '').join(', ')}`), ...(lease.state === 'missing' ? [absent('Lease', lease.name)] : [])],
    fix: [
      fix(`add the csi-snapshotter to the controller of ${driver}: many charts leave it out unless the snapshot CRDs were there first or it is asked for, so upgrade or force it`, `kubectl ${inNamespace(pod.metadata.namespace)}get pod ${shellWord(pod.metadata.name)} -o jsonpath='{.spec.containers[*].name}'`),
    ],
  };
}

function leaseAge(s: SnapshotCase, { lease }: DriverController): string {
  return ageText(parseTime(lease.object?.spec?.renewTime) ?? 0, s.now);
}
