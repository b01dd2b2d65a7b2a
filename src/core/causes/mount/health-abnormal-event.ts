import { eventSaid, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isReady } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { claimRule, podRule } from '../lib/rule.ts';

/** The health monitor repeats the event every one to five minutes: one that has stopped is over, or the monitor is gone. */
const freshSeconds = 3600;

/** The latest report, if it is fresh and says abnormal. */
function findAbnormalReport(events: readonly KubeEvent[], now: number): KubeEvent | undefined {
  const last = events
    .filter(({ reason }) => reason === 'VolumeConditionAbnormal' || reason === 'VolumeConditionNormal')
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
  return last?.reason === 'VolumeConditionAbnormal' && (now - lastSeen(last)) / 1000 < freshSeconds ? last : undefined;
}

/** Reported on claims by external-health-monitor (pv_checker). */
export const healthAbnormalEvent = claimRule({
  cause: 'health-abnormal-event',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const report = findAbnormalReport(c.events.items, c.now);
    if (!report) return undefined;
    return {
      confidence: 'likely',
      summary: `the health monitor calls the volume of pvc/${c.name} abnormal: "${messageOf(report)}"`,
      evidence: [eventSaid(c.claim, report)],
      fix: [
        fix(
          `look after volume ${c.volumeName} in the storage backend`,
          `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
      ],
    };
  },
});

/** Reported on pods by kubelets up to 1.36, behind the alpha gate CSIVolumeHealth. */
export const healthAbnormalEventOfPod = podRule({
  cause: 'health-abnormal-event',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const report = findAbnormalReport(eventsOf(p), p.now);
    if (!report) return undefined;
    const { namespace, name } = p.pod.metadata;
    return {
      confidence: 'likely',
      summary: `the kubelet calls a volume of pod/${name} abnormal: "${messageOf(report)}"`,
      evidence: [eventSaid(p.pod, report)],
      fix: [
        fix(
          'look after the volume in the storage backend',
          `kubectl ${inNamespace(namespace)}describe pod ${shellWord(name)}`,
        ),
      ],
    };
  },
});

/** Events are asked for only if the pod runs and is not ready; of any other pod, what is at hand is enough. */
function eventsOf(p: PodCase): readonly KubeEvent[] {
  const { uid } = p.pod.metadata;
  const isUnwell = hasMountedVolumes(p.pod) && !isReady(p.pod) && p.pod.status?.phase === 'Running';
  if (isUnwell) return p.events.items;
  return uid === undefined ? [] : p.ask.graph.eventsAbout(uid);
}
