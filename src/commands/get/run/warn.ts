import type { RowsSurvey } from '../../../core/survey/rows/survey-rows.ts';
import { complain, screenOf } from '../../../terminal/output.ts';
import type { EndOf } from '../../../terminal/screen.ts';
import { unreadJoins } from '../../../core/survey/rows/row-list.ts';
import { isRefused } from '../verdict.ts';

/** Reports on standard error what could not be read, and that nothing exists if nothing was printed. */
export async function warn(
  survey: RowsSurvey,
  warnings: readonly string[],
  { color, isWide, endOf }: { readonly color: string; readonly isWide: boolean; readonly endOf: EndOf },
): Promise<void> {
  const unread = survey.answers.flatMap(({ unreadKind, rows }) =>
    rows.length > 0 || !unreadKind.some(isRefused) ? unreadKind : [],
  );
  const joins = unreadJoins(survey);
  if (unread.length + joins.length > 0) {
    const [{ renderUnread, renderUnreadBriefly }, { createScreen }, { sanitiseReport }] = await Promise.all([
      import('../../../terminal/verdict/unread.ts'),
      import('../../../terminal/screen.ts'),
      import('../../../terminal/sanitise.ts'),
    ]);
    const traits = screenOf(color, process.env, process.stderr);
    const screen = createScreen(survey.takenAt, { ...traits, wide: isWide, endOf });
    // A kind that is missing altogether is explained; what only completes the rows takes one line.
    const lines = [
      ...renderUnread(sanitiseReport(unread.filter((entry) => !isRefused(entry))), screen),
      ...renderUnreadBriefly(sanitiseReport([...unread.filter(isRefused), ...joins]), screen),
    ];
    await complain(lines.join('\n'));
  }
  for (const warning of warnings) await complain(warning);
}
