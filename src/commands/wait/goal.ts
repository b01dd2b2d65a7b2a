import type { Inquiry } from '../../core/graph/inquiry.ts';
import { ClaimCase } from '../../core/facts/claim/claim-case.ts';
import { isExpanding } from '../../core/journey/claim-growth.ts';
import { ObjectCase } from '../../core/facts/object-case.ts';
import { assessPodAttach } from '../../core/journey/pod-attach.ts';
import { PodCase } from '../../core/facts/pod/pod-case.ts';
import { containerTroubleOf } from '../../core/journey/container-trouble.ts';
import { hasMountedVolumes, isReady } from '../../core/facts/pod/pod-state.ts';
import { assessSnapshot } from '../../core/journey/snapshot-stages.ts';
import type { Claim, Kind, ObjectOf, Pod, Volume } from '../../core/kube/kinds.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { GoalState, Wish } from '../../core/report/wait.ts';

const reached = (note: string): GoalState => ({ state: 'reached', note });
const open = (note: string): GoalState => ({ state: 'open', note });
const someone = (note: string): GoalState => ({ state: 'open', note, waitsForSomeone: true });
const over = (note: string): GoalState => ({ state: 'open', note, isOver: true });

/** Whether a target has reached its goal; what could not be read never counts as reached. */
export function assessGoal(ask: Inquiry, wish: Wish): GoalState {
  const { target, goal } = wish;
  const { kind, name } = target;
  const namespace = resourceOf(kind).namespaced ? target.namespace : undefined;
  const lookup = ask.get(kind, namespace, name, `whether ${shortNameOf(kind)}/${name} is ${goal}`);
  if (lookup.state === 'unknown') {
    const { state, message } = ask.graph.coverage.of(kind, { ...(namespace !== undefined && { namespace }), name });
    const note = `it could not be read${message === undefined ? '' : `: ${message}`}`;
    return { state: 'unknown', note, ...(state === 'denied' && { isRefused: true }) };
  }
  if (lookup.state === 'missing')
    return goal === 'deleted' ? reached('is gone') : { state: 'absent', note: 'does not exist' };
  const { object } = lookup;
  const { uid, deletionTimestamp } = object.metadata;
  if (goal === 'deleted' && wish.uid !== undefined && uid !== undefined && uid !== wish.uid)
    return reached('is gone, and a new object has its name');
  const isTerminating = deletionTimestamp !== undefined;
  const state = isTerminating ? open('is being deleted') : assessExisting(ask, object, goal);
  return { ...state, ...(uid !== undefined && { uid }), ...(isTerminating && { isTerminating }) };
}

function assessExisting(ask: Inquiry, object: ObjectOf<Kind>, goal: Wish['goal']): GoalState {
  return goal === 'deleted' ? assessStaying(object) : assessPresent(ask, object, goal);
}

/** Whether an object that is not being deleted will go away: a released volume may, by its reclaim policy. */
function assessStaying(object: ObjectOf<Kind>): GoalState {
  const phase = object.kind === 'PersistentVolume' ? (object as Volume).status?.phase : undefined;
  return phase === 'Released' || phase === 'Failed'
    ? open(`is ${phase} and still exists`)
    : someone('is not being deleted');
}

function assessPresent(ask: Inquiry, object: ObjectOf<Kind>, goal: Exclude<Wish['goal'], 'deleted'>): GoalState {
  switch (object.kind) {
    case 'PersistentVolumeClaim':
      return assessClaim(ask, object as Claim, goal);
    case 'Pod':
      return assessPod(new PodCase(ask, object as Pod), goal);
    case 'PersistentVolume':
      return assessVolume(object as Volume);
    case 'VolumeAttachment':
      return (object as ObjectOf<'VolumeAttachment'>).status?.attached === true
        ? reached('is attached')
        : open('is not attached yet');
    case 'VolumeSnapshot':
      return assessSnapshot(new ObjectCase(ask, object as ObjectOf<'VolumeSnapshot'>)).state === 'passed'
        ? reached('is ready')
        : open('is not ready yet');
    default: {
      const { status } = object as { readonly status?: { readonly readyToUse?: unknown } };
      return status?.readyToUse === true ? reached('is ready') : open('is not ready yet');
    }
  }
}

