import { clusterFlags } from '../core/kube/context-flag.ts';
import type { ClusterChoice } from '../core/kube/context-flag.ts';
import type { ConnectionValues } from './connection-flags.ts';
import { commandEnd, readsDump } from './source-flags.ts';
import type { SourceValues } from './source-flags.ts';

type SourceFlags = SourceValues & ConnectionValues;

/**
 * What flags say about the cluster. Credentials are left out: a printed command fails without them, and never reaches
 * another.
 */
export function choiceOf(flags: SourceFlags): ClusterChoice {
  if (readsDump(flags)) return {};
  const { kubeconfig, context, cluster, user, server } = flags;
  return { kubeconfig, context, cluster, user, server: server === undefined ? undefined : withoutLogin(server) };
}

/** A name and a password before the host are credentials. */
function withoutLogin(address: string): string {
  return address.replace(/^(\w+:\/\/)?[^/]*@/, '$1');
}

/** What to append to a command that asks the same dump or cluster again. */
export function endOfSource(flags: SourceFlags = {}): () => string {
  const chosen = clusterFlags(choiceOf(flags));
  const end = chosen === '' ? commandEnd(flags) : ` ${chosen}`;
  return () => end;
}

/**
 * The same document for the cluster that flags chose: without these flags, a printed command would act on the cluster
 * of the current context when it is copied.
 */
export async function inChosenCluster<Document extends object>(
  document: Document,
  flags: SourceFlags,
): Promise<Document> {
  const choice = choiceOf(flags);
  if (clusterFlags(choice) === '') return document;
  const { documentInContext } = await import('../core/survey/contexts/document-in-context.ts');
  return documentInContext(document, choice);
}
