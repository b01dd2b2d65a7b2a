import type { KubeEvent } from '../../kube/kinds.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { hasMountedVolumes, isReady } from '../../facts/pod/pod-state.ts';
import { claimRule, podRule } from '../lib/rule.ts';

/** The health monitor says it again every minute or five: an old word that stopped is overcome or unwatched. */
const freshSeconds = 3600;

function lastAbnormal(events: readonly KubeEvent[], now: number): KubeEvent | undefined {
  const sorted = events
    .filter(({ reason }) => reason === 'VolumeConditionAbnormal' || reason === 'VolumeConditionNormal')
    .sort((a, b) => lastSeen(a) - lastSeen(b));
  const last = sorted.at(-1);
  return last?.reason === 'VolumeConditionAbnormal' && (now - lastSeen(last)) / 1000 < freshSeconds ? last : undefined;
}

/** external-health-monitor pv_checker. */
export const healthAbnormalEvent = claimRule({
  cause: 'health-abnormal-event',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const said = lastAbnormal(c.events.items, c.now);
    if (!said) return undefined;
    return {
      confidence: 'likely',
      summary: `the health monitor calls the volume of pvc/${c.name} abnormal: "${messageOf(said)}"`,
      evidence: [eventSaid(c.claim, said)],
      fix: [
        fix(
          `look after volume ${c.volumeName} in the storage backend`,
          `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
      ],
    };
  },
});

/** Up to 1.36 the kubelet said it on the pod, with an alpha gate: worth a question only if the pod runs and is not well. */
export const healthAbnormalEventOfPod = podRule({
  cause: 'health-abnormal-event',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const { uid, namespace, name } = p.pod.metadata;
    const isUnwell = hasMountedVolumes(p.pod) && !isReady(p.pod) && p.pod.status?.phase === 'Running';
    const events = isUnwell ? p.events.items : uid === undefined ? [] : p.ask.graph.eventsAbout(uid);
    const said = lastAbnormal(events, p.now);
    if (!said) return undefined;
    return {
      confidence: 'likely',
      summary: `the kubelet calls a volume of pod/${name} abnormal: "${messageOf(said)}"`,
      evidence: [eventSaid(p.pod, said)],
      fix: [
        fix(
          'look after the volume in the storage backend',
          `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
        ),
      ],
    };
  },
});
