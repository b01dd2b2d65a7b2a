import { countObjects } from '../../terminal/verdict/nouns.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { ClusterSource } from '../open-source.ts';
import type { Question } from '../question.ts';

const enoughNamespaces = 3;

/**
 * After a search of one namespace found nothing: what is stuck in the others, and how to see it. Undefined where
 * nothing is, or where they may not be read: the question was about one namespace, so that is no error.
 */
export async function sayStuckElsewhere(
  source: ClusterSource,
  question: Question,
  commandEnd = '',
): Promise<string | undefined> {
  const namespace = question.namespace || source.namespace;
  if (question.everywhere || question.targets.length > 0 || question.selector || namespace === undefined)
    return undefined;
  const elsewhere = await withProgress('searching other namespaces', () =>
    source.diagnose({ ...question, everywhere: true }),
  ).catch(() => undefined);
  const stuck = (elsewhere?.report.items ?? [])
    .filter(({ status }) => status === 'blocked')
    .map(({ target }) => target);
  if (stuck.length === 0) return undefined;
  const places = [...new Set(stuck.map((target) => target.namespace ?? 'none'))]
    .filter((name) => name !== 'none')
    .sort();
  const shown = places.slice(0, enoughNamespaces).join(', ') + (places.length > enoughNamespaces ? ', …' : '');
  const command = question.breadth === 'pending' ? 'why-pending' : 'why';
  const verb = stuck.length === 1 ? 'is' : 'are';
  const where = places.length === 0 ? 'outside this namespace' : `in other namespaces (${shown})`;
  return `${countObjects(stuck)} ${verb} stuck ${where}: kubectl csi ${command} -A${commandEnd}`;
}
