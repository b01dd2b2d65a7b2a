import { shared } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What `kubectl describe` and YAML show of an object: these read the whole text, not one line. */
export const describedWordings: readonly Wording[] = [
  shared(/provisioner\.storage\.kubernetes\.io\/cloning-protection/, {
    'pvc-terminating-clone-source': 'a claim that is being cloned from it is still Pending',
  }),
  shared(/snapshot\.storage\.kubernetes\.io\/pvc-as-source-protection/, {
    'pvc-terminating-snapshot-source': 'a snapshot of the claim is not ready yet',
  }),
  shared(/snapshot\.storage\.kubernetes\.io\/volumesnapshot-as-source-protection/, {
    'snap-delete-restoring': 'a claim that is restored from the snapshot is still Pending',
    'snap-source-finalizer-orphan': 'no claim is being restored from it any more',
  }),
  shared(/volumesnapshot(?:content)?-bound-protection/, {
    'snap-delete-failed': 'the content reports an error',
    'snap-delete-sidecar-down': 'no csi-snapshotter of the driver runs',
  }),
  shared(/populate-target-protection/, {
    'populator-running': 'the claim is still being filled',
    'pvc-terminating-populator': 'the claim is Terminating',
  }),
  shared(/kubernetes\.io\/vac-protection/, { 'vac-terminating-in-use': 'a claim or a volume still uses the class' }),
  shared(
    /Status:\s+Terminating \(lasts[^]*kubernetes\.io\/pvc-protection|Terminating[^]*kubernetes\.io\/pvc-protection/,
    {
      'pvc-terminating-in-use': 'a pod that still runs uses the claim ("Used By" in kubectl describe pvc)',
      'pvc-terminating-completed-pod': 'the pod that uses it has completed and still exists',
      'pvc-terminating-protection-stuck': 'no pod uses it',
    },
  ),
  shared(
    /kubernetes\.io\/pv-protection[^]*Status:\s+Terminating|Status:\s+Terminating[^]*kubernetes\.io\/pv-protection/,
    {
      'pv-terminating-bound': 'a claim still uses the volume',
      'pv-terminating-protection-stuck': 'no claim uses it any more',
    },
  ),
  shared(/Finalizers?:[^]*external-attacher\/\S+[^]*Status:\s+(?:Terminating|Released)/, {
    'pv-terminating-attached': 'a VolumeAttachment of the volume still exists',
  }),
  shared(/^Status:\s+Released$/m, {
    'pv-released-retain': 'the reclaim policy is Retain (expected)',
    'pv-released-delete-pending': 'the policy is Delete, and the driver has not deleted the volume yet',
    'pv-released-stale-claimref': 'a new claim should take the volume',
    'pv-delete-rpc-failed': 'the events have VolumeFailedDelete',
  }),
  shared(/^Status:\s+Lost$/m, {
    'pvc-lost-pv-deleted': 'the volume does not exist any more',
    'pvc-lost-misbound': 'the volume exists, and its claimRef has another uid',
  }),
];
