import { parseGoDuration } from '../core/kube/duration.ts';
import { UserError } from '../core/kube/errors.ts';

/** The longest time that a timer of Node can count (a signed 32-bit integer); a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** Milliseconds of the value of a flag: `30s`, `1m30s`, `500ms` or a bare number of seconds. */
export function parseDuration(flag: string, text: string, leastMs = 1): number {
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
  if (milliseconds === undefined) throw new UserError(`${flag} must be a time such as 5s, 500ms or 2m, not "${text}"`);
  if (milliseconds < leastMs) {
    const least = leastMs >= 1000 ? `${leastMs / 1000}s` : `${leastMs}ms`;
    throw new UserError(`${flag} must be at least ${least}, not "${text}"`);
  }
  if (milliseconds > longestMs) throw new UserError(`${flag} must be at most 24 days, not "${text}"`);
  return milliseconds;
}
