import { findLease } from '../../facts/driver/driver-lease.ts';
import { driverContainerOf, flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { holderNames, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import type { ContainerStatus, Lease, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { runsSidecar, usesLeaderElection } from '../../facts/driver/controller-health.ts';
import {
  cannotStart,
  isRunning,
  startFix,
  statusOf,
  waitingEvidence,
  waitingWords,
} from '../../facts/pod/pod-health.ts';
import { controllerOf, externalProvisionerOf, hasSpokenLately, waitedSeconds } from './provisioner.ts';

const probeSeconds = 60;

/** csi-lib-utils ProbeForever: a sidecar asks its driver once a second, and neither leads nor works before the driver says it is ready. */
export const provisionerDriverNotReady = claimRule({
  cause: 'provisioner-driver-not-ready',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner || waitedSeconds(c) < probeSeconds) return undefined;
    const controller = controllerOf(c, provisioner);
    const { lease } = controller;
    if (lease.state === 'fresh' || hasSpokenLately(c, lease.object?.spec?.renewTime)) return undefined;
    const waiting = controller.pods.items.filter((pod) => runsSidecar(pod, controller));
    if (waiting.length === 0 || waiting.some((pod) => !waitsForDriver(pod, controller, c.now))) return undefined;
    const pod = waiting[0] as Pod;
    const driver = driverStatus(pod);
    const isDriverSeen = driver !== undefined && driver.ready === false;
    const peer = isDriverSeen || lease.object ? undefined : leadingPeer(c, provisioner.name, pod);
    const isStuck = isDriverSeen && cannotStart(driver);
    const where = `pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''})`;
    const evidence: [Evidence, ...Evidence[]] = [
      isStuck
        ? waitingEvidence(pod, driver)
        : isDriverSeen
          ? field(pod, `status.containerStatuses[${driver.name ?? ''}].ready`, driver.ready)
          : note(pod, 'the provisioner runs with leader election'),
      ...(lease.object
        ? [field(lease.object, 'spec.renewTime')]
        : lease.state === 'missing'
          ? [absent('Lease', lease.name, pod.metadata.namespace)]
          : []),
      ...(peer ? [field(peer.lease, 'spec.holderIdentity')] : []),
    ];
    const right = isDriverSeen || lease.object ? [] : leaseRight(pod);
    return {
      confidence: 'likely',
      about: provisioner.name,
      summary: isDriverSeen
        ? `container ${driver.name ?? ''} of ${where} ${isStuck ? `cannot start (${waitingWords(driver)})` : 'is not ready'}, so the provisioner of ${provisioner.name} waits for it`
        : `the provisioner of ${provisioner.name} runs in ${where} but never took lease ${lease.name}: ${peer ? `it may not create leases, or hangs; its driver did answer the ${peer.role} beside it, which leads` : 'its driver is not ready, or it may not write leases'}`,
      evidence,
      fix: isStuck
        ? [startFix(pod, driver)]
        : peer
          ? [...right, logsFix(controller), logsFix(controller, 'driver')]
          : [logsFix(controller), ...right, logsFix(controller, 'driver')],
    };
  },
});

function waitsForDriver(pod: Pod, controller: DriverController, now: number): boolean {
  const driver = driverStatus(pod);
  if (driver?.ready === false && !isStarting(driver, now)) return true;
  const sidecar = statusOf(pod, sidecarOf(pod.spec, controller.role)?.name);
  return (
    controller.lease.state === 'missing' &&
    usesLeaderElection(pod, controller) &&
    isRunning(sidecar) &&
    !isStarting(sidecar, now)
  );
}

/** Another sidecar of the pod that leads: it has asked the same driver before (each probes first, and then takes its lease). */
function leadingPeer(
  { ask }: ClaimCase,
  driver: string,
  pod: Pod,
): { readonly role: SidecarRole; readonly lease: Lease } | undefined {
  for (const role of ['attacher', 'resizer', 'snapshotter'] as const) {
    if (!sidecarOf(pod.spec, role)) continue;
    const { state, object } = findLease(ask, driver, role);
    if (
      state === 'fresh' &&
      object &&
      object.metadata.namespace === leaseNamespaceOf(pod) &&
      holderNames(object.spec?.holderIdentity).includes(pod.metadata.name)
    )
      return { role, lease: object };
  }
  return undefined;
}

/** A lease that is there may be renewed with fewer rights than it takes to make one. */
function leaseRight(pod: Pod): Fix[] {
  const account = pod.spec?.serviceAccountName;
  const { namespace } = pod.metadata;
  if (account === undefined || namespace === undefined) return [];
  return [
    fix(
      'see whether it may create its lease; if not, apply the RBAC of the driver',
      `kubectl auth can-i create leases.coordination.k8s.io -n ${shellWord(leaseNamespaceOf(pod) ?? namespace)} --as=${shellWord(`system:serviceaccount:${namespace}:${account}`)}`,
    ),
  ];
}

function leaseNamespaceOf(pod: Pod): string | undefined {
  return flagOf(sidecarOf(pod.spec, 'provisioner'), 'leader-election-namespace') ?? pod.metadata.namespace;
}

function driverStatus(pod: Pod): ContainerStatus | undefined {
  return statusOf(pod, driverContainerOf(pod.spec)?.name);
}

function isStarting(status: ContainerStatus | undefined, now: number): boolean {
  const started = parseTime(status?.state?.running?.startedAt);
  return started !== undefined && (now - started) / 1000 < probeSeconds;
}
