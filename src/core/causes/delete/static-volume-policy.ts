import type { Rule } from '../lib/rule.ts';
import { nfsDeletePolicy } from './nfs-delete-policy.ts';
import { pvStaticallyCsiDelete } from './pv-statically-csi-delete.ts';

/** Warnings: they are judged before the other rules of the deletion, since a proven cause ends the search. */
export const staticVolumePolicyRules: readonly Rule[] = [
  pvStaticallyCsiDelete.ofVolume,
  nfsDeletePolicy.ofVolume,
  pvStaticallyCsiDelete.ofDeletedClaim,
  nfsDeletePolicy.ofDeletedClaim,
];
