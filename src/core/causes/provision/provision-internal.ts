import { fix } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import {
  answerRule,
  logsOf,
  namedParameters,
  parameterEvidence,
  senseFix,
  skeletonOf,
  tellWords,
} from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';
import { helperPodOf } from './helper-pod.ts';
import { restartDriver } from './restart-driver.ts';

/** Any other error of the driver: what it means, only its own words say. */
export const provisionInternal = answerRule('provision-internal', 'internal', (c, error, driver) => {
  const helper = helperPodOf(c, error);
  const failed = helper ? ` Its helper ${helper.words}.` : '';
  return {
    about: `${driver}: ${skeletonOf(error.text)}`,
    summary: `${tellWords(`${driver} cannot create the volume`, error, error.sense?.meaning)}${failed}`,
    evidence: [...parameterEvidence(c, namedParameters(c, error)), ...(helper?.evidence ?? [])],
    fix: [...(helper?.fix ?? []), ...advise(c, error, driver)],
  };
});

function advise(c: PresentClaim, error: ProvisionError, driver: string): Fix[] {
  const sense = senseFix(error);
  if (error.sense?.about === 'socket') return [...restartDriver(c), ...sense, ...logsOf(c)];
  return sense.length > 0
    ? [...sense, ...logsOf(c)]
    : [
        fix(
          `Correct what ${driver} names: in its settings, in the class or on the storage. The claim is retried automatically within 5 minutes.`,
        ),
        ...logsOf(c),
      ];
}
