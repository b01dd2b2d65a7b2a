import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { finishRestore, restoreNameOf } from '../lib/velero-restore.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { fitClaim, labelFix } from './make-fit.ts';

/** component-helpers FindMatchingVolume skips volumes whose labels the selector of the claim does not match. */
export const pvSelectorMismatch = closestVolumeRule('pv-selector-mismatch', 'selector', {
  describe: (c, { volume }) => missClause(volume, c.claim, 'selector'),
  evidence: (c) => [field(c.claim, 'spec.selector')],
  advise: adviseLabels,
});

/** A selector that Velero set keeps the claim from binding to a wrong volume while its data is restored. */
function adviseLabels(c: PresentClaim, { volume, failed }: NearMiss): Fix[] {
  const restore = restoreNameOf(c);
  if (restore !== undefined) return [finishRestore(restore)];
  return [...labelFix(c, volume), fitClaim(c, volume, failed)];
}
