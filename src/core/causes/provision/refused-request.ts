import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { meaningOf, namedParameters, parameterEvidence, parameterWords, senseFix } from './driver-answer.ts';
import type { Answer } from './driver-answer.ts';
import { remakeClaim } from './remake-claim.ts';
import { remakeClass } from './remake-class.ts';
import type { ProvisionError } from './provision-error.ts';

/** The driver understood the request and refuses it: repeating does not help. */
export function tellRefusal(c: PresentClaim, error: ProvisionError, driver: string): Answer {
  return {
    about: c.class.name,
    summary: `${driver} refuses ${refusedText(c, error)}: ${meaningOf(error)}`,
    evidence: evidenceOf(c, error),
    fix: [
      ...senseFix(error),
      remakeClass(c.class.name, 'with the right parameters'),
      remakeClaim(c, 'if its size, its mode or its source is what the driver refuses'),
    ],
  };
}

function isAboutSize({ text }: ProvisionError): boolean {
  return /\b(?:size|capacity|too (?:small|large|big))\b/i.test(text);
}

function refusedText(c: PresentClaim, error: ProvisionError): string {
  const named = namedParameters(c, error);
  if (named.length > 0) return `${parameterWords(named)} of class ${c.class.name}`;
  return isAboutSize(error)
    ? `the size of ${c.request ?? 'the claim'}`
    : `what class ${c.class.name} and the claim ask for`;
}

function evidenceOf(c: PresentClaim, error: ProvisionError): Evidence[] {
  return [
    ...parameterEvidence(c, namedParameters(c, error)),
    ...(isAboutSize(error) ? [field(c.claim, 'spec.resources.requests.storage')] : []),
  ];
}
