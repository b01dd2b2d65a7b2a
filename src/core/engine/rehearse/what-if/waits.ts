import type { Claim, Pod } from '../../../kube/kinds.ts';
import { fix, shellWord } from '../../../facts/evidence.ts';
import { servingDriver } from '../../../facts/volume/volume-slots.ts';
import { claimNamesOf } from '../../../graph/cluster-graph.ts';
import { plainRef } from './future.ts';
import type { Departure, Future } from './future.ts';
import { count } from './leave-node.ts';
import { isSetPod } from './pod-owner.ts';

/** How long the departures take, what they wait for, and what they lose on the way. */
export function tellWaits(f: Future, failed: ReadonlySet<Pod>): void {
  const starting = f.departures.filter(({ pod, returns }) => returns && !failed.has(pod));
  const lost = f.departures.filter(({ why }) => why === 'lost');
  tellUnconfirmed(f, lost);
  tellForcedDetach(f, starting);
  tellCleanDetach(
    f,
    starting.filter(({ why }) => why === 'drained' || why === 'deleted'),
  );
  tellScratch(f);
}

/** Only a kubelet can confirm that a pod has stopped; without it a StatefulSet does not replace the pod. */
function tellUnconfirmed(f: Future, all: readonly Departure[]): void {
  // Without a grace period the server removes the pod at once, and asks no kubelet.
  const lost = all.filter(({ pod }) => pod.spec?.terminationGracePeriodSeconds !== 0);
  const nodes = [...new Set(lost.map(({ node }) => node))];
  const [node] = nodes;
  if (node === undefined) return;
  const kept = lost.filter(({ pod }) => isSetPod(pod)).map(({ pod }) => pod);
  const outOfService = fix(
    'If the machine is certainly off, mark the node as out of service: ' +
      'its pods are removed and its volumes detached at once. Never do this to a machine that may still run.',
    `kubectl taint node ${shellWord(node)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
    'data-loss',
  );
  if (kept.length > 0)
    f.add({
      effect: 'waits',
      severity: 'breaks',
      cause: 'node-not-ready',
      summary:
        `${count(kept.length, 'pod')} of StatefulSets would stay Terminating, and nothing replaces ` +
        `${kept.length === 1 ? 'it' : 'them'}, until the Node object is deleted (many clouds do that), it is ` +
        'marked out of service, or its kubelet comes back.',
      objects: kept.map(plainRef),
      fix: [outOfService],
    });
  const held = lost.filter(({ pod, returns }) => returns && !isSetPod(pod) && attachedClaims(f, pod).length > 0);
  if (held.length > 0)
    f.add({
      effect: 'waits',
      severity: 'breaks',
      cause: 'attach-rwo-held-by-running-pod',
      summary:
        `${count(held.length, 'pod')} would be created again after five minutes, but ` +
        `${held.length === 1 ? 'its volume stays' : 'their volumes stay'} attached to the lost node, because the ` +
        'old pod never ends. They wait until the Node object is deleted, it is marked out of service, or ' +
        'its kubelet comes back.',
      objects: held.map(({ pod }) => plainRef(pod)),
      fix: [outOfService],
    });
  const free = lost.length - kept.length - held.length;
  if (free > 0)
    f.add({
      effect: 'waits',
      severity: 'wait',
      summary:
        'Nothing happens for about five minutes after the loss: ' +
        'pods tolerate an unreachable node for 300 seconds, unless they say otherwise.',
      objects: nodes.map((name) => ({ kind: 'Node', name })),
    });
}

function tellForcedDetach(f: Future, departures: readonly Departure[]): void {
  const forced = departures.filter(
    ({ why, pod }) => (why === 'lost' || why === 'node deleted') && attachedClaims(f, pod).length > 0,
  );
  if (forced.length === 0) return;
  f.add({
    effect: 'waits',
    severity: 'wait',
    cause: 'detach-node-not-ready',
    summary:
      `${count(forced.length, 'pod')} must wait six minutes more for ` +
      `${forced.length === 1 ? 'its volume' : 'their volumes'}: ` +
      'no kubelet confirms the unmount, so the volume is detached by force only then (at once with the ' +
      'out-of-service taint).',
    objects: forced.map(({ pod }) => plainRef(pod)),
  });
}

function tellCleanDetach(f: Future, departures: readonly Departure[]): void {
  const claims = departures.flatMap(({ pod }) => attachedClaims(f, pod));
  if (claims.length === 0) return;
  f.add({
    effect: 'waits',
    severity: 'notice',
    cause: 'attach-rwo-waiting-detach',
    summary:
      `${count(claims.length, 'volume')} must be unmounted and detached first, then attached on the new node. ` +
      'This usually takes seconds.',
    objects: claims.map(plainRef),
  });
}

/** The claims of a pod whose volume only one node can have at a time, and that has to be attached. */
export function attachedClaims(f: Future, pod: Pod): Claim[] {
  return claimNamesOf(pod).flatMap((name) => {
    const claim = f.before.graph.find('PersistentVolumeClaim', pod.metadata.namespace, name);
    const volume = claim?.spec?.volumeName
      ? f.before.graph.find('PersistentVolume', undefined, claim.spec.volumeName)
      : undefined;
    if (!claim || !volume) return [];
    const isSingle = (volume.spec?.accessModes ?? []).every((mode) => /^ReadWriteOnce/.test(mode));
    const driver = servingDriver(volume);
    const isAttached =
      driver !== undefined && f.before.graph.find('CSIDriver', undefined, driver)?.spec?.attachRequired !== false;
    return isSingle && isAttached ? [claim] : [];
  });
}

/** Data that belongs to a pod and not to a claim. */
function tellScratch(f: Future): void {
  const losing = f.departures.filter(({ pod }) =>
    (pod.spec?.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined && emptyDir.medium !== 'Memory'),
  );
  if (losing.length > 0)
    f.add({
      effect: 'data-deleted',
      severity: 'notice',
      summary:
        `${count(losing.length, 'pod')} lose${losing.length === 1 ? 's' : ''} what ` +
        `${losing.length === 1 ? 'it' : 'they'} wrote to emptyDir ` +
        `volumes.${losing.some(({ why }) => why === 'drained') ? ' kubectl drain asks for --delete-emptydir-data.' : ''}`,
      objects: losing.map(({ pod }) => plainRef(pod)),
    });
}
