import { isAccessGranted, isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { answerFixes } from './bucket-answer-fixes.ts';
import { nameOf, ruleForAccess, wordsAbout } from './bucket-rule.ts';
import { quotable } from './bucket-words.ts';

/** The driver was asked for credentials and refused. v1alpha2 keeps its answer in the status, v1alpha1 in an event. */
export const bucketaccessGrantFailed = ruleForAccess({
  cause: 'bucketaccess-grant-failed',
  stage: 'provision',
  severity: 'blocking',
  explain(a) {
    const { access, ask } = a;
    const said =
      a.isWithSidecar && !isAccessGranted(access) ? wordsAbout(ask, access, ['FailedGrantAccess']) : undefined;
    if (!said) return undefined;
    const { code, speaker } = parseDriverError(said.text);
    const driver = a.driver ?? '';
    const who =
      speaker === 'driver' ? `The driver ${driver}` : `The COSI sidecar${driver === '' ? '' : ` of ${driver}`}`;
    return {
      confidence: isSecondVersion(access) ? 'certain' : 'likely',
      about: `${driver} ${code ?? ''} ${quotable(said.text)}`,
      summary: `${who} cannot grant ${nameOf(access)}${code === undefined ? '' : ` (${code})`}: "${quotable(said.text)}".`,
      evidence: [said.evidence, field(access, 'spec.bucketAccessClassName')],
      fix: answerFixes({ ask, object: access, driver, code, className: a.className }),
    };
  },
});
