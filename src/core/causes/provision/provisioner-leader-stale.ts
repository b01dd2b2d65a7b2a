import { parseTime } from '../../kube/time.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { leaderTrouble, leadsWithoutLease, runsSidecar, withLogs } from '../../facts/driver/controller-health.ts';
import { knownLogs } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import { controllerOf, explainTrouble, externalProvisionerOf, hasSpokenLately } from './provisioner.ts';

/** Time to start, to find the driver and to take over a lease of 15 s. */
const takeOverSeconds = 60;

/** csi-lib-utils leaderelection: an instance that does not hold the lease does not work, however well it runs. */
export const provisionerLeaderStale = claimRule({
  cause: 'provisioner-leader-stale',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner) return undefined;
    const controller = controllerOf(c, provisioner);
    if (!isLeaderLost(c, controller)) return undefined;
    // A sidecar whose driver is not ready has not come to the lease yet.
    const idle = controller.pods.items.filter((pod) => runsSidecar(pod, controller) && isReady(pod));
    if (idle.every((pod) => hasStartedLately(pod, controller, c.now))) return undefined;
    const trouble = leaderTrouble(controller, idle, c.now);
    return trouble && explainTrouble(provisioner, withLogs(trouble, ...knownLogs(controller)));
  },
});

function isLeaderLost(c: PresentClaim, controller: DriverController): boolean {
  const { lease } = controller;
  return (
    lease.state === 'stale' && !hasSpokenLately(c, lease.object?.spec?.renewTime) && !leadsWithoutLease(controller)
  );
}

function hasStartedLately(pod: Pod, { container }: DriverController, now: number): boolean {
  const started = parseTime(statusOf(pod, container)?.state?.running?.startedAt);
  return started !== undefined && (now - started) / 1000 < takeOverSeconds;
}
