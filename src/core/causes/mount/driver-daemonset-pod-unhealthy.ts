import {
  cannotStart,
  crashEnd,
  crashEvidence,
  isCrashing,
  podEvidence,
  waitingEvidence,
  waitingWords,
  whyNotRunning,
} from '../../facts/pod/pod-health.ts';
import { registrarOf } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import type { ContainerStatus, Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { cutWords } from '../../kube/cut-words.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { explainOwnPod } from './driver-own-pod.ts';
import { findDown, findUnready } from '../../facts/driver/plugin-health.ts';
import { restartRegistrarFixes, startPluginFix } from './plugin-start-fixes.ts';
import { registrationRule } from './registration-rule.ts';
import type { Registration } from './registration.ts';
import { whyPluginWaits } from './why-plugin-waits.ts';

/** The node plugin has a pod on the node, but that pod does not work. */
export const driverDaemonsetPodUnhealthy = registrationRule('driver-daemonset-pod-unhealthy', 'blocking', (r) => {
  const unhealthy = unhealthyPluginOf(r);
  if (!unhealthy) return undefined;
  return {
    confidence: r.isRegistered === undefined ? 'likely' : 'certain',
    about: r.about,
    summary: `Driver ${r.driver} ${unhealthy.isRegistrar ? 'is not registered' : 'does not work'} on ${r.node}: ${unhealthy.words}.`,
    evidence: [...unhealthy.evidence, ...r.errorEvidence],
    fix: unhealthy.fix,
  };
});

/** For the pod of the node plugin itself, which waits for no volume. */
export const brokenPluginPod = podRule({
  cause: 'driver-daemonset-pod-unhealthy',
  stage: 'mount',
  severity: 'blocking',
  explain: explainOwnPod('driver-daemonset-pod-unhealthy'),
});

/** What is wrong with the pod of a driver on a node, for every rule whose subject waits for that pod. */
export interface PluginTrouble extends Pick<Explanation, 'evidence' | 'fix'> {
  /** Names the pod and says what it does. */
  readonly words: string;
  /** The driver itself runs. */
  readonly isRegistrar?: boolean;
}

export function unhealthyPluginOf(r: Registration): PluginTrouble | undefined {
  const { pod } = r;
  if (r.trouble !== 'unhealthy' || !pod) return undefined;
  const { now } = r.ask;
  const status = (findDown(pod, now) ?? findUnready(pod, now))?.status;
  const wait = whyPluginWaits(r.ask, pod);
  if (wait) {
    const summary = wait.summary.replace(/^(?:Volume|The) /, (word) => word.toLowerCase()).replace(/\.$/, '');
    return { words: `its pod cannot start: ${summary}`, evidence: wait.evidence, fix: wait.fix };
  }
  return {
    isRegistrar: status !== undefined && isRegistrarKilled(pod, status),
    words: `pod/${pod.metadata.name} in namespace ${pod.metadata.namespace ?? ''} ${describeTrouble(pod, status, now)}`,
    evidence: evidenceOf(pod, status, now),
    fix:
      status && isRegistrarKilled(pod, status)
        ? restartRegistrarFixes(pod, status)
        : [startPluginFix(r.ask, pod, status)],
  };
}

function describeTrouble(pod: Pod, status: ContainerStatus | undefined, now: number): string {
  if (!status) return `is ${whyNotRunning(pod)}`;
  const { name = '' } = status;
  if (isRegistrarKilled(pod, status))
    return (
      `runs, but its registrar (container ${name}) was killed ${status.restartCount ?? 0} ` +
      `times${crashEnd(status)}, so that the kubelet does not learn of the driver`
    );
  if (isCrashing(status, now)) return `keeps crashing in container ${name}${crashEnd(status)}${lastWords(status)}`;
  const started = parseTime(status.state?.running?.startedAt);
  if ((pod.status?.initContainerStatuses ?? []).includes(status) && status.state?.running)
    return `is still in init container ${name}${started === undefined ? '' : `, for ${ageText(started, now)}`}`;
  if (status.state?.waiting) return `waits in container ${name} (${waitingWords(status)})`;
  return `is not ready in container ${name}`;
}

function evidenceOf(pod: Pod, status: ContainerStatus | undefined, now: number): Explanation['evidence'] {
  if (!status) return [podEvidence(pod)];
  if (isCrashing(status, now)) return crashEvidence(pod, status);
  if (cannotStart(status)) return [waitingEvidence(pod, status)];
  const started = status.state?.running?.startedAt;
  if ((pod.status?.initContainerStatuses ?? []).includes(status) && started !== undefined)
    return [field(pod, `status.initContainerStatuses[${status.name ?? ''}].state`, 'running', started)];
  return status.lastState?.terminated ? crashEvidence(pod, status) : [podEvidence(pod)];
}

/** The registrar runs again after it was ended from outside; the driver next to it is another process. */
function isRegistrarKilled({ spec }: Pod, { name, state, lastState }: ContainerStatus): boolean {
  return name === registrarOf(spec)?.name && state?.running !== undefined && lastState?.terminated !== undefined;
}

const longestWords = 120;

/** The end of its log, where the container leaves it in its status. */
function lastWords({ lastState, state }: ContainerStatus): string {
  const message = (lastState?.terminated ?? state?.terminated)?.message?.trim();
  return message ? ` ("${cutWords(message, longestWords).replaceAll('"', "'")}")` : '';
}
