import { field } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import { namedParameters } from './blamed-parameter.ts';
import { answerRule, parameterEvidence, tellWords } from './driver-answer.ts';
import { limitFix } from './named-limit.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';

/** CSI spec, CreateVolume: OUT_OF_RANGE, the capacity range is not supported. */
export const provisionOutOfRange = answerRule('provision-out-of-range', 'outOfRange', (c, error, driver) => {
  const source = dataSourceOf(c);
  const from = source ? ` from ${source.kind} "${source.name}"` : '';
  return {
    summary: tellWords(
      `${driver} does not create a volume of ${c.request ?? 'this size'}${from} in StorageClass "${c.class.name}"`,
      error,
    ),
    evidence: [field(c.claim, 'spec.resources.requests.storage'), ...parameterEvidence(c, namedParameters(c, error))],
    fix: [
      limitFix(c, error.text) ??
        recreateClaim(
          c,
          `with a size that the driver accepts (PLACEHOLDER_SIZE${source ? `, at least that of ${source.kind} "${source.name}"` : ''})`,
          sizeChange('PLACEHOLDER_SIZE'),
        ),
    ],
  };
});
