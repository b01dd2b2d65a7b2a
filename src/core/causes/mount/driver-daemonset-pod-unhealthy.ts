import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
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
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { Explanation } from '../lib/rule.ts';
import { findDown, findUnready } from './plugin-health.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';

/** The node plugin has a pod on the node, but that pod does not work. */
export const driverDaemonsetPodUnhealthy = registrationRule('driver-daemonset-pod-unhealthy', 'blocking', (r) => {
  const unhealthy = unhealthyPluginOf(r);
  if (!unhealthy) return undefined;
  return {
    confidence: r.isRegistered === undefined ? 'likely' : 'certain',
    about: r.about,
    summary: `CSI driver ${r.driver} does not work on ${r.node}: ${unhealthy.words}`,
    evidence: [...unhealthy.evidence, ...r.errorEvidence],
    fix: unhealthy.fix,
  };
});

/** What is wrong with the pod of a driver on a node, for every rule whose subject waits for that pod. */
export interface PluginTrouble extends Pick<Explanation, 'evidence' | 'fix'> {
  /** Names the pod and says what it does. */
  readonly words: string;
}

export function unhealthyPluginOf(r: Registration): PluginTrouble | undefined {
  const { pod } = r;
  if (r.trouble !== 'unhealthy' || !pod) return undefined;
  const { now } = r.ask;
  const status = (findDown(pod, now) ?? findUnready(pod, now))?.status;
  return {
    words: `pod/${pod.metadata.name} (namespace ${pod.metadata.namespace ?? ''}) ${describeTrouble(pod, status, now)}`,
    evidence: evidenceOf(pod, status, now),
    fix: adviceFor(pod, status),
  };
}

function describeTrouble(pod: Pod, status: ContainerStatus | undefined, now: number): string {
  if (!status) return `is ${whyNotRunning(pod)}`;
  const { name = '' } = status;
  if (isCrashing(status, now)) return `keeps crashing in container ${name}${crashEnd(status)}`;
  if (status.state?.waiting) return `waits in container ${name} (${waitingWords(status)})`;
  return `is not ready in container ${name}`;
}

function evidenceOf(pod: Pod, status: ContainerStatus | undefined, now: number): Explanation['evidence'] {
  if (!status) return [podEvidence(pod)];
  if (isCrashing(status, now)) return crashEvidence(pod, status);
  if (cannotStart(status)) return [waitingEvidence(pod, status)];
  return status.lastState?.terminated ? crashEvidence(pod, status) : [podEvidence(pod)];
}

function adviceFor(pod: Pod, status: ContainerStatus | undefined): Fix[] {
  if (status && cannotStart(status)) return [startFix(pod, status)];
  if (!status?.name) return [describePod(pod)];
  const previous = (status.restartCount ?? 0) > 0 ? ' --previous' : '';
  return [
    fix(
      'read why: the metadata service of the cloud, credentials, a missing kernel module, csi-proxy on Windows',
      `kubectl ${inNamespace(pod.metadata.namespace)}logs ${shellWord(pod.metadata.name)} -c ${shellWord(status.name)}${previous} --tail=50`,
    ),
    describePod(pod),
  ];
}
