import type { Listing } from '../../graph/inquiry.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import { pvcProtection, removerOf } from './finalizers.ts';

/**
 * The pods that keep a claim from being deleted (pvc_protection_controller podUsesPVC): those that have a node, in any
 * phase. A pod that owns the claim as an ephemeral volume no longer counts once the kubelet has shut it down.
 */
export function holdersOf(c: PresentClaim): Listing<Pod> {
  const { items, complete } = c.ask.podsUsing(c);
  return {
    items: items
      .filter((pod) => Boolean(pod.spec?.nodeName) && holds(pod, c))
      .sort((a, b) => compareText(a.metadata.name, b.metadata.name)),
    complete,
  };
}

function holds(pod: Pod, c: PresentClaim): boolean {
  const isMounted = (pod.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === c.name);
  return isMounted || (!isShutDown(pod) && !isOthersClaim(pod, c.claim));
}

function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isLeaving({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * The generic ephemeral volume of the pod that the claim belongs to (pkg/controller/volume/ephemeral: PODNAME-VOLUME).
 */
export function ephemeralVolumeOf(c: PresentClaim, pod: Pod): string | undefined {
  const isMounted = (pod.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === c.name);
  const volume = (pod.spec?.volumes ?? []).find(
    ({ name = '', ephemeral }) => ephemeral !== undefined && `${pod.metadata.name}-${name}` === c.name,
  );
  return isMounted || isOthersClaim(pod, c.claim) ? undefined : volume?.name;
}

/** A sentence about what keeps the claim when its pods are gone, with a blank before it; empty where nothing does. */
export function nextHolderWords({ claim }: PresentClaim): string {
  const [finalizer] = (claim.metadata.finalizers ?? []).filter((each) => each !== pvcProtection);
  return finalizer === undefined
    ? ''
    : ` After that, ${removerOf(finalizer)} still has to remove finalizer "${finalizer}".`;
}

const mostNamed = 5;

export function nameSome(names: readonly string[]): string {
  return names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`;
}

export function podNames(pods: readonly Pod[]): string {
  return nameSome(pods.map(({ metadata }) => `pod/${metadata.name}`));
}
