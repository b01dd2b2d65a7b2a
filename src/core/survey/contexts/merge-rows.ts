import type { RowQuestion } from '../../report/rows.ts';
import type { RowAnswer, RowsSurvey } from '../rows/survey-rows.ts';
import type { ContextAnswer, SeveralSources } from './context-answer.ts';
import { entriesInContext, headOfContexts, inContext, readContexts, unreadContexts } from './context-answer.ts';

/** The rows of several clusters as one answer to each question: each row names its cluster. */
export function mergeRows(
  answers: readonly ContextAnswer<RowsSurvey>[],
  questions: readonly RowQuestion[],
  sources: SeveralSources,
): RowsSurvey {
  const read = readContexts(answers);
  const surveys = new Map(read.map(({ context, document }) => [context, document]));
  const whole = unreadContexts(answers, 'which objects exist in this cluster');
  return {
    ...headOfContexts(answers, sources, countRows),
    answers: questions.map(({ kind }, index): RowAnswer => {
      const own = read.map(({ context, document }) => ({ context, answer: document.answers[index] }));
      return {
        kind,
        rows: own.flatMap(({ context, answer }) => (answer?.rows ?? []).map(inContext(context))),
        // An object that does not exist in one cluster may exist in another, so no row is missing in all of them.
        missing: [],
        isAbsent: own.length > 0 && own.every(({ answer }) => answer?.isAbsent === true),
        unreadKind: [
          ...whole,
          ...own.flatMap(({ context, answer }) => (answer?.unreadKind ?? []).map(inContext(context))),
        ],
      };
    }),
    unread: entriesInContext(read, ({ unread }) => unread),
    needs: [],
    suspects: [],
    objectOf: (kind, row) => surveys.get(row.context ?? '')?.objectOf(kind, row),
  };
}

function countRows({ answers }: RowsSurvey): Readonly<Record<string, number>> {
  return { rows: answers.reduce((total, { rows }) => total + rows.length, 0) };
}
