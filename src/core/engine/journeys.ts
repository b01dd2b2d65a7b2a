import type { StatefulSet, Volume } from '../kube/kinds.ts';
import { shortNameOf } from '../kube/resources.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { ClaimCase } from '../facts/claim/claim-case.ts';
import { isExpanding, isModifying } from '../journey/claim-growth.ts';
import { claimsExpectedBy } from '../facts/claim/expectation.ts';
import { isObjectKind, ObjectCase } from '../facts/object-case.ts';
import type { AnyObjectCase, ObjectKind } from '../facts/object-case.ts';
import { stagesOfObject } from '../journey/object-stages.ts';
import { planJourney, planStage } from '../journey/plan.ts';
import type { Journey } from '../journey/plan.ts';
import { PodCase } from '../facts/pod/pod-case.ts';
import { reservationOf } from '../facts/volume/volume-match.ts';
import { claimWaitingFor, isNamedByClaims, mayBeNamedUnseen } from './absent-object.ts';

/** A claim has one journey with all its pods; a pod has one with each of its claims. None: the target does not exist. */
export function journeysOf(ask: Inquiry, target: TargetRef): Journey[] {
  const namespace = target.namespace ?? '';
  if (target.kind === 'Pod') {
    const pod = ask.get('Pod', namespace, target.name, `whether pod/${target.name} exists`);
    if (pod.state === 'found') {
      const subject = new PodCase(ask, pod.object);
      if (subject.claims.length === 0 || pod.object.metadata.deletionTimestamp !== undefined)
        return [planJourney('pod', undefined, [subject])];
      return subject.claims.map((claim) => planJourney('pod', claim, [subject]));
    }
    if (pod.state === 'unknown') {
      // A dump without any pod may hold the set that should have made this one.
      const expected =
        ask.graph.coverage.of('Pod', { namespace, name: target.name }).state === 'unread'
          ? claimsOfUnmadePod(ask.graph.inNamespace('StatefulSet', namespace), target.name)
          : [];
      return expected.length > 0
        ? expected.map((name) => planJourney('pod', new ClaimCase(ask, namespace, name), []))
        : [planJourney('pod', undefined, [])];
    }
    const unmade = claimsOfUnmadePod(
      ask.list('StatefulSet', namespace, `whether a StatefulSet expects pod/${target.name}`).items,
      target.name,
    );
    // Whoever would make it may be hidden from us: then nobody can say that the pod is not expected.
    if (unmade.length === 0 && ['denied', 'failed'].includes(ask.graph.coverage.of('StatefulSet', { namespace }).state))
      return [planJourney('pod', undefined, [])];
    return unmade.map((name) => planJourney('pod', new ClaimCase(ask, namespace, name), []));
  }
  if (isObjectKind(target.kind)) return journeysOfObject(ask, target.kind, target);
  const claim = new ClaimCase(ask, namespace, target.name);
  if (claim.lookup.state === 'missing') {
    const { expectation } = claim;
    if (expectation.pods.length === 0 && expectation.sets.length === 0 && !expectation.isHidden) return [];
    return [
      planJourney(
        'claim',
        claim,
        expectation.pods.map((pod) => new PodCase(ask, pod, [claim])),
      ),
    ];
  }
  const pods = claim.claim ? claim.consumers.items.map((pod) => new PodCase(ask, pod, [claim])) : [];
  const journeys = [planJourney('claim', claim, pods)];
  if (isExpanding(claim)) journeys.push(planStage('expand', { claim, pods }));
  if (isModifying(claim)) journeys.push(planStage('modify', { claim, pods }));
  return journeys;
}

/** Anything else has its own stages; a volume that is bound, or kept for a claim, also shares the journey of its claim, whose trouble is its own. */
function journeysOfObject(ask: Inquiry, kind: ObjectKind, target: TargetRef): Journey[] {
  const lookup = ask.get(kind, target.namespace, target.name, `whether ${shortNameOf(kind)}/${target.name} exists`);
  if (lookup.state === 'missing' && isNamedByClaims(kind)) return journeysOfWhoWaits(ask, kind, target.name);
  if (lookup.state === 'missing')
    return isUnserved(ask, kind, target)
      ? [
          planStage('snapshot', {
            object: new ObjectCase(ask, {
              kind,
              metadata: { name: target.name, ...(target.namespace !== undefined && { namespace: target.namespace }) },
            }) as AnyObjectCase,
          }),
        ]
      : [];
  if (lookup.state === 'unknown') return [planJourney('object', undefined, [])];
  const object = new ObjectCase(ask, lookup.object) as AnyObjectCase;
  return [
    ...stagesOfObject(object).map((stage) => planStage(stage, { object })),
    ...(kind === 'PersistentVolume' ? journeysOfItsClaim(ask, object as ObjectCase<'PersistentVolume'>) : []),
  ];
}

/** A class, a volume or a node that does not exist is answered with the journey of a claim that waits for it. */
function journeysOfWhoWaits(ask: Inquiry, kind: ObjectKind, name: string): Journey[] {
  const claim = claimWaitingFor(ask, kind, name);
  if (claim)
    return journeysOf(ask, {
      kind: 'PersistentVolumeClaim',
      namespace: claim.metadata.namespace ?? '',
      name: claim.metadata.name,
    });
  if (!mayBeNamedUnseen(ask, kind)) return [];
  ask.list('PersistentVolumeClaim', undefined, `whether a claim waits for ${shortNameOf(kind)}/${name}`);
  return [planJourney('object', undefined, [])];
}

/** Where the snapshot API is not installed, that is the answer to whoever asks about a snapshot. */
function isUnserved(
  ask: Inquiry,
  kind: ObjectKind,
  { namespace, name }: TargetRef,
): kind is 'VolumeSnapshot' | 'VolumeSnapshotContent' {
  return (
    (kind === 'VolumeSnapshot' || kind === 'VolumeSnapshotContent') &&
    ask.graph.coverage.of(kind, { ...(namespace !== undefined && { namespace }), name }).state === 'absentApi'
  );
}

function journeysOfItsClaim(ask: Inquiry, { object, isTerminating }: ObjectCase<'PersistentVolume'>): Journey[] {
  const reference = object.spec?.claimRef;
  if (isTerminating || !reference?.name || reference.namespace === undefined) return [];
  if (
    object.status?.phase !== 'Bound' &&
    !(object.status?.phase === 'Available' && isAwaited(ask, object, reference.namespace, reference.name))
  )
    return [];
  return journeysOf(ask, { kind: 'PersistentVolumeClaim', namespace: reference.namespace, name: reference.name });
}

/** A volume that is kept for a claim is not yet well: the claim that it names may be unable to take it. One that took another volume is content. */
function isAwaited(ask: Inquiry, volume: Volume, namespace: string, name: string): boolean {
  const { lookup, volumeName } = new ClaimCase(ask, namespace, name);
  if (lookup.state !== 'found') return lookup.state === 'unknown';
  return reservationOf(volume, lookup.object) === 'this' && (volumeName === '' || volumeName === volume.metadata.name);
}

/** A StatefulSet makes the claims of a pod before the pod: if a claim is refused, there is no pod to ask about. */
function claimsOfUnmadePod(sets: readonly StatefulSet[], podName: string): string[] {
  return sets.flatMap((set) =>
    claimsExpectedBy(set)
      .filter(({ expectation }) => expectation.podName === podName)
      .map(({ name }) => name),
  );
}
