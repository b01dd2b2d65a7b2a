import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { dataSourceOf } from './data-source.ts';
import { answerRule, logsOf } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';

/** CSI spec, error scheme: UNIMPLEMENTED, the driver does not have what the call needs. */
export const provisionUnimplemented = answerRule('provision-unimplemented', 'unimplemented', (c, _error, driver) => {
  const source = dataSourceOf(c);
  const features = specialFeatures(c);
  return {
    about: c.class.name,
    summary: `${driver} lacks what the claim asks for${features.length > 0 ? ` (${features.join(', ')}?)` : ''}: the driver has not implemented it`,
    evidence: [field(c.claim, 'spec.volumeMode'), ...(source ? [field(c.claim, source.path)] : [])],
    fix: [remakeClaim(c, 'without the feature, or with a class of another driver'), ...logsOf(c)],
  };
});

/** What the claim asks for beyond a plain volume. */
function specialFeatures(c: PresentClaim): string[] {
  const source = dataSourceOf(c);
  return [
    c.claim.spec?.volumeMode === 'Block' ? 'block volumes' : '',
    source ? `volumes made from a ${source.kind}` : '',
    c.claim.spec?.volumeAttributesClassName ? 'volume attributes classes' : '',
  ].filter(Boolean);
}
