import { claimNamesOf } from '../graph/cluster-graph.ts';
import { brokenDriverPod } from '../facts/driver/own-pod.ts';
import { storageEvictionOf } from '../facts/pod/eviction.ts';
import { notApplicable, open, passed, unknown, unreached } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../facts/volume/volume-use.ts';
import { cutWords } from '../kube/cut-words.ts';
import { parseTime } from '../kube/time.ts';
import { fullnessOf } from '../kube/volume-usage.ts';
import { containerStatusesOf, hasMountedVolumes } from '../facts/pod/pod-state.ts';
import { containerTroubleOf } from './container-trouble.ts';
import type { ContainerTrouble } from './container-trouble.ts';

/** The longest message of a runtime that a note quotes. */
const longestMessage = 300;

/** The kubelet has mounted the volumes. For a pod as the target, its containers must have started too. */
export function assessPodMount(p: PodCase, target: 'claim' | 'pod' | 'object', claimName?: string): Assessment {
  const { pod } = p;
  const label = `pod/${pod.metadata.name}`;
  if (!p.isScheduled) return unreached('not scheduled');
  const since = mountableSince(p);
  if (target === 'pod' && storageEvictionOf(pod)) return open(`${label} was evicted`, since, 0);
  if (hasMountedVolumes(pod)) {
    const trouble = containerTroubleOf(pod, p.now);
    const broken = target === 'pod' && trouble?.volume === undefined ? brokenDriverPod(p.ask, pod) : undefined;
    if (broken)
      return open(`mounted for ${label}, whose container ${broken.status.name ?? ''} does not work`, since, 0);
    const state = trouble && assessTrouble(p, trouble, target, claimName, since);
    if (state) return state;
    const full = fullClaimOf(p, target === 'pod' ? undefined : claimName);
    if (full !== undefined)
      return open(`mounted for ${label}, and nothing more can be written to pvc/${full}`, since, 0);
    const isStarting = pod.status?.phase === 'Pending' && !containerStatusesOf(pod).some(({ state }) => state?.running);
    if (target === 'pod' && isStarting)
      return open(`mounted for ${label}, whose containers have not started yet`, since, 123);
    return passed(`mounted for ${label}`);
  }
  if (pod.status?.phase === 'Failed') return notApplicable('the pod has ended');
  return open(`${label} waits for its volumes`, since, 123);
}

/** A claim of the pod whose volume was measured and found full. */
function fullClaimOf({ ask, pod }: PodCase, only: string | undefined): string | undefined {
  if (ask.graph.snapshot.usage === undefined) return undefined;
  const names = only === undefined ? claimNamesOf(pod) : [only];
  return names.find((name) => {
    const usage = ask.graph.usageOf(pod.metadata.namespace ?? '', name);
    return usage !== undefined && fullnessOf(usage) !== undefined;
  });
}

/** Undefined if the problem does not concern the target. */
function assessTrouble(
  { pod }: PodCase,
  trouble: ContainerTrouble,
  target: 'claim' | 'pod' | 'object',
  claimName: string | undefined,
  since: string | undefined,
): Assessment | undefined {
  const { container, reason, message, volume, volumeName } = trouble;
  const note = `mounted for pod/${pod.metadata.name}, whose container ${container}`;
  if (target !== 'pod') {
    if (volume === undefined || volume === 'mentioned' || !isOnClaim(pod, trouble, claimName)) return undefined;
    return open(`${note} does not start: ${reason}`, since, 0);
  }
  if (volume === 'mentioned')
    return unknown(
      `${note} keeps ending, and its last words name ${trouble.volumePath ?? 'a path'} in volume "${volumeName ?? ''}". Whether the volume is the reason is open`,
      since,
    );
  if (volume === 'unclear')
    return open(`${note} does not start: ${reason} (${cutWords(message, longestMessage)})`, since, 0);
  return open(`${note} ${volume === 'full' || volume === 'readOnly' ? 'ends' : 'does not start'}: ${reason}`, since, 0);
}

/** A text that names no volume may be about any volume of the pod, except where only a named one proves anything. */
function isOnClaim(
  pod: PodCase['pod'],
  { volume, volumeName }: ContainerTrouble,
  claimName: string | undefined,
): boolean {
  if (volumeName === undefined) return volume === 'subPath' || volume === 'slow';
  const podVolume = pod.spec?.volumes?.find(({ name }) => name === volumeName);
  if (podVolume === undefined) return volume === 'subPath' || volume === 'slow';
  const names = claimNamesOf({ ...pod, spec: { volumes: [podVolume] } });
  return claimName === undefined ? names.length > 0 : names.includes(claimName);
}

/** The kubelet can mount since the pod is scheduled and its last volume attached: a repair restarts the clock. */
function mountableSince(p: PodCase): string | undefined {
  const scheduled = p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp;
  if (hasMountedVolumes(p.pod)) return scheduled;
  const attached = Math.max(0, ...volumeUsesOf(p).map(({ attachedSince = 0 }) => attachedSince));
  return attached > (parseTime(scheduled) ?? 0) ? new Date(attached).toISOString().replace('.000Z', 'Z') : scheduled;
}

/** A pod's deletionTimestamp is the end of its grace period: until then its containers may still run. */
export function assessPodDelete({ pod }: PodCase): Assessment {
  const { deletionTimestamp, name } = pod.metadata;
  return deletionTimestamp === undefined
    ? notApplicable('not being deleted')
    : open(`pod/${name} is being deleted`, deletionTimestamp, 60);
}
