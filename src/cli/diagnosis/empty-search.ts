import type { Diagnosis } from '../../core/engine/diagnose.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { ClusterSource } from '../open-source.ts';
import { noNamespaceError, selectionOf } from '../question.ts';
import type { Question } from '../question.ts';

/** The error for a search whose namespace does not exist. */
export function missingPlaceError(
  source: ClusterSource,
  question: Question,
  { noNamespace }: Pick<Diagnosis, 'noNamespace'>,
): UserError | undefined {
  if (noNamespace === undefined) return undefined;
  return noNamespaceError(question.namespace || source.namespace, noNamespace, !question.namespace);
}

/**
 * The error for a search whose namespace does not exist or whose selector matches nothing: neither proves that nothing
 * is stuck.
 */
export async function emptySearchError(
  source: ClusterSource,
  question: Question,
  diagnosis: Diagnosis,
): Promise<UserError | undefined> {
  const { report } = diagnosis;
  const noPlace = missingPlaceError(source, question, diagnosis);
  if (noPlace !== undefined) return noPlace;
  const { namespace, labelSelector } = selectionOf(question, source.namespace);
  const { blocked, waiting, healthy, unknown } = report.summary;
  if (labelSelector === undefined || blocked + waiting + healthy + unknown > 0 || report.unread !== undefined)
    return undefined;
  const { askUnmatched } = await import('../../core/engine/unmatched-selector.ts');
  const search = namespace === undefined ? {} : { namespace };
  const { claims, matchesPod } = await source.answer(
    (snapshot) => askUnmatched(snapshot, { ...search, labelSelector }),
    { search: { ...search, breadth: 'pending' } },
  );
  if (matchesPod !== false) return undefined;
  const where =
    namespace === undefined ? `in ${source.isLive ? 'the cluster' : 'the dump'}` : `in namespace ${namespace}`;
  const of =
    claims === 0
      ? `nothing ${where}: there are no claims`
      : `none of ${claims} ${claims === 1 ? 'claim' : 'claims'} ${where}, and no pod`;
  return new UserError(
    `the selector ${labelSelector} matches ${of}`,
    'Run kubectl get pvc,pods --show-labels to list the labels',
  );
}
