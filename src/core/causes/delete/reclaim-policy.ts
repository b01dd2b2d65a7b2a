import type { Volume } from '../../kube/kinds.ts';

/** The API server fills the policy in; Retain is its default for volumes that are created by hand. */
export function policyOf({ spec }: Volume): string {
  return spec?.persistentVolumeReclaimPolicy ?? 'Retain';
}
