import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import {
  answerRule,
  logsOf,
  meaningOf,
  namedParameters,
  parameterEvidence,
  parameterWords,
  senseFix,
} from './driver-answer.ts';
import type { ProvisionError } from './provision-error.ts';

/** CSI spec, CreateVolume: RESOURCE_EXHAUSTED, and what clouds say when a quota or limit is reached. */
export const provisionResourceExhausted = answerRule(
  'provision-resource-exhausted',
  'exhausted',
  (c, error, driver) => ({
    about: c.class.name,
    summary: summaryOf(c, error, driver),
    evidence: [...parameterEvidence(c, namedParameters(c, error)), field(c.claim, 'spec.resources.requests.storage')],
    fix: advise(c, error),
  }),
);

function summaryOf(c: PresentClaim, error: ProvisionError, driver: string): string {
  const { sense } = error;
  if (sense?.about === 'throttling') return `${driver} cannot make the volume now: ${sense.meaning}`;
  const named = namedParameters(c, error);
  const parameters = named.length > 0 ? ` (${parameterWords(named)})` : '';
  const meaning =
    sense?.about === 'placement' ? sense.meaning : 'the storage is full, a limit is reached or a quota is used up';
  return `${driver} has no room for ${c.request ?? 'the volume'} in class ${c.class.name}${parameters}: ${meaningOf(error, meaning)}`;
}

function advise(c: PresentClaim, error: ProvisionError): Fix[] {
  return [
    ...senseFix(error),
    fix('free space or raise the quota of the storage; the claim then goes on by itself'),
    ...(namedParameters(c, error).length > 0 ? [checkClass(c)] : []),
    ...logsOf(c),
  ];
}

function checkClass(c: PresentClaim): Fix {
  return fix(
    'or see whether the class names a pool or kind of storage that the driver has',
    `kubectl get storageclass ${shellWord(c.class.name)} -o yaml`,
  );
}
