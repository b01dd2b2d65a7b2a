import type { BucketController } from '../../facts/bucket/bucket-controllers.ts';
import {
  crashTrouble,
  findWorkloadWords,
  leaderTrouble,
  leaseTrouble,
  podTrouble,
  workloadTrouble,
} from '../../facts/driver/controller-health.ts';
import type { ControllerTrouble } from '../../facts/driver/controller-health.ts';
import { isCrashing, isRunning, statusOf } from '../../facts/pod/pod-health.ts';
import { isReady } from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';

/** Why the COSI controller or a sidecar does not act; `words` are a sentence of their own. */
export interface BucketTrouble extends ControllerTrouble {
  readonly confidence: Confidence;
}

/** Time for a new leader to take over: the lease of v1alpha1 lasts 150 s. */
const takeOverSeconds = 180;

/** Shown by its lease, its pods or its workload. `who` is "COSI controller" or "COSI sidecar of X". */
export function provenTrouble(controller: BucketController, who: string, now: number): BucketTrouble | undefined {
  const { lease, pods } = controller;
  if (lease.state === 'fresh') return undefined;
  const running = pods.items.filter((pod) => runsIn(pod, controller));
  const [crash, ...others] = pods.items.flatMap((pod) => crashesOf(pod, now));
  if (crash && running.every((pod) => pod === crash.pod))
    return proven(who, crashTrouble(controller, [crash, ...others]));
  if (running.length > 0) {
    const idle = running.filter((pod) => startedBefore(pod, controller, now));
    const trouble = leaderTrouble(controller, idle, now);
    return trouble && proven(who, trouble);
  }
  const down = podTrouble(controller) ?? workloadTrouble(controller);
  if (down) return proven(who, down);
  const gone = leaseTrouble(controller, `the ${who}`, now);
  return gone && { ...proven(who, gone), fix: [startUnseen(who, lease.object?.spec?.holderIdentity)] };
}

function proven(who: string, trouble: ControllerTrouble): BucketTrouble {
  const { words, reason } = trouble;
  return {
    ...trouble,
    words: words.startsWith('is not running') ? `No ${who} is running: ${reason ?? words}.` : `The ${who} ${words}.`,
    confidence: 'certain',
  };
}

/** A sidecar ends with its driver, so any container of the pod that keeps ending counts. */
function crashesOf(pod: Pod, now: number) {
  return (pod.status?.containerStatuses ?? []).flatMap((status) => (isCrashing(status, now) ? [{ pod, status }] : []));
}

function runsIn(pod: Pod, { containerOf }: BucketController): boolean {
  const status = statusOf(pod, containerOf(pod.spec)?.name);
  return status ? isRunning(status) : pod.status?.phase === 'Running' && isReady(pod);
}

function startedBefore(pod: Pod, { containerOf }: BucketController, now: number): boolean {
  const started = parseTime(statusOf(pod, containerOf(pod.spec)?.name)?.state?.running?.startedAt);
  return started === undefined || (now - started) / 1000 > takeOverSeconds;
}

/** Its workload is not known: the first line finds it by the names of containers and images. */
export function startUnseen(who: string, holder?: string): Fix {
  return steps(`Start the ${who}. ${findWorkloadWords(holder)} What waits for it then continues automatically.`, [
    'kubectl get deploy,sts -A -o wide | grep -i -e objectstorage -e cosi',
    'kubectl -n PLACEHOLDER_NAMESPACE scale PLACEHOLDER_WORKLOAD --replicas=1',
  ]);
}
