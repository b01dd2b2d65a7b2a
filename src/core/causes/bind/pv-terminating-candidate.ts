import { fix } from '../../facts/evidence.ts';
import { closestVolumeRule } from './closest-volume.ts';

/** component-helpers FindMatchingVolume skips a volume with a deletionTimestamp, whatever else it offers. */
export const pvTerminatingCandidate = closestVolumeRule('pv-terminating-candidate', 'terminating', {
  describe(_c, { metadata: { finalizers = [] } }) {
    return finalizers.length > 0 ? `is being deleted and held by ${finalizers.join(', ')}` : 'is being deleted';
  },
  advise: () => [fix('look which volumes there are, and make one that fits', 'kubectl get pv')],
});
