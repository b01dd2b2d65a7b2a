import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import {
  cannotStart,
  crashEnd,
  crashEvidence,
  describePod,
  isCrashing,
  podEvidence,
  startFix,
  waitingEvidence,
  waitingWords,
  whyNotRunning,
} from '../../facts/pod/pod-health.ts';
import { registrationRule } from './registration-rule.ts';
import { downOf, isUnready } from './plugin-health.ts';
import type { Registration } from './registration.ts';

/** The pod is there: whatever keeps it from running keeps the driver from the node. */
export const driverDaemonsetPodUnhealthy = registrationRule('driver-daemonset-pod-unhealthy', 'blocking', (r) => {
  const unhealthy = unhealthyPluginOf(r);
  return (
    unhealthy && {
      confidence: r.isRegistered === undefined ? 'likely' : 'certain',
      about: r.about,
      summary: `CSI driver ${r.driver} does not work on ${r.node}: ${unhealthy.words}`,
      evidence: [...unhealthy.evidence, ...(r.said ? [r.said.evidence] : [])],
      fix: unhealthy.fix,
    }
  );
});

/** The pod of a driver on a node, and what is wrong with it: for all that has to wait for it. */
export interface PluginTrouble {
  /** Names the pod and says what it does. */
  readonly words: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
}

export function unhealthyPluginOf(r: Registration): PluginTrouble | undefined {
  const { pod } = r;
  if (r.trouble !== 'unhealthy' || !pod) return undefined;
  const now = r.ask.now;
  const status = (downOf(pod, now) ?? isUnready(pod, now))?.status;
  return {
    words: `pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) ${whatIsWrong(pod, status, now)}`,
    evidence: evidenceOf(pod, status, now),
    fix: fixesOf(pod, status),
  };
}

function evidenceOf(pod: Pod, status: ContainerStatus | undefined, now: number): [Evidence, ...Evidence[]] {
  if (status && isCrashing(status, now)) return crashEvidence(pod, status);
  if (status && cannotStart(status)) return [waitingEvidence(pod, status)];
  return status?.lastState?.terminated ? crashEvidence(pod, status) : [podEvidence(pod)];
}

function whatIsWrong(pod: Pod, status: ContainerStatus | undefined, now: number): string {
  if (status && isCrashing(status, now)) return `keeps crashing in container ${status.name ?? ''}${crashEnd(status)}`;
  if (status?.state?.waiting) return `waits in container ${status.name ?? ''} (${waitingWords(status)})`;
  return status ? `is not ready in container ${status.name ?? ''}` : `is ${whyNotRunning(pod)}`;
}

function fixesOf(pod: Pod, status: ContainerStatus | undefined): Fix[] {
  const described = describePod(pod);
  if (status && cannotStart(status)) return [startFix(pod, status)];
  if (!status?.name) return [described];
  const previous = (status.restartCount ?? 0) > 0 ? ' --previous' : '';
  return [
    fix(
      'read why: the metadata service of the cloud, credentials, a missing kernel module, csi-proxy on Windows',
      `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name)}${previous} --tail=50`,
    ),
    described,
  ];
}
