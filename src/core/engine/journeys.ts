import type { BucketAccess, ObjectOf, StatefulSet, Volume } from '../kube/kinds.ts';
import { shortNameOf } from '../kube/resources.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { accessesWaitedFor } from '../facts/bucket/access-secret.ts';
import { bucketAccessCaseOf } from '../facts/bucket/bucket-access-case.ts';
import { isAccessGranted, isClaimReady, isSecondVersion } from '../facts/bucket/bucket.ts';
import { ClaimCase } from '../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../journey/claim-growth.ts';
import { claimsExpectedBy } from '../facts/claim/expectation.ts';
import { isObjectKind, ObjectCase } from '../facts/object-case.ts';
import type { ObjectKind } from '../facts/object-case.ts';
import { journeysOfStages } from '../journey/object-stages.ts';
import { planJourney, planObject, planStage } from '../journey/plan.ts';
import type { Journey } from '../journey/plan.ts';
import { PodCase } from '../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../facts/pod/pod-state.ts';
import type { Stage } from '../report/report.ts';
import { reservationOf } from '../facts/volume/volume-match.ts';
import { claimWaitingFor, isNamedByClaims, mayBeNamedByUnreadClaim } from './absent-object.ts';

/**
 * A claim has one journey with all its pods; a pod has one with each of its claims. None: the target does not exist.
 */
export function journeysOf(ask: Inquiry, target: TargetRef): Journey[] {
  if (target.kind === 'Pod') return journeysOfPod(ask, target.namespace ?? '', target.name);
  if (isObjectKind(target.kind)) return journeysOfObject(ask, target.kind, target);
  return journeysOfClaim(ask, target.namespace ?? '', target.name);
}

/** An access waits for its claims: what keeps them is what keeps the access. */
function journeysOfBucketClaims(ask: Inquiry, object: ObjectOf<ObjectKind>): Journey[] {
  if (object.kind !== 'BucketAccess' || object.metadata.deletionTimestamp !== undefined) return [];
  const subject = new ObjectCase(ask, object as BucketAccess);
  const { access, claims, isWithSidecar } = bucketAccessCaseOf(subject);
  if (isAccessGranted(access) || (isSecondVersion(access) && isWithSidecar)) return [];
  return claims.flatMap(({ lookup }) => {
    if (lookup.state !== 'found' || isClaimReady(lookup.object)) return [];
    const claim = new ObjectCase(ask, lookup.object);
    return journeysOfStages(claim).map((stages) => planObject(claim, stages));
  });
}

/** A pod that mounts the Secret of an access that is not granted waits for what the access waits for. */
function journeysOfBucketAccesses(ask: Inquiry, pod: PodCase): Journey[] {
  if (hasMountedVolumes(pod.pod)) return [];
  return accessesWaitedFor(pod)
    .filter((access) => !isAccessGranted(access))
    .flatMap((access) => journeysOfObject(ask, 'BucketAccess', { kind: 'BucketAccess', ...access.metadata }));
}

function journeysOfPod(ask: Inquiry, namespace: string, name: string): Journey[] {
  const lookup = ask.get('Pod', namespace, name, `whether pod/${name} exists`);
  if (lookup.state !== 'found') return journeysOfAbsentPod(ask, namespace, name, lookup.state === 'missing');
  const pod = new PodCase(ask, lookup.object);
  if (pod.claims.length === 0 || lookup.object.metadata.deletionTimestamp !== undefined)
    return [...journeysOfBucketAccesses(ask, pod), planJourney('pod', undefined, [pod])];
  return [...journeysOfBucketAccesses(ask, pod), ...pod.claims.map((claim) => planJourney('pod', claim, [pod]))];
}

/** A StatefulSet creates the claims of a pod before the pod: a refused claim explains why the pod does not exist. */
function journeysOfAbsentPod(ask: Inquiry, namespace: string, name: string, isMissing: boolean): Journey[] {
  const claims = claimsOfSets(setsExpectingPod(ask, namespace, name, isMissing), name);
  if (claims.length > 0) return claims.map((claim) => planJourney('pod', new ClaimCase(ask, namespace, claim), []));
  const setState = ask.graph.coverage.of('StatefulSet', { namespace }).state;
  // A StatefulSet that could not be read may expect the pod.
  const isKnownUnexpected = isMissing && setState !== 'denied' && setState !== 'failed';
  return isKnownUnexpected ? [] : [planJourney('pod', undefined, [])];
}

function setsExpectingPod(ask: Inquiry, namespace: string, name: string, isMissing: boolean): readonly StatefulSet[] {
  if (isMissing) return ask.list('StatefulSet', namespace, `whether a StatefulSet expects pod/${name}`).items;
  // A dump without pods may still hold the StatefulSet that should have created this one.
  const isUnread = ask.graph.coverage.of('Pod', { namespace, name }).state === 'unread';
  return isUnread ? ask.graph.inNamespace('StatefulSet', namespace) : [];
}

