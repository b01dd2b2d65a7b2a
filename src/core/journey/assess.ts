import type { Stage } from '../report/report.ts';
import { notApplicable, open, passed, unknown, unreached } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import { assessBind, assessClaim, assessProvision } from './claim-stages.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
import { assessExpand, assessModify } from './claim-growth.ts';
import { assessObject } from './object-stages.ts';
import type { Journey } from './plan.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';
import { assessPodDelete, assessPodMount } from './pod-mount.ts';
import { assessPodClaim, assessPodSchedule } from './pod-stages.ts';
import { assessPodAttach } from './pod-attach.ts';
import { conditionOf, hasMountedVolumes } from '../facts/pod/pod-state.ts';
import { storageTexts } from '../facts/pod/scheduling-message.ts';

/** What object state shows about one stage of a journey. */
export function assessStage(stage: Stage, journey: Journey): Assessment {
  const { claim, object } = journey;
  if (object) return assessObject(stage, object);
  if (journey.target === 'object') return unknown('the object, or the claims that wait for it, could not be read');
  if (stage !== 'attach' && stage !== 'mount' && stage !== 'delete') {
    if (isOver(journey)) return notApplicable('the pod has ended');
    if (isInUse(journey)) return passed('the volumes are mounted');
  }
  switch (stage) {
    case 'claim':
      return claim ? (assessPodsClaim(journey, claim) ?? assessClaim(claim)) : notApplicable('no claim');
    case 'provision':
      return claim ? assessProvision(claim) : notApplicable('no claim');
    case 'bind':
      return claim ? assessBind(claim) : notApplicable('no claim');
    case 'schedule':
      return assessSchedule(journey);
    case 'attach':
      return hiddenPods(journey) ?? worst(journey, assessPodAttach, 'no pod uses it');
    case 'mount':
      return (
        hiddenPods(journey) ??
        worst(journey, (pod) => assessPodMount(pod, journey.target, claim?.name), 'no pod uses it')
      );
    case 'expand':
      return claim ? assessExpand(claim) : notApplicable('no claim');
    case 'modify':
      return claim ? assessModify(claim) : notApplicable('no claim');
    case 'delete':
      return journey.target === 'pod' ? worst(journey, assessPodDelete, 'no pod') : assessDelete(claim);
    default:
      return notApplicable('not part of this journey');
  }
}

/** A pod that has ended no longer needs its claims, whether they exist or not. */
function isOver({ target, pods: [pod] }: Journey): boolean {
  const phase = pod?.pod.status?.phase;
  return target === 'pod' && (phase === 'Succeeded' || phase === 'Failed');
}

/** A running pod keeps its volumes, even if its claims are deleted; those are targets of their own. */
function isInUse({ target, pods: [pod] }: Journey): boolean {
  return target === 'pod' && pod !== undefined && pod.isScheduled && hasMountedVolumes(pod.pod);
}

/** For a pod as the target, a claim that it may not use counts as missing, even if the claim is healthy. */
function assessPodsClaim(journey: Journey, claim: ClaimCase): Assessment | undefined {
  const [pod] = journey.pods;
  return journey.target === 'pod' && pod ? assessPodClaim(pod, claim) : undefined;
}

function assessSchedule(journey: Journey): Assessment {
  const { claim } = journey;
  const earlier = journey.target === 'pod' ? claimToBindFirst(journey) : undefined;
  if (earlier) return unreached(`waits for pvc/${earlier.name}`);
  if (claim && !claim.isBound && claim.isDelayed) return assessDelayedSchedule(claim, journey);
  if (journey.target === 'pod' && !claim && journey.pods.length === 0)
    return unknown('the pod, or the controller that creates it, could not be read');
  if (journey.target === 'pod') return worst(journey, assessPodSchedule, 'no pod');
  if (claim && !claim.consumers.complete && journey.pods.length === 0) return unreached('the pods could not be read');
  // For a bound claim as the target, a pod that waits for CPU is not the claim's problem.
  return worst(
    journey,
    (pod) =>
      isHeldByStorage(pod)
        ? (assessOtherClaims(pod, claim) ?? assessPodSchedule(pod))
        : passed(`pod/${pod.pod.metadata.name} is not held by storage`),
    'no pod uses it',
  );
}

/** The scheduler rejects the pod before it checks any node, because a claim is not bound (VolumeBinding PreFilter). */
export function waitsForClaims(pod: PodCase): boolean {
  return !pod.isScheduled && storageTexts.unboundImmediate.test(pod.schedulingMessage?.raw ?? '');
}

/** A pod of a bound claim may wait for another of its claims; undefined when it does not. */
function assessOtherClaims(pod: PodCase, claim: ClaimCase | undefined): Assessment | undefined {
  if (claim?.isBound !== true || !waitsForClaims(pod)) return undefined;
  const other = pod.claims.find((sibling) => sibling.name !== claim.name && mustBindFirst(sibling));
  if (!other) return undefined;
  const since = pod.scheduledCondition?.lastTransitionTime ?? pod.pod.metadata.creationTimestamp;
  return open(`pod/${pod.pod.metadata.name} waits for pvc/${other.name}`, since, 30);
}

function isHeldByStorage(pod: PodCase): boolean {
  if (pod.isScheduled) return true;
  return pod.schedulingMessage?.reasons.some((reason) => reason.isStorage) ?? false;
}

