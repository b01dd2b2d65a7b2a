import { logsFix } from '../../graph/drivers.ts';
import { ageText, parseTime } from '../../model/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../../journey/evidence.ts';
import { isReady } from '../../journey/pod-state.ts';
import { claimRule } from '../../journey/rule.ts';
import { leadsWithoutLease, runsSidecar, statusOf } from './controller-health.ts';
import { controllerOf, hasSpokenLately, isInTree, provisionerOf } from './provisioner.ts';

/** Time to start, to find the driver and to take over a lease of 15 s. */
const takeOverSeconds = 60;

/** csi-lib-utils leaderelection: who does not hold the lease does not work, however well it runs. */
export const provisionerLeaderStale = claimRule({
  cause: 'provisioner-leader-stale',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner || isInTree(provisioner)) return undefined;
    const controller = controllerOf(c, provisioner);
    const { lease } = controller;
    const renewed = parseTime(lease.object?.spec?.renewTime);
    if (lease.state !== 'stale' || !lease.object || renewed === undefined || hasSpokenLately(c, lease.object.spec?.renewTime) || leadsWithoutLease(controller)) return undefined;
    // A sidecar whose driver is not ready has not come to the lease yet.
    const idle = controller.pods.items.filter((pod) => runsSidecar(pod, controller) && isReady(pod));
    const [pod] = idle;
    if (!pod || idle.every((candidate) => startedLately(statusOf(candidate, controller.container)?.state?.running?.startedAt, c.now))) return undefined;
    const namespace = lease.object.metadata.namespace ?? '';
    const { workload } = controller;
    return {
      about: provisioner.name,
      summary: `the provisioner of ${provisioner.name} runs but does not lead: lease ${namespace}/${lease.name} was last renewed ${ageText(renewed, c.now)} ago by ${lease.object.spec?.holderIdentity || 'nobody'}, and no replica takes it`,
      evidence: [field(lease.object, 'spec.renewTime'), field(lease.object, 'spec.holderIdentity'), ...idle.slice(0, 3).map((candidate) => note(candidate, 'runs, and has not taken the lease'))],
      fix: [
        logsFix(controller),
        workload
          ? fix('restart the controller', `kubectl ${inNamespace(workload.namespace)}rollout restart ${workload.kind.toLowerCase()} ${shellWord(workload.name)}`, 'disruptive')
          : fix('restart the controller', `kubectl ${inNamespace(pod.metadata.namespace)}delete pod ${shellWord(pod.metadata.name)}`, 'disruptive'),
      ],
    };
  },
});

function startedLately(startedAt: string | undefined, now: number): boolean {
  const started = parseTime(startedAt);
  return started !== undefined && (now - started) / 1000 < takeOverSeconds;
}