function claimsOfSets(sets: readonly StatefulSet[], podName: string): string[] {
  return sets.flatMap((set) =>
    claimsExpectedBy(set)
      .filter(({ expectation }) => expectation.podName === podName)
      .map(({ name }) => name),
  );
}

function journeysOfClaim(ask: Inquiry, namespace: string, name: string): Journey[] {
  const claim = new ClaimCase(ask, namespace, name);
  if (claim.lookup.state === 'missing') return journeysOfMissingClaim(claim);
  const pods = claim.claim ? claim.consumers.items.map((pod) => new PodCase(ask, pod, [claim])) : [];
  const journeys = [planJourney('claim', claim, pods)];
  if (isExpanding(claim)) journeys.push(planStage('expand', { claim, pods }));
  if (isModifying(claim)) journeys.push(planStage('modify', { claim, pods }));
  return journeys;
}

function journeysOfMissingClaim(claim: ClaimCase): Journey[] {
  const { pods, sets, isHidden } = claim.expectation;
  if (pods.length === 0 && sets.length === 0 && !isHidden) return [];
  const expecting = pods.map((pod) => new PodCase(claim.ask, pod, [claim]));
  return [planJourney('claim', claim, expecting)];
}

/**
 * Any other object has its own stages; a volume that is bound to a claim, or reserved for one, also has the journeys of
 * that claim.
 */
function journeysOfObject(ask: Inquiry, kind: ObjectKind, target: TargetRef): Journey[] {
  const lookup = ask.get(kind, target.namespace, target.name, `whether ${shortNameOf(kind)}/${target.name} exists`);
  if (lookup.state === 'missing' && isNamedByClaims(kind)) return journeysOfWaitingClaim(ask, kind, target.name);
  if (lookup.state === 'missing') return isUnserved(ask, kind, target) ? [journeyOfUnserved(ask, kind, target)] : [];
  if (lookup.state === 'unknown') return [planJourney('object', undefined, [])];
  const object = new ObjectCase(ask, lookup.object);
  const volume = kind === 'PersistentVolume' ? ask.graph.find(kind, undefined, target.name) : undefined;
  return [
    ...journeysOfBucketClaims(ask, lookup.object),
    ...journeysOfStages(object).map((stages) => planObject(object, stages)),
    ...(volume ? journeysOfItsClaim(ask, volume) : []),
  ];
}

/**
 * A question about a class, volume or node that does not exist is answered with the journeys of a claim that waits for
 * it.
 */
function journeysOfWaitingClaim(ask: Inquiry, kind: ObjectKind, name: string): Journey[] {
  const claim = claimWaitingFor(ask, kind, name);
  if (claim) return journeysOfClaim(ask, claim.metadata.namespace ?? '', claim.metadata.name);
  if (!mayBeNamedByUnreadClaim(ask, kind)) return [];
  ask.list('PersistentVolumeClaim', undefined, `whether a claim waits for ${shortNameOf(kind)}/${name}`);
  return [planJourney('object', undefined, [])];
}

/** The kinds of which it is a cause of its own that the API is not installed, and the stage of that cause. */
const unservedStages = {
  VolumeSnapshot: 'snapshot',
  VolumeSnapshotContent: 'snapshot',
  BucketClaim: 'claim',
  BucketAccess: 'claim',
  Bucket: 'provision',
} as const satisfies Partial<Record<ObjectKind, Stage>>;

type UnservedKind = keyof typeof unservedStages;

/** Whether the API of the kind is not installed: that answers any question about an object of it. */
function isUnserved(ask: Inquiry, kind: ObjectKind, { namespace, name }: TargetRef): kind is UnservedKind {
  return (
    Object.hasOwn(unservedStages, kind) &&
    ask.graph.coverage.of(kind, { ...(namespace !== undefined && { namespace }), name }).state === 'absentApi'
  );
}

function journeyOfUnserved(ask: Inquiry, kind: UnservedKind, { namespace, name }: TargetRef): Journey {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return planStage(unservedStages[kind], { object: new ObjectCase<UnservedKind>(ask, { kind, metadata }) });
}

function journeysOfItsClaim(ask: Inquiry, volume: Volume): Journey[] {
  const { namespace, name } = volume.spec?.claimRef ?? {};
  if (volume.metadata.deletionTimestamp !== undefined || !name || namespace === undefined) return [];
  const isShared =
    volume.status?.phase === 'Bound' ||
    (volume.status?.phase === 'Available' && isAwaited(ask, volume, namespace, name));
  return isShared ? journeysOfClaim(ask, namespace, name) : [];
}

/**
 * A volume reserved for a claim shares its journey, since the claim may be unable to bind to it, unless the claim took
 * another volume.
 */
function isAwaited(ask: Inquiry, volume: Volume, namespace: string, name: string): boolean {
  const { lookup, volumeName } = new ClaimCase(ask, namespace, name);
  if (lookup.state !== 'found') return lookup.state === 'unknown';
  return reservationOf(volume, lookup.object) === 'this' && (volumeName === '' || volumeName === volume.metadata.name);
}
