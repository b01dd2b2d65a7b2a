import { findController } from '../../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../../facts/driver/drivers.ts';
import { driverContainerOf } from '../../../facts/driver/driver-pods.ts';
import type { Inquiry } from '../../../graph/inquiry.ts';
import { field, fix, inNamespace, shellWord } from '../../../facts/evidence.ts';
import { containerStatusesOf } from '../../../facts/pod/pod-state.ts';
import { objectRule } from '../../lib/rule.ts';
import type { Explanation } from '../../lib/rule.ts';
import { crashEvidence, isCrashing, isRunning, statusOf } from '../../../facts/pod/pod-health.ts';

const lost = /Lost connection to CSI driver, exiting/;

/** csi-lib-utils ExitOnConnectionLoss: a sidecar ends itself, with this message, when its driver goes away; it is the driver that is broken. */
export function explainLostConnection(
  driver: string,
  controller: DriverController,
  now: number,
): Explanation | undefined {
  for (const pod of controller.pods.items) {
    const ended = containerStatusesOf(pod).find(
      (status) =>
        lost.test((status.state?.terminated ?? status.lastState?.terminated)?.message ?? '') &&
        (!isRunning(status) || isCrashing(status, now)),
    );
    if (!ended) continue;
    const container = driverContainerOf(pod.spec)?.name;
    const own = statusOf(pod, container);
    const last = ended.state?.terminated ?? ended.lastState?.terminated;
    const target = `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)}`;
    return {
      about: driver,
      summary: `the driver in pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) keeps going away, and ${ended.name ?? 'its sidecar'} ends with it: nobody works for ${driver}`,
      evidence: [
        field(
          pod,
          `status.containerStatuses[${ended.name ?? ''}].lastState.terminated.message`,
          last?.message?.trim() ?? '',
          last?.finishedAt,
        ),
        ...(own ? crashEvidence(pod, own) : []),
      ],
      fix: [
        fix(
          'read why the driver itself ended: the sidecar is only its victim',
          `${target}${container === undefined ? '' : ` -c ${shellWord(container)}`}${(own?.restartCount ?? 0) > 0 ? ' --previous' : ''} --tail=50`,
        ),
      ],
    };
  }
  return undefined;
}

const roles: readonly SidecarRole[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

/** The first controller that is at hand: they nearly always share their pods. */
function explainAny(ask: Inquiry, driver: string): Explanation | undefined {
  for (const role of roles) {
    const controller = findController(ask, driver, role);
    if (controller.pods.items.length > 0) return explainLostConnection(driver, controller, ask.now);
  }
  return undefined;
}

export const sidecarLostConnection = objectRule('CSIDriver', {
  cause: 'sidecar-lost-connection',
  stage: 'provision',
  severity: 'blocking',
  explain: (d) => explainAny(d.ask, d.name),
});
export const sidecarLostConnectionOfClass = objectRule('StorageClass', {
  cause: 'sidecar-lost-connection',
  stage: 'provision',
  severity: 'blocking',
  explain: (c) =>
    c.object.provisioner && !c.object.provisioner.includes('/')
      ? explainLostConnection(c.object.provisioner, findController(c.ask, c.object.provisioner, 'provisioner'), c.now)
      : undefined,
});
