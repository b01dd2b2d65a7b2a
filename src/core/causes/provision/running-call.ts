import type { KubeEvent } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import { lastSeen } from '../../graph/events.ts';
import { runsSidecar, usesLeaderElection } from '../../facts/driver/controller-health.ts';
import { flagOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { eventSaid, field, note } from '../../facts/evidence.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { timesSeen } from './provision-error.ts';
import { controllerOf, externalProvisionerOf, hasFailed, spokenBy } from './provisioner.ts';

/**
 * A call that exceeds its time limit is reported at once; no report some time after that means that something else
 * hangs.
 */
const usualTimeoutSeconds = 20;
const afterTimeoutSeconds = 20;

/** The event in which the provisioner reports that it calls the driver. */
export function lastStart(c: PresentClaim): KubeEvent | undefined {
  return spokenBy(c)
    .filter((event) => event.reason === 'Provisioning')
    .sort((a, b) => lastSeen(b) - lastSeen(a))[0];
}

/** Where leader election is on, a pod that runs without the lease does not work. */
export function isControllerAlive(controller: DriverController): boolean {
  const { lease, pods } = controller;
  return (
    lease.state === 'fresh' ||
    pods.items.some(
      (pod) =>
        runsSidecar(pod, controller) &&
        isReady(pod) &&
        (lease.state === 'unknown' || !usesLeaderElection(pod, controller)),
    )
  );
}

/** How long a call may take before the provisioner must have reported something. */
export function patienceOf(controller: DriverController): number {
  return Math.max(usualTimeoutSeconds, timeoutOf(controller) ?? 0) + afterTimeoutSeconds;
}

/** The time limit of a call, in seconds, where the arguments of the sidecar have it. */
function timeoutOf({ leader, pods }: DriverController): number | undefined {
  return secondsOf(flagOf(sidecarOf((leader ?? pods.items[0])?.spec, 'provisioner'), 'timeout'));
}

/** A duration as Go writes it, such as 1m30s. */
function secondsOf(duration: string | undefined): number | undefined {
  const match = duration === undefined ? null : /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration);
  if (!match || duration === '') return undefined;
  return Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
}

/** The first call to the driver has not ended, and its time limit, which the sidecar was given, is not over: a wait. */
export function explainRunningCall(c: PresentClaim): Explanation | undefined {
  const provisioner = externalProvisionerOf(c);
  const started = lastStart(c);
  if (!provisioner || !started || timesSeen(started) > 1 || hasFailed(c)) return undefined;
  const controller = controllerOf(c, provisioner);
  const limit = timeoutOf(controller);
  const begun = lastSeen(started);
  if (limit === undefined || (c.now - begun) / 1000 > limit || !isControllerAlive(controller)) return undefined;
  const { lease, leader } = controller;
  return {
    severity: 'info',
    confidence: 'likely',
    about: provisioner.name,
    summary:
      `${provisioner.name} has been creating the volume of ${claimText(c)} for ${ageText(begun, c.now)}, and no ` +
      `failure was reported. The call may take ${ageText(0, limit * 1000)} (--timeout of its provisioner), so this is expected so far.`,
    evidence: [
      eventSaid(c.claim, started),
      ...(lease.object ? [field(lease.object, 'spec.renewTime')] : []),
      ...(leader ? [note(leader, 'runs')] : []),
    ],
    fix: [],
  };
}
