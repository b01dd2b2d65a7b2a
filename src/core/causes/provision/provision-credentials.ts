import { fix } from '../../facts/evidence.ts';
import { answerRule, logsOf, meaningOf, namedParameters, parameterEvidence, senseFix } from './driver-answer.ts';

/** CSI spec, error scheme: UNAUTHENTICATED or PERMISSION_DENIED, or the same in the words of a storage system. */
export const provisionCredentials = answerRule('provision-credentials', 'credentials', (c, error, driver) => {
  const meaning =
    error.sense?.about === 'key'
      ? error.sense.meaning
      : 'the storage refuses the credentials or the rights of the driver';
  return {
    about: driver,
    summary: `${driver} may not make the volume: ${meaningOf(error, meaning)}`,
    evidence: parameterEvidence(c, namedParameters(c, error)),
    fix: [
      ...senseFix(error),
      fix(
        'give the role or account of the driver the right that the error names, or renew its credentials (cloud role, identity of the node, secret of the driver)',
      ),
      ...logsOf(c),
    ],
  };
});
