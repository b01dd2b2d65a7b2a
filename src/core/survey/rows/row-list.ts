import type { Unread } from '../../report/report.ts';
import { rowKinds } from '../../report/rows.ts';
import type { Row, RowKind, RowList } from '../../report/rows.ts';
import type { RowsSurvey } from './survey-rows.ts';

/** The rows of one kind as a document. */
export function listOf(survey: RowsSurvey, kind: RowKind, items: readonly Row[]): RowList {
  const { takenAt, source, answers } = survey;
  const unread = [
    ...answers.filter((answer) => answer.kind === kind).flatMap(({ unreadKind }) => unreadKind),
    ...unreadJoins(survey),
  ];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: rowKinds[kind].list,
    takenAt,
    source,
    items,
    ...(unread.length > 0 && { unread }),
  };
}

/**
 * What could not be read to complete the rows; it matters only if a row has a gap, which another answer often fills.
 */
export function unreadJoins({ answers, unread }: RowsSurvey): readonly Unread[] {
  return answers.some(({ rows }) => rows.some(({ unknown }) => unknown !== undefined)) ? unread : [];
}
