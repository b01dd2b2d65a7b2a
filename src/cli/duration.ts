import { UserError } from '../core/kube/errors.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** What a timer of Node can count; a longer one would ring at once. */
const longestMs = 2 ** 31 - 1;

/** Milliseconds of `30s`, `1m30s`, `500ms` or a bare number of seconds. */
export function parseDuration(flag: string, text: string, leastMs = 1): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/gy)];
  const isWhole = parts.length > 0 && parts.reduce((length, [part]) => length + part.length, 0) === text.length;
  if (!isWhole && !/^\d+(\.\d+)?$/.test(text))
    throw new UserError(`${flag} is a time such as 5s, 500ms or 2m, not "${text}"`);
  const milliseconds = isWhole
    ? parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0)
    : Number(text) * 1000;
  if (milliseconds < leastMs)
    throw new UserError(
      `${flag} is ${leastMs >= 1000 ? `${leastMs / 1000}s` : `${leastMs}ms`} at least, not "${text}"`,
    );
  if (milliseconds > longestMs) throw new UserError(`${flag} is 24 days at most, not "${text}"`);
  return milliseconds;
}
