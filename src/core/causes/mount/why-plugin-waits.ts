import { PodCase } from '../../facts/pod/pod-case.ts';
import { eventSaid } from '../../facts/evidence.ts';
import { containerStatusesOf } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { cutWords } from '../../kube/cut-words.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { quoted } from './driver-answer.ts';
import { hostpathTypeCheck } from './hostpath-type-check.ts';
import { localPathMissing } from './local-path-missing.ts';
import { explainMissingKey, explainMissingSource } from './pod-sources.ts';

const longestMessage = 160;
const beforeContainers =
  /^(?:FailedMount|FailedMapVolume|FailedAttachVolume|FailedCreatePodSand[Bb]ox|NetworkNotReady)$/;

/**
 * A pod whose containers were never created has no logs: it waits for its own volumes or its sandbox, and only the
 * kubelet's events on it tell why. For the pod of a driver, which mounts directories of the node and Secrets.
 */
export function whyPluginWaits(ask: Inquiry, pod: Pod): Explanation | undefined {
  if (!pod.spec?.nodeName || !containerStatusesOf(pod).every(neverCreated)) return undefined;
  const p = new PodCase(ask, pod);
  return (
    hostpathTypeCheck.explain(p) ??
    localPathMissing.explain(p) ??
    explainMissingSource(p, 'Secret') ??
    explainMissingSource(p, 'ConfigMap') ??
    explainMissingKey(p, 'Secret') ??
    explainMissingKey(p, 'ConfigMap') ??
    explainByEvent(p)
  );
}

function neverCreated({ state, lastState, restartCount }: ReturnType<typeof containerStatusesOf>[number]): boolean {
  const reason = state?.waiting?.reason;
  const isBefore = state?.waiting !== undefined && /^(?:ContainerCreating|PodInitializing)$/.test(reason ?? '');
  return isBefore && !lastState?.terminated && (restartCount ?? 0) === 0;
}

function explainByEvent({ pod, events }: PodCase): Explanation | undefined {
  const said = events.items
    .filter(({ reason, type }) => beforeContainers.test(reason ?? '') && type !== 'Normal')
    .reduce<KubeEvent | undefined>((last, next) => (last && lastSeen(last) >= lastSeen(next) ? last : next), undefined);
  if (!said) return undefined;
  return {
    confidence: 'likely',
    summary: `The kubelet reports ${quoted(cutWords(messageOf(said), longestMessage))}.`,
    evidence: [eventSaid(pod, said)],
    fix: [
      steps('Correct what the kubelet reports about this pod (quoted above). It has no log yet.', [
        kubectl('describe', pod),
      ]),
    ],
  };
}
