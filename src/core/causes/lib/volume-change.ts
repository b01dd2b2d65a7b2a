import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Claim, Pod, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { recreateCommands } from './recreate.ts';
import { restartPodCommands } from './pod-change.ts';
import { fileOf, kubectl, patchCommand, saveCommand } from './steps.ts';

/**
 * Recreates a bound PersistentVolume with a change of its source, which is immutable. A volume cannot go while its claim is there, nor a
 * claim while its pod is there, so all three are saved and recreated; Retain keeps the data. `change` is a merge patch of the volume.
 */
export function recreateVolumeCommands(volume: Volume, claim: Claim, pod: Pod, change: object): string[] {
  const isOwned = ownerOf(pod) !== undefined;
  const [savePod = '', deletePod = '', ...createPod] = restartPodCommands(pod);
  const stopPod = isOwned ? [kubectl('delete', pod, '--wait=false')] : [savePod, deletePod];
  const [saveClaim, deleteClaim, createClaim] = recreateCommands(claim, {});
  const clean = {
    metadata: { uid: null, resourceVersion: null, creationTimestamp: null, deletionTimestamp: null },
    status: null,
  };
  const { spec = {}, ...rest } = change as { readonly spec?: object };
  const patch = { ...clean, ...rest, spec: { claimRef: { uid: null, resourceVersion: null }, ...spec } };
  return [
    patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
    saveCommand(volume),
    saveClaim,
    ...stopPod,
    deleteClaim,
    kubectl('delete', volume),
    `kubectl patch --local -f ${shellWord(fileOf(volume))} --type=merge -p ${shellWord(JSON.stringify(patch))} -o yaml | kubectl create -f -`,
    createClaim,
    ...(isOwned ? [] : createPod),
  ];
}
