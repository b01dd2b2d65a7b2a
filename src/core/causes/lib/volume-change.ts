import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Claim, Pod, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { recreateCommands } from './recreate.ts';
import { changePod, restartPodCommands } from './pod-change.ts';
import { fileOf, kubectl, patchCommand, saveCommand } from './steps.ts';
import type { Named } from './steps.ts';

/** What changes besides the volume: a merge patch of the claim, a strategic merge patch of the pod's spec. */
interface OtherChanges {
  readonly claim?: object;
  readonly pod?: object;
}

function podSteps(pod: Pod, change: object = {}): { savePod: string; deletePod: string; createPod: string[] } {
  const [savePod = '', deletePod = '', ...createPod] =
    ownerOf(pod) === undefined ? changePod(pod, change).commands : restartPodCommands(pod);
  return { savePod, deletePod, createPod };
}

/** New pods of a controller are made from its template, which is changed before the old one goes. */
function templateCommands(pod: Pod, change: object | undefined): string[] {
  return change === undefined || ownerOf(pod) === undefined ? [] : changePod(pod, change).commands.slice(0, 1);
}

/**
 * Recreates a bound PersistentVolume with a change of its source, which is immutable. A volume cannot go while its
 * claim is there, nor a claim while its pod is there, so all three are saved and recreated; Retain keeps the data.
 * `change` is a merge patch of the volume.
 */
export function recreateVolumeCommands(
  ask: Inquiry,
  volume: Volume,
  claim: Claim,
  pod: Pod,
  change: object,
  others: OtherChanges = {},
): string[] {
  const isOwned = ownerOf(pod) !== undefined;
  const pause = pauseOfDeployment(ask, pod) ?? pauseOfSet(ask, pod, claim);
  const { savePod, deletePod, createPod } = podSteps(pod, others.pod);
  const deletion = isOwned ? [kubectl('delete', pod, '--wait=false')] : [savePod, deletePod];
  const stopPod = pause ? pause.stop : deletion;
  const [saveClaim, deleteClaim, createClaim] = recreateCommands(claim, others.claim ?? {});
  const clean = {
    metadata: { uid: null, resourceVersion: null, creationTimestamp: null, deletionTimestamp: null },
    status: null,
  };
  const { spec = {}, ...rest } = change as { readonly spec?: object };
  const patch = { ...clean, ...rest, spec: { claimRef: { uid: null, resourceVersion: null }, ...spec } };
  return [
    ...(volume.spec?.persistentVolumeReclaimPolicy === 'Retain'
      ? []
      : [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })]),
    saveCommand(volume),
    saveClaim,
    ...templateCommands(pod, others.pod),
    ...stopPod,
    deleteClaim,
    // One that was already being deleted is gone with its claim.
    kubectl('delete', volume, ...(volume.metadata.deletionTimestamp === undefined ? [] : ['--ignore-not-found'])),
    `kubectl patch --local -f ${shellWord(fileOf(volume))} --type=merge -p ` +
      `${shellWord(JSON.stringify(patch))} -o yaml | kubectl create -f -`,
    createClaim,
    ...(pause ? [pause.start] : []),
    ...(isOwned ? [] : createPod),
  ];
}

/**
 * Gives a bound claim a new, empty volume: what the old one held goes with it, or stays behind with policy Retain.
 * `change` is a merge patch of the claim.
 */
export function freshVolumeCommands(
  ask: Inquiry,
  claim: Claim,
  pod: Pod,
  change: { readonly metadata?: object; readonly spec?: object } = {},
  podChange?: object,
): string[] {
  const isOwned = ownerOf(pod) !== undefined;
  const pause = pauseOfDeployment(ask, pod) ?? pauseOfSet(ask, pod, claim);
  const { savePod, deletePod, createPod } = podSteps(pod, podChange);
  const [saveClaim, deleteClaim, createClaim] = recreateCommands(claim, {
    ...change,
    spec: { ...change.spec, volumeName: null },
  });
  const deletion = isOwned ? [kubectl('delete', pod, '--wait=false')] : [savePod, deletePod];
  return [
    saveClaim,
    ...templateCommands(pod, podChange),
    ...(pause ? pause.stop : deletion),
    deleteClaim,
    createClaim,
    ...(pause ? [pause.start] : []),
    ...(isOwned ? [] : createPod),
  ];
}

/** What keeps the owner of a pod from bringing it back too early. */
interface Pause {
  readonly stop: readonly string[];
  readonly start: string;
}

/** A Deployment replaces a deleted pod at once, and the new one would hold the claim. */
function pauseOfDeployment(ask: Inquiry, pod: Pod): Pause | undefined {
  const owner = ownerOf(pod);
  const deployment =
    owner?.kind === 'Deployment'
      ? ask
          .seen('Deployment')
          .find(({ metadata }) => metadata.name === owner.name && metadata.namespace === pod.metadata.namespace)
      : undefined;
  return (
    deployment && {
      stop: [kubectl('scale', deployment, '--replicas=0')],
      start: kubectl('scale', deployment, `--replicas=${deployment.spec?.replicas ?? 1}`),
    }
  );
}

/**
 * A StatefulSet waits until its old pod is gone, but creates a missing claim of its template together with the new pod
 * (createPersistentVolumeClaims): the pod would start on an empty volume. Scaled to 0, it may not delete the other
 * claims.
 */
function pauseOfSet(ask: Inquiry, pod: Pod, claim: Claim): Pause | undefined {
  const owner = ownerOf(pod);
  const { namespace } = pod.metadata;
  if (owner?.kind !== 'StatefulSet' || !claim.metadata.name.endsWith(`-${pod.metadata.name}`)) return undefined;
  const seen = ask
    .seen('StatefulSet')
    .find(({ metadata }) => metadata.name === owner.name && metadata.namespace === namespace);
  const set: Named = {
    kind: 'StatefulSet',
    metadata: { name: owner.name, ...(namespace !== undefined && { namespace }) },
  };
  const replicas = seen === undefined ? 'PLACEHOLDER_REPLICAS' : (seen.spec?.replicas ?? 1);
  return {
    stop: [
      patchCommand(set, { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain' } } }),
      kubectl('scale', set, '--replicas=0'),
    ],
    start: kubectl('scale', set, `--replicas=${replicas}`),
  };
}
