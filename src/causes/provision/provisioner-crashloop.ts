import { driverContainerOf, sidecarOf } from '../../graph/driver-pods.ts';
import { logsFix } from '../../graph/drivers.ts';
import type { DriverController } from '../../graph/drivers.ts';
import type { ContainerStatus, Pod } from '../../model/kinds.ts';
import { fix, inNamespace, shellWord } from '../../journey/evidence.ts';
import { claimRule } from '../../journey/rule.ts';
import { isReady } from '../../journey/pod-state.ts';
import { crashEvidence, isCrashing, isRunning, leaseEvidence, statusOf } from './controller-health.ts';
import { controllerOf, isInTree, provisionerOf } from './provisioner.ts';

/** csi-lib-utils ExitOnConnectionLoss: a sidecar ends itself when its driver dies, so the driver's container is looked at first. */
export const provisionerCrashloop = claimRule({
  cause: 'provisioner-crashloop',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const provisioner = provisionerOf(c);
    if (!provisioner || isInTree(provisioner)) return undefined;
    const controller = controllerOf(c, provisioner);
    const { items } = controller.pods;
    if (items.length === 0 || items.some((pod) => isSound(pod, controller, c.now))) return undefined;
    const broken = items.flatMap((pod) => crashingOf(pod, controller, c.now).slice(0, 1).map((status) => ({ pod, status })))[0];
    if (!broken) return undefined;
    const { pod, status } = broken;
    const namespace = pod.metadata.namespace ?? '';
    const last = status.lastState?.terminated ?? status.state?.terminated;
    const words = last?.reason === 'OOMKilled' ? ': out of memory' : last?.exitCode === undefined ? '' : ` with exit code ${last.exitCode}`;
    const container = status.name ?? '';
    return {
      about: provisioner.name,
      summary: `container ${container} of pod/${pod.metadata.name} (namespace ${namespace}) keeps crashing${words}, so nobody provisions for ${provisioner.name}`,
      evidence: [...crashEvidence(pod, status), ...crashingOf(pod, controller, c.now).slice(1).flatMap((other) => crashEvidence(pod, other)), ...leaseEvidence(controller)],
      fix: [
        fix('read why it died: credentials, the storage API, memory', `kubectl ${inNamespace(namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(container)} --previous --tail=50`),
        logsFix(controller),
      ],
    };
  },
});

/** The driver's container first: when it dies it takes the sidecars with it. */
function crashingOf(pod: Pod, controller: DriverController, now: number): ContainerStatus[] {
  const names = [driverContainerOf(pod.spec)?.name, sidecarOf(pod.spec, controller.role)?.name];
  const looked = names.map((name) => statusOf(pod, name));
  return looked.filter((status) => status !== undefined).filter((status) => isCrashing(status, now));
}

function isSound(pod: Pod, controller: DriverController, now: number): boolean {
  const sidecar = statusOf(pod, sidecarOf(pod.spec, controller.role)?.name);
  return isReady(pod) && isRunning(sidecar) && crashingOf(pod, controller, now).length === 0;
}
