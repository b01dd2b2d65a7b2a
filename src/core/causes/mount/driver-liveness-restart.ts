import { imageName } from '../../facts/driver/driver-pods.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Pod } from '../../kube/kinds.ts';
import { crashEvidence } from '../../facts/pod/pod-health.ts';
import { registrationRule } from './registration-rule.ts';
import { driverStatusOf, isRecent } from './plugin-health.ts';

const recentSeconds = 86_400;

/** The kubelet restarts a driver whose livenessprobe sidecar answers /healthz with an error (livenessprobe/cmd main.go). */
export const driverLivenessRestart = registrationRule('driver-liveness-restart', 'warning', (r) => {
  if (!r.isMounting || r.trouble !== undefined) return undefined;
  for (const pod of r.plugin.pods.items) {
    const status = driverStatusOf(pod);
    const last = status?.lastState?.terminated;
    if (
      !status?.state?.running ||
      !last ||
      (status.restartCount ?? 0) < 1 ||
      !isProbed(pod) ||
      !isRecent(last.finishedAt, r.ask.now, recentSeconds)
    )
      continue;
    // Killed from outside: SIGKILL or SIGTERM, and not for memory.
    if (last.reason === 'OOMKilled' || ![137, 143, 2].includes(last.exitCode ?? -1)) continue;
    const target = `kubectl ${inNamespace(pod.metadata.namespace)}`;
    return {
      confidence: 'likely',
      about: r.about,
      summary: `the driver container of pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) on ${r.node} was killed ${status.restartCount ?? 0} times, most likely by its liveness probe; each time the calls in flight fail`,
      evidence: crashEvidence(pod, status),
      fix: [
        fix('see which probe fails', `${target}describe pod ${shellWord(pod.metadata.name)}`),
        fix(
          'read what the driver did before, and give the probe more time if it was only slow',
          `${target}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name ?? '')} --previous --tail=50`,
        ),
      ],
    };
  }
  return undefined;
});

function isProbed(pod: Pod): boolean {
  return (pod.spec?.containers ?? []).some(
    (container) => imageName(container).includes('livenessprobe') || container.name?.includes('liveness'),
  );
}
