import type { Stage } from '../report/report.ts';
import type { ClaimCase } from '../facts/claim/claim-case.ts';
import type { ObjectCase, ObjectKind } from '../facts/object-case.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';

/**
 * One claim (or none, for a pod without claims) and the pods that matter for it, with the stages in the order they
 * happen.
 */
export interface Journey {
  /** Whose journey it is: a claim with its pods, a pod with its claims, or any other object. */
  readonly target: 'claim' | 'pod' | 'object';
  readonly claim: ClaimCase | undefined;
  readonly pods: readonly PodCase[];
  /** The volume, attachment, snapshot, node, driver or class whose journey it is. */
  readonly object?: ObjectCase<ObjectKind>;
  readonly stages: readonly Stage[];
}

/**
 * No fixed order of stages is true: with WaitForFirstConsumer the scheduler comes before the provisioner, and a static
 * claim is never provisioned. For a bound claim the order is not known any more, and the usual one is taken.
 */
export function planJourney(
  target: Journey['target'],
  claim: ClaimCase | undefined,
  pods: readonly PodCase[],
): Journey {
  const stages = stagesOf(target, claim, pods);
  if (stages[0] !== 'delete') return { target, claim, pods, stages };
  // A pod and its claim are deleted separately: the rules for one must not explain the other.
  return target === 'pod' ? { target, claim: undefined, pods, stages } : { target, claim, pods: [], stages };
}

/** A journey of a single stage: expanding, modifying or deleting a volume, or taking a snapshot. */
export function planStage(
  stage: Stage,
  subject:
    { readonly claim: ClaimCase; readonly pods: readonly PodCase[] } | { readonly object: ObjectCase<ObjectKind> },
): Journey {
  return 'object' in subject
    ? planObject(subject.object, [stage])
    : { target: 'claim', claim: subject.claim, pods: subject.pods, stages: [stage] };
}

/** The journey of an object that is neither claim nor pod, through stages of its own. */
export function planObject(object: ObjectCase<ObjectKind>, stages: readonly Stage[]): Journey {
  return { target: 'object', claim: undefined, pods: [], object, stages };
}

function stagesOf(target: Journey['target'], claim: ClaimCase | undefined, pods: readonly PodCase[]): readonly Stage[] {
  if (target === 'pod' && pods.some(({ pod }) => pod.metadata.deletionTimestamp !== undefined)) return ['delete'];
  if (!claim) return ['schedule', 'attach', 'mount'];
  if (target === 'claim' && claim.claim?.metadata.deletionTimestamp !== undefined) return ['delete'];
  // Once claim or volume names the other, binding waits for no pod (FindMatchingVolume returns reserved volumes even
  // then).
  const delayed = claim.isDelayed === true && !claim.namesVolume && !claim.isLost && claim.reservedVolumes.length === 0;
  const isStatic = claim.isLost || claim.isStatic === true;
  if (isStatic)
    return delayed && !claim.isBound
      ? ['claim', 'schedule', 'bind', 'attach', 'mount']
      : ['claim', 'bind', 'schedule', 'attach', 'mount'];
  return delayed && !claim.isBound
    ? ['claim', 'schedule', 'provision', 'bind', 'attach', 'mount']
    : ['claim', 'provision', 'bind', 'schedule', 'attach', 'mount'];
}
