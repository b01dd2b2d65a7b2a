import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { otherSourcesText } from './clone-source.ts';
import { dataSourceOf } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { answerRule, logsOf, tellWords } from './driver-answer.ts';
import { useOtherSnapshot } from './other-snapshot.ts';
import { sourceFaultOf } from './source-place.ts';
import { recreateClaim, sourceChange } from '../lib/remake-claim.ts';

/**
 * CSI spec, CreateVolume: NOT_FOUND. It proves that this account, region or server does not see the source, not that it
 * was deleted.
 */
export const provisionSourceNotFound = answerRule(
  'provision-source-not-found',
  'sourceNotFound',
  (c, error, driver) => {
    const source = dataSourceOf(c);
    const fault = source && sourceFaultOf(c, source, driver, error.text);
    if (source && fault)
      return {
        summary: `${tellWords(`${driver} cannot restore ${c.name === '' ? 'the claim' : `pvc/${c.name}`} from ${source.kind} "${source.name}"`, error)} ${fault.summary}`,
        evidence: [field(c.claim, source.path), ...fault.evidence],
        fix: [...fault.fix, ...logsOf(c)],
      };
    const name = source ? `${source.kind} "${source.name}"` : 'the data source';
    return {
      summary: tellWords(
        `${driver} does not find the data behind ${name}`,
        error,
        'it was deleted on the storage side, or is in another account or region',
      ),
      evidence: source ? [field(c.claim, source.path)] : [],
      fix: [...(source ? [useOther(c, source)] : []), ...logsOf(c)],
    };
  },
);

function useOther(c: PresentClaim, source: DataSource): Fix {
  return source.kind === 'VolumeSnapshot'
    ? useOtherSnapshot(c, source)
    : recreateClaim(
        c,
        `from another claim (PLACEHOLDER_SOURCE${otherSourcesText(c, source.name)})`,
        sourceChange(c, { name: 'PLACEHOLDER_SOURCE' }),
      );
}
