import type { Volume } from '../../kube/kinds.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import { policyOf } from './reclaim-policy.ts';

/** Created by hand, and still with the policy of volumes that a driver creates. */
export function isStaticDelete(volume: Volume): boolean {
  return (
    policyOf(volume) === 'Delete' &&
    volume.metadata.annotations?.[provisionedByAnnotation] === undefined &&
    volume.metadata.annotations?.['pv.kubernetes.io/migrated-to'] === undefined
  );
}
