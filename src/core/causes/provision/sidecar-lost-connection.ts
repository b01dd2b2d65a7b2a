import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { driverContainerOf } from '../../facts/driver/driver-pods.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController, SidecarRole } from '../../facts/driver/drivers.ts';
import { crashFixes } from '../../facts/driver/controller-fixes.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { crashEvidence, isCrashing, isRunning, statusOf } from '../../facts/pod/pod-health.ts';
import { containerStatusesOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { exitsWithoutDriverText } from '../lib/driver-error/sentences/provisioner.ts';

const cause = 'sidecar-lost-connection';
const roles: readonly SidecarRole[] = ['provisioner', 'attacher', 'resizer', 'snapshotter'];

export const sidecarLostConnection = objectRule('CSIDriver', {
  cause,
  stage: 'provision',
  severity: 'blocking',
  explain: (d) => explainAnyController(d.ask, d.name),
});

export const sidecarLostConnectionOfClass = objectRule('StorageClass', {
  cause,
  stage: 'provision',
  severity: 'blocking',
  explain({ ask, object: { provisioner }, now }) {
    // A name with a slash is no CSI driver.
    if (!provisioner || provisioner.includes('/')) return undefined;
    return explainController(provisioner, findController(ask, provisioner, 'provisioner'), now);
  },
});

/** The first controller that has pods: the sidecars of a driver nearly always share them. */
function explainAnyController(ask: Inquiry, driver: string): Explanation | undefined {
  for (const role of roles) {
    const controller = findController(ask, driver, role);
    if (controller.pods.items.length > 0) return explainController(driver, controller, ask.now);
  }
  return undefined;
}

/**
 * csi-lib-utils ExitOnConnectionLoss: a sidecar exits with this message when its driver goes away, so the driver is
 * what is broken.
 */
function explainController(driver: string, controller: DriverController, now: number): Explanation | undefined {
  for (const pod of controller.pods.items) {
    const sidecar = containerStatusesOf(pod).find((status) => hasLostDriver(status, now));
    if (sidecar) return explainPod(driver, controller, pod, sidecar);
  }
  return undefined;
}

function lastExitOf({ state, lastState }: ContainerStatus): NonNullable<ContainerStatus['state']>['terminated'] {
  return state?.terminated ?? lastState?.terminated;
}

function hasLostDriver(status: ContainerStatus, now: number): boolean {
  return (
    exitsWithoutDriverText.test(lastExitOf(status)?.message ?? '') && (!isRunning(status) || isCrashing(status, now))
  );
}

function explainPod(driver: string, controller: DriverController, pod: Pod, sidecar: ContainerStatus): Explanation {
  const exit = lastExitOf(sidecar);
  const driverStatus = statusOf(pod, driverContainerOf(pod.spec)?.name);
  return {
    about: driver,
    summary:
      `The driver in pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} keeps ending, and ` +
      `container ${sidecar.name ?? 'of its sidecar'} ends with it, so no controller works for ${driver}.`,
    evidence: [
      field(
        pod,
        `status.containerStatuses[${sidecar.name ?? ''}].lastState.terminated.message`,
        exit?.message?.trim() ?? '',
        exit?.finishedAt,
      ),
      ...(driverStatus ? crashEvidence(pod, driverStatus) : []),
    ],
    fix: driverStatus ? crashFixes(controller, { pod, status: driverStatus }) : [readDriverLog(pod, driverStatus)],
  };
}

function readDriverLog(pod: Pod, driverStatus: ContainerStatus | undefined): Fix {
  const container = driverContainerOf(pod.spec)?.name;
  const target = `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)}`;
  const choice = container === undefined ? '' : ` -c ${shellWord(container)}`;
  const previous = (driverStatus?.restartCount ?? 0) > 0 ? ' --previous' : '';
  return fix(
    'Read why the driver itself ended, and correct that: the sidecar only follows it.',
    `${target}${choice}${previous} --tail=50`,
  );
}
