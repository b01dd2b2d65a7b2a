import { only } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What keeps an object that should go. */
export const deleteWordings: readonly Wording[] = [
  ...only('pv-delete-still-attached', /persistentvolume \S+ is still attached to node \S+/),
  ...only(
    'pv-failed-no-deleter',
    /error getting deleter volume plugin for volume|no deletable volume plugin matched|host_path deleter only supports/i,
  ),
  ...only('pv-failed-recycle', /No recycler plugin found for the volume|Recycle failed:/),
  ...only('pv-recycle-in-use', /Volume is used by pods/),
  ...only('pv-unknown-reclaim-policy', /Volume has unrecognized PersistentVolumeReclaimPolicy/),
  ...only(
    'local-static-released',
    /Error cleaning PV "[^"]+"|Blockcleaner command was empty|Unknown storage class name/,
  ),
  ...only(
    'pv-delete-secret-missing',
    /VolumeFailedDelete[^]*(?:credentials are missing|failed to get secret|secrets? "[^"]+" not found)|failed to get credentials for (?:deleting|volume)/,
  ),
  ...only('pv-delete-in-tree-failed', /VolumeFailedDelete[^]*(?:kubernetes\.io\/|googleapi)/),
  ...only('pv-delete-rpc-failed', /VolumeFailedDelete\b/),
  ...only(
    'namespace-terminating-storage',
    /\b(?:has|in) \d+ resource instances|Some (?:resources|content) in the namespace (?:are|have|has)[^]*persistentvolumeclaims/,
  ),
];
