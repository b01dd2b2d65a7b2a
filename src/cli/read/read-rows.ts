import type { RowDetail, RowQuestion } from '../../core/report/rows.ts';
import { surveyRows } from '../../core/survey/rows/survey-rows.ts';
import type { RowsSurvey } from '../../core/survey/rows/survey-rows.ts';
import type { ClusterSource } from '../open-source.ts';

/** The rows of some kinds, with the cause of what is stuck. */
export function readRows(
  source: ClusterSource,
  questions: readonly RowQuestion[],
  detail: RowDetail,
): Promise<RowsSurvey> {
  return source.answer(async (snapshot) => {
    const survey = surveyRows(snapshot, questions, detail);
    if (detail === 'names' || survey.suspects.length === 0) return survey;
    // The engine is loaded only if something does not look healthy.
    const { withCauses } = await import('../../core/survey/rows/row-causes.ts');
    return withCauses(snapshot, survey);
  });
}
