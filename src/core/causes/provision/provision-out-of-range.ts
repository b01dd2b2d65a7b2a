import { field } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import { answerRule, namedParameters, parameterEvidence } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';

/** CSI spec, CreateVolume: OUT_OF_RANGE, the capacity range is not supported. */
export const provisionOutOfRange = answerRule('provision-out-of-range', 'outOfRange', (c, error, driver) => {
  const source = dataSourceOf(c);
  return {
    summary: `${driver} cannot make a volume of ${c.request ?? 'this size'} in class ${c.class.name}: the size is outside what it takes${source ? `, or smaller than ${source.kind} ${source.name}` : ''}`,
    evidence: [field(c.claim, 'spec.resources.requests.storage'), ...parameterEvidence(c, namedParameters(c, error))],
    fix: [remakeClaim(c, 'with a size that the driver takes')],
  };
});
