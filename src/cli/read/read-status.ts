import type { Selection } from '../../core/kube/selection.ts';
import type { Status } from '../../core/report/status.ts';
import { askStatus } from '../../core/survey/status/ask-status.ts';
import type { ClusterSource } from '../open-source.ts';
import { noNamespaceError } from '../question.ts';

/**
 * The storage of a namespace, or of the whole cluster. `commandEnd` is appended to commands that read the same source
 * again.
 */
export async function readStatus(
  source: ClusterSource,
  namespace: string | undefined,
  commandEnd: string,
): Promise<Status> {
  const selection: Selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  const { status, noNamespace } = await source.answer((snapshot) => askStatus(snapshot, selection, commandEnd), {
    search: selection,
  });
  if (noNamespace) throw noNamespaceError(namespace, noNamespace);
  return status;
}
