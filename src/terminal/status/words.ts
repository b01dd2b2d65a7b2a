import type { Status } from '../../core/report/status.ts';
import { count } from './lists.ts';

/** The answer first: whether anything is stuck. */
export function sayVerdict(status: Status): {
  readonly state: 'blocked' | 'unknown' | 'passed';
  readonly text: string;
} {
  const { unknown, waiting } = status.summary;
  const waits = waiting > 0 ? `, ${waiting} waiting (expected)` : '';
  const stuck = stuckCount(status);
  const troubled = status.drivers.filter(({ state }) => state === 'trouble').length;
  const trouble = troubled > 0 ? `, ${count(troubled, 'driver is failing', 'drivers are failing')}` : '';
  if (status.summary.blocked > 0)
    return {
      state: 'blocked',
      text: `${stuckWords(status, stuck)}${trouble}${unknown > 0 ? `, ${unknown} not known` : ''}${waits}${status.isSearched ? '' : '; not everything could be read'}`,
    };
  if (unknown > 0 || !status.isSearched)
    return {
      state: 'unknown',
      text: `nothing stuck was found${trouble}${unknown > 0 ? `, but ${unknown} could not be judged` : ', but not everything could be read'}${waits}`,
    };
  return { state: 'passed', text: `nothing is stuck${trouble}${waits}` };
}

/** Drivers are counted separately, so that the number of stuck objects is the same as in `why`. */
export function stuckCount({ summary, drivers }: Status): number {
  return summary.blocked - drivers.filter(({ verdict }) => verdict?.status === 'blocked').length;
}

/** The screen states that nothing is stuck apart from the drivers only if everything could be read. */
function stuckWords({ stuck: causes, isSearched }: Status, stuck: number): string {
  if (stuck === 0) return isSearched ? 'no claim or pod is stuck' : 'no stuck claim or pod was found';
  const proven = causes.filter(({ status }) => status === 'blocked').length;
  return `${count(stuck, 'object is', 'objects are')} stuck (${count(proven, 'cause')})`;
}

export const stateWords: Readonly<Record<string, string>> = {
  waiting: 'waiting (expected)',
  pending: 'pending (cause unknown)',
  inProgress: 'in progress',
};
/** `none`, `3 bound`, or `at least 12: 9 bound, 3 stuck`. */
export function countText(total: number, words: readonly string[], extent: 'all' | 'some'): string {
  if (total === 0) return extent === 'all' ? 'none' : 'none found';
  const least = extent === 'some' ? 'at least ' : '';
  return words.length === 1 ? `${least}${words[0] ?? ''}` : `${least}${total}: ${words.join(', ')}`;
}
