import type { ContainerStatus, Lease, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { runsSidecar, usesLeaderElection } from '../../facts/driver/controller-health.ts';
import { findLease } from '../../facts/driver/driver-lease.ts';
import { driverContainerOf, flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { holderNames, logsFix } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import { restartFix, startFixes } from '../../facts/driver/controller-fixes.ts';
import { absent, field, note, shellWord } from '../../facts/evidence.ts';
import { cannotStart, isRunning, statusOf, waitingEvidence, waitingWords } from '../../facts/pod/pod-health.ts';
import { accountOfController } from '../../facts/rights.ts';
import { missingRights } from '../lib/missing-right.ts';
import type { MissingRights } from '../lib/missing-right.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { controllerOf, externalProvisionerOf, hasSpokenLately, waitedSeconds } from './provisioner.ts';

const probeSeconds = 60;

/**
 * csi-lib-utils ProbeForever: a sidecar asks its driver once a second, and neither leads nor works before the driver
 * says it is ready.
 */
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
    const pod = waitingPod(controller, c.now);
    if (!pod) return undefined;
    const driver = driverStatus(pod);
    if (driver?.ready === false) return explainDriver(provisioner.name, controller, pod, driver);
    // Then provisioner-rbac names the right.
    return refusedLease(c) ? undefined : explainLease(c, provisioner.name, controller, pod);
  },
});

/** A provisioner that runs, has no lease, and whose roles do not let it have one. */
export interface RefusedLease {
  readonly driver: string;
  readonly controller: DriverController;
  readonly pod: Pod;
  readonly missing: MissingRights;
}

/** Whether the roles that were read show why the provisioner does not lead. */
export function refusedLease(c: ClaimCase): RefusedLease | undefined {
  const provisioner = externalProvisionerOf(c);
  if (!provisioner || waitedSeconds(c) < probeSeconds) return undefined;
  const controller = controllerOf(c, provisioner);
  if (controller.lease.state !== 'missing' || hasSpokenLately(c)) return undefined;
  const pod = waitingPod(controller, c.now);
  if (!pod || driverStatus(pod)?.ready === false || leadingPeer(c, provisioner.name, pod)) return undefined;
  const account = accountOfController(controller, pod);
  const namespace = leaseNamespaceOf(pod);
  if (!account || namespace === undefined) return undefined;
  const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace };
  const rights = [['get'], ['create'], ['update', 'patch']].map((verbs) => ({ ...lease, verbs }));
  const missing = missingRights(c.ask, account, rights);
  return missing && { driver: provisioner.name, controller, pod, missing };
}

/** A pod of the provisioner, if all that run wait for their driver. */
function waitingPod(controller: DriverController, now: number): Pod | undefined {
  const running = controller.pods.items.filter((pod) => runsSidecar(pod, controller));
  return running.every((pod) => waitsForDriver(pod, controller, now)) ? running[0] : undefined;
}

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

function driverStatus(pod: Pod): ContainerStatus | undefined {
  return statusOf(pod, driverContainerOf(pod.spec)?.name);
}

function isStarting(status: ContainerStatus | undefined, now: number): boolean {
  const started = parseTime(status?.state?.running?.startedAt);
  return started !== undefined && (now - started) / 1000 < probeSeconds;
}

function placeOf({ metadata }: Pod): string {
  return `pod/${metadata.name} in namespace ${metadata.namespace ?? ''}`;
}

/** The container of the driver is seen not to be ready. */
function explainDriver(name: string, controller: DriverController, pod: Pod, driver: ContainerStatus): Explanation {
  const isStuck = cannotStart(driver);
  const state = isStuck ? `cannot start (${waitingWords(driver)})` : 'is not ready';
  return {
    confidence: 'likely',
    about: name,
    summary: `The provisioner of ${name} waits for its driver: container ${driver.name ?? ''} of ${placeOf(pod)} ${state}.`,
    evidence: [
      isStuck
        ? waitingEvidence(pod, driver)
        : field(pod, `status.containerStatuses[${driver.name ?? ''}].ready`, driver.ready),
      ...leaseEvidence(controller, pod),
    ],
    fix: isStuck ? startFixes(pod, controller.workload) : [restartPod(controller, pod), logsFix(controller, 'driver')],
  };
}

/** The driver looks ready, and still the provisioner has not taken its lease. */
function explainLease(c: ClaimCase, name: string, controller: DriverController, pod: Pod): Explanation {
  const { lease } = controller;
  const peer = lease.object ? undefined : leadingPeer(c, name, pod);
  const why = peer
    ? `The driver answers: the ${peer.role} in the same pod leads, so the provisioner hangs, or may not create its lease.`
    : 'Its driver is not ready, or it may not write leases.';
  return {
    confidence: 'likely',
    about: name,
    summary: `The provisioner of ${name} runs in ${placeOf(pod)} and never took lease ${lease.name}. ${why}`,
    evidence: [
      note(pod, 'the provisioner runs with leader election'),
      ...leaseEvidence(controller, pod),
      ...(peer ? [field(peer.lease, 'spec.holderIdentity')] : []),
    ],
    fix: adviseLease(controller, pod, peer !== undefined),
  };
}

export function leaseEvidence({ lease }: DriverController, pod: Pod): Evidence[] {
  if (lease.object) return [field(lease.object, 'spec.renewTime')];
  return lease.state === 'missing' ? [absent('Lease', lease.name, pod.metadata.namespace)] : [];
}

/**
 * The sidecars of a pod share its account: where another one leads, the account may create leases, and a new process
 * helps.
 */
function adviseLease(controller: DriverController, pod: Pod, hasPeer: boolean): Fix[] {
  const right = controller.lease.object ? [] : grantLease(pod);
  const restart = restartPod(controller, pod);
  return hasPeer ? [restart, ...right] : [...right, restart, logsFix(controller, 'driver')];
}

/**
 * Another sidecar of the pod that leads: it has probed the same driver, since each probes before it takes its lease.
 */
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

function restartPod({ workload }: DriverController, pod: Pod): Fix {
  return restartFix(pod, workload, 'A fresh process probes the driver and takes the lease.');
}

/** The right to create leases, for the account of the pod and its namespace only. */
function grantLease(pod: Pod): Fix[] {
  const account = pod.spec?.serviceAccountName;
  const { namespace } = pod.metadata;
  if (account === undefined || namespace === undefined) return [];
  const place = shellWord(leaseNamespaceOf(pod) ?? namespace);
  const role = shellWord(`${account}-leases`);
  return [
    steps(
      'Check whether its account may create leases. ' +
        `If the answer is "no", grant it, or reapply the RBAC of the driver's release. ` +
        'It then leads within a minute.',
      [
        `kubectl auth can-i create leases.coordination.k8s.io -n ${place} ` +
          `--as=${shellWord(`system:serviceaccount:${namespace}:${account}`)}`,
        `kubectl -n ${place} create role ${role} --verb=get,list,watch,create,update,patch --resource=leases.coordination.k8s.io`,
        `kubectl -n ${place} create rolebinding ${role} --role=${role} --serviceaccount=${shellWord(`${namespace}:${account}`)}`,
      ],
    ),
  ];
}

function leaseNamespaceOf(pod: Pod): string | undefined {
  return flagOf(sidecarOf(pod.spec, 'provisioner'), 'leader-election-namespace') ?? pod.metadata.namespace;
}
