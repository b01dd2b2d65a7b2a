import { field, fix, inNamespace } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';
import type { Fix } from '../../report/report.ts';

/** CSI spec, CreateVolume: NOT_FOUND, the driver does not know the snapshot or volume behind the data source. */
export const provisionSourceNotFound = answerRule(
  'provision-source-not-found',
  'sourceNotFound',
  (c, _error, driver) => {
    const source = dataSourceOf(c);
    const name = source ? `${source.kind} ${source.name}` : 'the source';
    return {
      summary: `${driver} does not find the data behind ${name}: it was deleted on the storage side`,
      evidence: source ? [field(c.claim, source.path)] : [],
      fix: [remakeClaim(c, 'from another snapshot or claim'), ...listSnapshots(source), ...logsOf(c)],
    };
  },
);

function listSnapshots(source: DataSource | undefined): Fix[] {
  if (source?.kind !== 'VolumeSnapshot') return [];
  return [fix('see which snapshots there are', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`)];
}
