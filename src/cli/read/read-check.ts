import type { Selection } from '../../core/kube/selection.ts';
import type { CheckSurvey } from '../../core/report/check.ts';
import { askCheck } from '../../core/survey/checks/ask-check.ts';
import type { CheckWishes } from '../../core/survey/checks/survey-checks.ts';
import type { ClusterSource } from '../open-source.ts';
import { noNamespaceError } from '../question.ts';

/** Everything that `check` could report about a namespace, or about the whole cluster. */
export async function readCheck(
  source: ClusterSource,
  namespace: string | undefined,
  wishes: CheckWishes,
): Promise<CheckSurvey> {
  const selection: Selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  const { survey, noNamespace } = await source.answer((snapshot) => askCheck(snapshot, selection, wishes), {
    search: selection,
  });
  if (noNamespace) throw noNamespaceError(namespace, noNamespace);
  return survey;
}
