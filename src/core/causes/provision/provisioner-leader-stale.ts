import { logsFix } from '../../facts/driver/drivers.ts';
import { parseTime } from '../../kube/time.ts';
import { leaderTrouble, leadsWithoutLease, runsSidecar, withLogs } from '../../facts/driver/controller-health.ts';
import { statusOf } from '../../facts/pod/pod-health.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import { controllerOf, explainTrouble, externalProvisionerOf, hasSpokenLately } from './provisioner.ts';

/** Time to start, to find the driver and to take over a lease of 15 s. */
const takeOverSeconds = 60;

/** csi-lib-utils leaderelection: who does not hold the lease does not work, however well it runs. */
export const provisionerLeaderStale = claimRule({
  cause: 'provisioner-leader-stale',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = externalProvisionerOf(c);
    if (!provisioner) return undefined;
    const controller = controllerOf(c, provisioner);
    if (
      controller.lease.state !== 'stale' ||
      hasSpokenLately(c, controller.lease.object?.spec?.renewTime) ||
      leadsWithoutLease(controller)
    )
      return undefined;
    // A sidecar whose driver is not ready has not come to the lease yet.
    const idle = controller.pods.items.filter((pod) => runsSidecar(pod, controller) && isReady(pod));
    if (idle.every((pod) => startedLately(statusOf(pod, controller.container)?.state?.running?.startedAt, c.now)))
      return undefined;
    const trouble = leaderTrouble(controller, idle, c.now);
    return trouble && explainTrouble(provisioner, withLogs(trouble, logsFix(controller)));
  },
});

function startedLately(startedAt: string | undefined, now: number): boolean {
  const started = parseTime(startedAt);
  return started !== undefined && (now - started) / 1000 < takeOverSeconds;
}
