import type { Diagnosis } from '../../core/engine/diagnose.ts';
import type { UserError } from '../../core/kube/errors.ts';
import { emptySearchError } from './empty-search.ts';
import type { ClusterSource } from '../open-source.ts';
import { notFoundError } from '../question.ts';
import type { Question } from '../question.ts';

/** The answer of `why` and `why-pending`. */
export interface StuckAnswer {
  /** The question that was answered: of a namespace, what is in it. */
  readonly question: Question;
  readonly diagnosis: Diagnosis;
  /** A target, a namespace or a selection that does not exist; the report may still hold other targets. */
  readonly missing: UserError | undefined;
}

export async function diagnoseStuck(source: ClusterSource, named: Question): Promise<StuckAnswer> {
  const { question, diagnosis } = await diagnoseWhole(source, named);
  const missing = notFoundError(diagnosis) ?? (await emptySearchError(source, question, diagnosis));
  return { question, diagnosis, missing };
}

/** A namespace that is not being deleted is judged by what is in it. */
async function diagnoseWhole(source: ClusterSource, question: Question): Promise<Omit<StuckAnswer, 'missing'>> {
  const diagnosis = await source.diagnose(question);
  const [target, ...others] = question.targets;
  const isSoundNamespace = target?.kind === 'Namespace' && diagnosis.report.items[0]?.status === 'healthy';
  if (!isSoundNamespace || others.length > 0) return { question, diagnosis };
  const search = { ...question, targets: [], namespace: target.name };
  return { question: search, diagnosis: await source.diagnose(search) };
}
