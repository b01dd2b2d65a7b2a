import { parseTime } from '../../kube/time.ts';
import type { ClaimCase } from './claim-case.ts';

/**
 * Since when a provisioner could work on the claim: a delayed one waits for its first pod, and any claim for its class.
 */
export function findProvisionableSince(c: ClaimCase): string | undefined {
  const created = c.claim?.metadata.creationTimestamp;
  const pods = c.isDelayed ? c.consumers.items.map((pod) => pod.metadata.creationTimestamp) : [];
  const firstPod = pods
    .filter((time) => parseTime(time) !== undefined)
    .sort((a, b) => (parseTime(a) ?? 0) - (parseTime(b) ?? 0))[0];
  const times = [created, firstPod, c.storageClassObject?.metadata.creationTimestamp];
  return times.reduce((latest, time) => ((parseTime(time) ?? 0) > (parseTime(latest) ?? 0) ? time : latest), created);
}