/** The scheduler rejects a pod while another of its claims is not bound: that claim's own journey explains why. */
function claimToBindFirst({ claim, pods }: Journey): ClaimCase | undefined {
  return pods
    .flatMap((pod) => (pod.isScheduled ? [] : pod.claims))
    .find((sibling) => sibling.name !== claim?.name && mustBindFirst(sibling));
}

/** Not bound, and not a claim that the scheduler binds (VolumeBinding PreFilter). */
export function mustBindFirst(claim: ClaimCase): boolean {
  if (claim.lookup.state === 'unknown' || claim.isBound) return false;
  return claim.isDelayed === false || claim.isLost || claim.namesVolume;
}

/** WaitForFirstConsumer: the scheduler has to choose a node before a volume is provisioned. */
function assessDelayedSchedule(claim: ClaimCase, journey: Journey): Assessment {
  const since = claim.claim?.metadata.creationTimestamp;
  const node = claim.selectedNode;
  if (node !== undefined) {
    const refusal = journey.pods.find((pod) => storageTexts.nothingToBind.test(pod.schedulingMessage?.raw ?? ''));
    if (refusal)
      return open(`node ${node} was chosen, but pod/${refusal.pod.metadata.name} fits on no node`, since, 30);
    return isUsable(claim, node, journey)
      ? passed(`node ${node} was chosen`)
      : open(`node ${node} was chosen and cannot be used`, since, 30);
  }
  if (wasGivenUp(claim, journey)) return passed('a node was chosen, and dropped again when provisioning failed there');
  const { consumers } = claim;
  if (journey.pods.length === 0 && consumers.items.length === 0) {
    return claim.isUnused
      ? open('no pod uses the claim yet', since, 0)
      : unknown('which pods use the claim could not be read', since);
  }
  const bypass = journey.pods.find((pod) => pod.isScheduled);
  if (bypass)
    return open(`pod/${bypass.pod.metadata.name} has a node, but no node was chosen for the claim`, since, 30);
  return worst(journey, assessPodSchedule, 'no pod uses the claim yet');
}

/**
 * Provisioning continues for a node that was cordoned since: only a pod that the scheduler rejects proves the choice
 * useless.
 */
function isUsable(claim: ClaimCase, name: string, journey: Journey): boolean {
  const node = claim.ask.get(
    'Node',
    undefined,
    name,
    `whether node ${name}, chosen for pvc/${claim.name}, still exists`,
  );
  if (node.state === 'unknown') return true;
  if (node.state === 'missing') return false;
  const isFit =
    node.object.spec?.unschedulable !== true &&
    (conditionOf(node.object.status?.conditions, 'Ready')?.status ?? 'True') === 'True';
  return isFit || hasFailedProvisioning(claim) || !journey.pods.some((pod) => pod.schedulingMessage !== undefined);
}

/**
 * After a failure the provisioner removes the chosen node and the scheduler starts again: between two rounds no node is
 * chosen, but the failure is in provisioning.
 */
function wasGivenUp(claim: ClaimCase, journey: Journey): boolean {
  if (claim.isStatic === true || journey.pods.some((pod) => pod.isScheduled)) return false;
  const said = journey.pods.map((pod) => pod.schedulingMessage?.raw).filter((text) => text !== undefined);
  if (said.some((text) => storageTexts.bindTimeout.test(text))) return true;
  if (journey.pods.length === 0 || !hasFailedProvisioning(claim)) return false;
  return (
    said.length === 0 ||
    said.some(
      (text) =>
        storageTexts.provisionFailed.test(text) &&
        // Schedulers before 1.17 do not name the claim.
        (text.includes(`"${claim.name}"`) || text.includes(`/${claim.name}"`) || !/PVC "/.test(text)),
    )
  );
}

function hasFailedProvisioning(claim: ClaimCase): boolean {
  return claim.events.items.some((event) => event.reason === 'ProvisioningFailed');
}

function assessDelete(claim: ClaimCase | undefined): Assessment {
  const metadata = claim?.claim?.metadata;
  if (metadata?.deletionTimestamp === undefined) return notApplicable('not being deleted');
  return open(`held by ${(metadata.finalizers ?? []).join(', ') || 'no finalizer'}`, metadata.deletionTimestamp, 30);
}

/** A bound claim whose pods could not be read is not known to be in good use. */
function hiddenPods({ target, claim, pods }: Journey): Assessment | undefined {
  if (target !== 'claim' || !claim?.isBound || pods.length > 0 || claim.consumers.complete) return undefined;
  const { state } = claim.ask.graph.coverage.of('Pod', { namespace: claim.namespace });
  return state === 'denied' || state === 'failed' ? unknown('the pods that use it could not be read') : undefined;
}

/** The higher, the worse. */
const badness = { open: 3, unknown: 2, passed: 1, notApplicable: 0, unreached: 0 } as const;

/** Of several pods, the one in the worst state decides the stage. */
function worst(journey: Journey, assess: (pod: PodCase) => Assessment, none: string): Assessment {
  let result: Assessment | undefined;
  for (const pod of journey.pods) {
    const assessment = assess(pod);
    if (!result || badness[assessment.state] > badness[result.state]) result = assessment;
  }
  return result ?? unreached(none);
}
