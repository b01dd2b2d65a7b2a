import type { ObjectOf } from '../../kube/kinds.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';

/** A limit range that a new claim has to keep. */
export interface SizeLimit {
  readonly range: ObjectOf<'LimitRange'>;
  readonly min: string | undefined;
  readonly max: string | undefined;
}

/** Limit ranges, of those read already, that a new claim has to keep. */
export function sizeLimits(c: ClaimCase): SizeLimit[] {
  return c.ask
    .seen('LimitRange')
    .filter(({ metadata }) => metadata.namespace === c.namespace)
    .flatMap((range) =>
      (range.spec?.limits ?? []).flatMap(({ type, min, max }) => {
        const bounds = { min: min?.['storage'], max: max?.['storage'] };
        const isLimit = type === 'PersistentVolumeClaim' && (bounds.min !== undefined || bounds.max !== undefined);
        return isLimit ? [{ range, ...bounds }] : [];
      }),
    );
}

export function isExact({ min, max }: SizeLimit): boolean {
  return min !== undefined && max !== undefined && compareQuantities(min, max) === 0;
}

/** It may be why the claim is missing, but only the answer to whoever tried to create it shows that. */
export function rangeText(c: ClaimCase): string {
  const [limit] = sizeLimits(c);
  if (!limit) return '';
  const twin = twinOf(limit);
  return (
    ` LimitRange "${limit.range.metadata.name}" accepts only claims of ${boundsText(limit)}` +
    `${isExact(limit) && twin ? ` (${twin} is another size)` : ''}; ` +
    'whether it refused this one is not recorded.'
  );
}

export function boundsText(limit: SizeLimit): string {
  const { min, max } = limit;
  if (isExact(limit)) return `exactly ${min ?? ''}`;
  return [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])].join(
    ' and ',
  );
}

/** `1Gi` and `1G` differ: a common reason why a claim of "the same" size is refused. */
function twinOf({ max = '' }: SizeLimit): string | undefined {
  const [, number, unit, binary] = /^(\d+)([KMGTPE])(i?)$/.exec(max) ?? [];
  return number === undefined || unit === undefined ? undefined : `${number}${unit}${binary ? '' : 'i'}`;
}
