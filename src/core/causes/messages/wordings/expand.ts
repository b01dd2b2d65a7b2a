import { only, shared } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** Growing and modifying a volume: what the API, the resizer and the kubelet say in their own words. */
export const expandWordings: readonly Wording[] = [
  ...only('resize-denied-class', /only dynamically provisioned pvc can be resized/i),
  ...only('resize-denied-unbound', /Only bound persistent volume claims can be expanded/i),
  ...only('resize-denied-shrink', /field can not be less than (?:status\.capacity|previous value)/),
  ...only('resize-migrated-waiting', /CSI migration enabled for \S+; waiting for external resizer/),
  shared(
    /waiting for an external controller to (?:expand|process) this PVC?|waiting for an external controller to expand this PV\b|didn't find a plugin capable of expanding the volume/,
    {
      'resize-no-resizer': 'no external-resizer of the driver runs, or the driver cannot expand volumes',
      'resize-binding-broken': 'the resizer runs and ignores the claim: the volume names another claim or driver',
    },
  ),
  ...only('resize-blocks-mount', /failed while expanding volume/i),
  ...only('resize-secret-missing', /failed to get NodeExpandSecretRef|fetching NodeExpandSecretRef/),
  ...only('resize-secret-missing', /by resizer "[^"]*" failed: error getting secret/),
  ...only('resize-readonly', /requested read-only file system/),
  ...only('resize-offline-only', /only supports offline expansion and volume is currently in-use/),
  ...only('resize-node-error', /NodeExpandVolume\.NodeExpandVolume failed|NodeExpandVolume failed|\bNodeResizeError\b/),
  ...only('resize-node-infeasible', /\bNodeResize(?:Infeasible|Failed)\b/),
  ...only('resize-controller-infeasible', /\bControllerResize(?:Infeasible|Failed)\b/),
  shared(
    /\bFileSystemResize(?:Pending|Required)\b|Require file system resize of volume on node|Waiting for user to \(re-\)start a pod/,
    {
      'resize-fs-pending-no-pod': 'no pod uses the claim: it grows when one starts (expected)',
      'resize-fs-pending-pod-running': 'a pod that uses the claim has been running for more than 5 minutes',
    },
  ),
  shared(/External resizer is resizing volume/, {
    'resize-controller-in-progress': 'the driver is still expanding the volume',
  }),
  ...only('modify-vac-missing', /VAC "?[^" ]+"? does not exist/),
  ...only(
    'modify-clear-forbidden',
    /update to (?:nil|empty string) is forbidden when status\.currentVolumeAttributesClassName is not nil/,
  ),
  ...only(
    'modify-in-progress',
    /external resizer is modifying volume|\bModifyingVolume\b|(?:modif\w+|update)\b.{0,80}(?:is (?:still )?in progress|failed\. Waiting for retry)/i,
  ),
  ...only(
    'modify-unsupported',
    /does not support resize nor modify|neither supports controller resize nor node resize/,
  ),
];
