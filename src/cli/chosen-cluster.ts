import type { ConnectionValues } from './connection-flags.ts';
import type { SourceValues } from './source-flags.ts';
import { readsDump } from './source-flags.ts';

/**
 * The same document for the cluster that --context or --kubeconfig chose: without these flags, a printed command would act on the
 * cluster of the current context when it is copied.
 */
export async function inChosenCluster<Document extends object>(
  document: Document,
  flags: SourceValues & ConnectionValues,
): Promise<Document> {
  const { context, kubeconfig } = flags;
  if (readsDump(flags) || (context ?? kubeconfig ?? '') === '') return document;
  const { documentInContext } = await import('../core/survey/contexts/document-in-context.ts');
  return documentInContext(document, { context: context || undefined, kubeconfig: kubeconfig || undefined });
}