function assessClaim(ask: Inquiry, { metadata }: Claim, goal: Wish['goal']): GoalState {
  const claim = new ClaimCase(ask, metadata.namespace ?? '', metadata.name);
  if (!claim.isBound) return open('is not bound yet');
  if (goal === 'bound') return reached(`is bound to ${claim.volumeName}`);
  if (goal === 'resized') return assessSize(claim);
  const { items, complete } = claim.consumers;
  if (!complete) {
    const { state } = ask.graph.coverage.of('Pod', { namespace: claim.namespace });
    return {
      state: 'unknown',
      note: 'the pods that use it could not be read',
      ...(state === 'denied' && { isRefused: true }),
    };
  }
  if (items.length === 0) return someone(`no pod uses it, and it is ${goal} only when one does`);
  // The goal is reached when it is reached for every pod.
  const states = items.map((pod) => assessPod(new PodCase(ask, pod, [claim]), goal));
  const note = `is ${goal} for ${items.map((pod) => `pod/${pod.metadata.name}`).join(', ')}`;
  return (
    states.find(({ state }) => state !== 'reached') ?? {
      ...reached(note),
      ...(states.some(({ isDoubtful }) => isDoubtful) && { isDoubtful: true }),
    }
  );
}

function assessSize(claim: ClaimCase): GoalState {
  const capacity = claim.claim?.status?.capacity?.['storage'];
  if (capacity === undefined) return open('does not report its size yet');
  return isExpanding(claim)
    ? open(`grows from ${capacity} to ${claim.request ?? 'an unknown size'}`)
    : reached(`has ${capacity}`);
}

function assessPod(subject: PodCase, goal: Wish['goal']): GoalState {
  const { pod } = subject;
  const label = `pod/${pod.metadata.name}`;
  const phase = pod.status?.phase;
  if (goal === 'ready') {
    if (isReady(pod)) return reached('is ready');
    return phase === 'Succeeded' || phase === 'Failed'
      ? over(`${label} has ended (${phase}) and will not become ready`)
      : open(`${label} is not ready yet`);
  }
  // A subPath is prepared with its container: the volume may be mounted and the container still unable to use it.
  const trouble = goal === 'mounted' ? containerTroubleOf(pod) : undefined;
  if (trouble?.volume !== undefined)
    return open(`container ${trouble.container} of ${label} cannot use its volumes: ${trouble.reason}`);
  if (hasMountedVolumes(pod)) {
    const isDoubtful = goal === 'mounted' && (trouble !== undefined || subject.ask.graph.snapshot.usage !== undefined);
    return { ...reached(`is ${goal}`), ...(isDoubtful && { isDoubtful }) };
  }
  if (phase === 'Failed')
    return over(`${label} ended (${pod.status?.reason ?? phase}) before its volumes were ${goal}`);
  if (goal === 'mounted')
    return open(subject.isScheduled ? `${label} waits for its volumes` : `${label} has no node yet`);
  const attach = assessPodAttach(subject);
  if (attach.state === 'passed' || attach.state === 'notApplicable') return reached(attach.note);
  return attach.state === 'unknown'
    ? { state: 'unknown', note: attach.note }
    : open(attach.state === 'unreached' ? `${label} has no node yet` : attach.note);
}

function assessVolume({ status, spec }: Volume): GoalState {
  if (status?.phase === 'Bound') return reached(`is bound to pvc/${spec?.claimRef?.name ?? ''}`);
  if (status?.phase === 'Available')
    return spec?.claimRef?.name
      ? open(`is reserved for pvc/${spec.claimRef.name} in ${spec.claimRef.namespace ?? ''}`)
      : someone('is free, and no claim has taken it');
  return open(`is ${status?.phase ?? 'not yet processed by the volume controller'}`);
}
