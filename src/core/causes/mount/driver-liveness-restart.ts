import { imageName } from '../../facts/driver/driver-pods.ts';
import { inNamespace, shellWord } from '../../facts/evidence.ts';
import { crashEvidence } from '../../facts/pod/pod-health.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { driverStatusOf, isRecent } from '../../facts/driver/plugin-health.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

const recentSeconds = 86_400;
/**
 * How a container ends that is killed from outside: 137 is SIGKILL, 143 is SIGTERM, and some programs answer a signal
 * with 2.
 */
const killedCodes = [137, 143, 2];

/**
 * The kubelet restarts a driver whose livenessprobe sidecar answers /healthz with an error (livenessprobe/cmd main.go).
 */
export const driverLivenessRestart = registrationRule('driver-liveness-restart', 'warning', (r) => {
  const killed = r.isMounting && r.trouble === undefined ? findKilledDriver(r) : undefined;
  if (!killed) return undefined;
  const { pod, status } = killed;
  return {
    confidence: 'likely',
    about: r.about,
    summary:
      `The driver container of pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} on ` +
      `${r.node} was killed ${status.restartCount ?? 0} times, most likely by its liveness probe. ` +
      'Each time the calls in progress fail.',
    evidence: crashEvidence(pod, status),
    fix: adviceFor(killed),
  };
});

interface KilledDriver {
  readonly pod: Pod;
  readonly status: ContainerStatus;
}

function findKilledDriver(r: Registration): KilledDriver | undefined {
  for (const pod of r.plugin.pods.items) {
    const status = driverStatusOf(pod);
    if (status && wasKilled(status, r.ask.now) && isProbed(pod)) return { pod, status };
  }
  return undefined;
}

/** It runs again, and was ended from outside not long ago, though not for lack of memory. */
function wasKilled({ state, lastState, restartCount = 0 }: ContainerStatus, now: number): boolean {
  const last = lastState?.terminated;
  if (!state?.running || !last || restartCount < 1 || !isRecent(last.finishedAt, now, recentSeconds)) return false;
  return last.reason !== 'OOMKilled' && killedCodes.includes(last.exitCode ?? -1);
}

function isProbed({ spec }: Pod): boolean {
  return (spec?.containers ?? []).some(
    (container) => imageName(container).includes('livenessprobe') || container.name?.includes('liveness'),
  );
}

function adviceFor({ pod: { metadata }, status }: KilledDriver): Fix[] {
  return [
    steps(
      'Read what the driver did before it was killed. ' +
        'If it was only slow, raise timeoutSeconds and failureThreshold of its liveness probe; ' +
        'if it hung, upgrade it or fix what it waited for.',
      [
        `kubectl ${inNamespace(metadata.namespace)}logs ${shellWord(metadata.name)} -c ` +
          `${shellWord(status.name ?? '')} --previous --tail=50`,
      ],
    ),
  ];
}
