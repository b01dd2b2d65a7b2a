import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { isForSidecar } from './blamed-parameter.ts';
import type { NamedParameter } from './blamed-parameter.ts';
import { parameterWords } from './driver-answer.ts';

const mostAsked = 4;

/** What the class asks the driver for, unless that is a long list. */
export function askedOf(c: PresentClaim): NamedParameter[] {
  const asked = Object.entries(c.storageClassObject?.parameters ?? {})
    .filter(([name]) => !isForSidecar(name))
    .map(([name, value]) => ({ name, value }));
  return asked.length > mostAsked ? [] : asked;
}

/** `type=fast, pool=a`; empty where there is nothing to show. */
export function askedText(c: PresentClaim): string {
  return parameterWords(askedOf(c));
}
