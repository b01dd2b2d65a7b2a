import { fix } from '../../facts/evidence.ts';
import {
  answerRule,
  logsOf,
  meaningOf,
  namedParameters,
  parameterEvidence,
  senseFix,
  skeletonOf,
} from './driver-answer.ts';

/** Any other error of the driver: what it means, only its own words say. */
export const provisionInternal = answerRule('provision-internal', 'internal', (c, error, driver) => ({
  about: `${driver}: ${skeletonOf(error.text)}`,
  summary: `${driver} failed to make the volume: ${meaningOf(error)}`,
  evidence: parameterEvidence(c, namedParameters(c, error)),
  fix: [
    ...senseFix(error),
    ...logsOf(c),
    fix('mend what the error names on the storage side or in the driver: the claim then goes on by itself'),
  ],
}));
