import { bytesOf, formatBytes, isQuantity } from '../../kube/quantity.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { recreateClaim, sizeChange } from '../lib/remake-claim.ts';
import { leastSizeTexts, mostSizeTexts, sizeOrCapacityWords, sizeRangeText } from '../lib/driver-error/senses/size.ts';

/** Both ends of a range of sizes, where the text speaks of sizes. */
function rangeIn(text: string): readonly [bigint, bigint] | undefined {
  const [, low = '', lowUnit, high = '', highUnit] = sizeRangeText.exec(text) ?? [];
  if (low === '' || !(lowUnit ?? highUnit ?? sizeOrCapacityWords.exec(text))) return undefined;
  const unit = (written: string | undefined): string => `${(written ?? 'G').charAt(0).toUpperCase()}i`;
  return [bytesOf(`${low}${unit(lowUnit ?? highUnit)}`), bytesOf(`${high}${unit(highUnit ?? lowUnit)}`)];
}

interface Limit {
  readonly kind: 'least' | 'most';
  readonly bytes: bigint;
}

/** The size that the text names as a limit and that the request misses; a number that the request meets is none. */
export function namedLimit(request: string | undefined, text: string): Limit | undefined {
  if (request === undefined || !isQuantity(request)) return undefined;
  const wanted = bytesOf(request);
  const [low, high] = rangeIn(text) ?? [];
  if (low !== undefined && low > wanted) return { kind: 'least', bytes: low };
  if (high !== undefined && high < wanted) return { kind: 'most', bytes: high };
  const smallest = amountsIn(text, leastSizeTexts).find((bytes) => bytes > wanted);
  if (smallest !== undefined) return { kind: 'least', bytes: smallest };
  const largest = amountsIn(text, mostSizeTexts).find((bytes) => bytes < wanted && bytes > 0n);
  return largest === undefined ? undefined : { kind: 'most', bytes: largest };
}

function amountsIn(text: string, pattern: RegExp): bigint[] {
  return [...text.matchAll(pattern)].flatMap(([, number = '', unit = '']) => {
    const prefix = /^[KMGTPE]/i.exec(unit)?.[0]?.toUpperCase() ?? '';
    // Drivers mean binary units, even if they write decimal ones; a small number without a unit is no size.
    if (prefix === '' && Number(number) < 1024 * 1024) return [];
    const quantity = `${number}${prefix === '' ? '' : `${prefix}i`}`;
    return isQuantity(quantity) ? [bytesOf(quantity)] : [];
  });
}

/** The claim with the size that the driver's own limit allows. */
export function limitFix(c: PresentClaim, text: string): Fix | undefined {
  const limit = namedLimit(c.request, text);
  if (!limit) return undefined;
  const size = formatBytes(limit.bytes);
  const how =
    limit.kind === 'least'
      ? `with ${size}, the least that the driver names`
      : `with ${size}, the most that the driver names`;
  return recreateClaim(c, how, sizeChange(size));
}
