import { eventSaid } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes, isReady } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { claimRule, podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';

/**
 * The health monitor repeats the event every one to five minutes: one that has stopped is over, or the monitor is gone.
 */
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
      summary:
        `The health monitor reports the volume of pvc/${c.name} in namespace ${c.namespace} as abnormal: ` +
        `"${messageOf(report).replace(/\.$/, '')}".`,
      evidence: [eventSaid(c.claim, report)],
      fix: [steps(`Ask your storage team to check volume ${c.volumeName}${handleWords(c)}.`, [])],
    };
  },
});

/** How the storage calls the volume of a bound claim, for a sentence. */
function handleWords({ volume }: PresentClaim): string {
  const handle = volume?.state === 'found' ? volume.object.spec?.csi?.volumeHandle : undefined;
  return handle === undefined ? '' : ` (handle ${handle})`;
}

/** Reported on pods by kubelets up to 1.36, behind the alpha gate CSIVolumeHealth. */
export const healthAbnormalEventOfPod = podRule({
  cause: 'health-abnormal-event',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const report = findAbnormalReport(eventsOf(p), p.now);
    if (!report) return undefined;
    const { namespace = '', name } = p.pod.metadata;
    return {
      confidence: 'likely',
      summary:
        `The kubelet reports a volume of pod/${name} in namespace ${namespace} as abnormal: ` +
        `"${messageOf(report).replace(/\.$/, '')}".`,
      evidence: [eventSaid(p.pod, report)],
      fix: [steps('Ask your storage team to check the volume that the message names.', [])],
    };
  },
});

/** Events are read only if the pod runs and is not ready; for any other pod, what was read already is enough. */
function eventsOf(p: PodCase): readonly KubeEvent[] {
  const { uid } = p.pod.metadata;
  const isUnwell = hasMountedVolumes(p.pod) && !isReady(p.pod) && p.pod.status?.phase === 'Running';
  if (isUnwell) return p.events.items;
  return uid === undefined ? [] : p.ask.graph.eventsAbout(uid);
}
