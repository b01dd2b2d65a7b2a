import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { bytesOf } from '../../kube/quantity.ts';

/** A larger unit, and the same one a step down. */
const smallerUnits: Readonly<Record<string, string>> = { Pi: 'Ti', Ti: 'Gi', Gi: 'Mi', P: 'T', T: 'G', G: 'M' };

/**
 * The size that was probably meant: the same number with the unit of the present size, where the request is many times
 * larger. From 12Gi to 17Ti is a growth that few want; from 12Gi to 17Gi is an ordinary one.
 */
export function meantSize({ claim, request }: PresentClaim): string | undefined {
  const capacity = claim.status?.capacity?.['storage'];
  const [, number = '', unit = ''] = /^(\d+)([KMGTP]i?)$/.exec(request ?? '') ?? [];
  const smaller = smallerUnits[unit];
  if (smaller === undefined || capacity === undefined) return undefined;
  const meant = `${number}${smaller}`;
  const present = bytesOf(capacity);
  return bytesOf(meant) > present && bytesOf(meant) <= present * mostTimes ? meant : undefined;
}

/** How much a volume grows at once at most, for the smaller size to be likely. */
const mostTimes = 10n;
