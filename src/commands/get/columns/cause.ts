import type { BucketClaimRow, BucketRow, ClaimRow, PodRow } from '../../../core/report/rows.ts';
import type { Style } from '../../../terminal/theme.ts';
import type { Column } from '../column.ts';
import { statusStyle } from './styles.ts';

type JudgedRow = ClaimRow | PodRow | BucketClaimRow | BucketRow;

/** A stuck row shows its cause; one that waits by design begins with that: `waiting:wffc-no-consumer`. */
function causeText({ verdict, cause: id = '' }: JudgedRow): string {
  return verdict === 'waiting' ? ['waiting', id].filter((word) => word !== '').join(':') : id;
}

function verdictStyle({ verdict }: JudgedRow): Style | undefined {
  return verdict;
}

/**
 * The diagnosis outweighs the phase: Pending is red when it is stuck, and in the colour of waiting when it is expected.
 */
export function judgedStyle(row: JudgedRow): Style | undefined {
  return verdictStyle(row) ?? statusStyle(row);
}

/** Stuck before unknown before waiting; rows without a cause come last. */
const ranks = { blocked: 0, unknown: 1, waiting: 2 } as const;

export const cause: Column<JudgedRow> = {
  title: 'CAUSE',
  field: 'cause',
  text: causeText,
  style: verdictStyle,
  sortValue: (row) => (row.verdict === undefined ? undefined : `${ranks[row.verdict]} ${row.cause ?? ''}`),
};
