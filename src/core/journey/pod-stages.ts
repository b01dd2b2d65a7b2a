import { open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
import { hasMountedVolumes } from '../facts/pod/pod-state.ts';
import { storageTexts } from '../facts/pod/scheduling-message.ts';
import { isOthersClaim } from '../facts/pod/pod-case.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';

/**
 * Whether the pod may use the claim: an ephemeral volume must own it, and it must not be terminating. Undefined when it
 * may.
 */
export function assessPodClaim(p: PodCase, claim: ClaimCase): Assessment | undefined {
  if (!claim.claim || hasMountedVolumes(p.pod)) return undefined;
  if (isOthersClaim(p.pod, claim.claim))
    return open(
      `pvc/${claim.name} does not belong to pod/${p.pod.metadata.name}`,
      p.pod.metadata.creationTimestamp,
      30,
    );
  const { deletionTimestamp } = claim.claim.metadata;
  if (deletionTimestamp !== undefined && !p.isScheduled)
    return open(`pvc/${claim.name} is being deleted`, deletionTimestamp, 30);
  return undefined;
}

/** The pod has a node. */
export function assessPodSchedule(p: PodCase): Assessment {
  const { pod } = p;
  const label = `pod/${pod.metadata.name}`;
  if (p.isScheduled) return passed(`${label} on ${pod.spec?.nodeName ?? ''}`);
  const since = p.scheduledCondition?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  if ((pod.spec?.schedulingGates ?? []).length > 0) return open(`${label} is gated`, since, 0);
  const bound = boundSinceRefusal(p);
  if (bound !== undefined)
    return open(
      `${label} was rejected before its claims were bound, and the scheduler has not tried again yet`,
      bound,
      360,
    );
  // A scheduler without a message may be busy, so it gets more time than one that has rejected the pod.
  return open(
    p.schedulingMessage ? `${label} fits on no node` : `${label} is not scheduled yet`,
    since,
    p.schedulingMessage ? 30 : 65,
  );
}

/**
 * The scheduler's last message may be older than the binding: it retries when the claims change, and every five minutes
 * at the latest.
 */
function boundSinceRefusal(p: PodCase): string | undefined {
  const said = p.schedulingMessage?.raw ?? '';
  if (
    ![storageTexts.unboundImmediate, storageTexts.claimGone, storageTexts.ephemeral].some((pattern) =>
      pattern.test(said),
    )
  )
    return undefined;
  if (p.claims.length === 0 || !p.claims.every((claim) => claim.isBound)) return undefined;
  const times = p.claims.flatMap(({ volume }) =>
    volume?.state === 'found'
      ? [volume.object.status?.lastPhaseTransitionTime ?? volume.object.metadata.creationTimestamp]
      : [],
  );
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
