import type { PodAccess } from '../io/cluster/pod-access.ts';
import type { AccessQuestion } from '../io/cluster/reader.ts';
import type { Diagnosis } from '../core/engine/diagnose.ts';
import { UserError } from '../core/kube/errors.ts';
import type { Kind } from '../core/kube/kinds.ts';
import type { Selection } from '../core/kube/selection.ts';
import { shellWord } from '../core/kube/shell-word.ts';
import type { Answer, Need, Snapshot } from '../core/kube/snapshot.ts';
import type { Question } from './question.ts';

export interface ReadingOptions {
  /** Read before the first answer is tried. */
  readonly seeds?: readonly Need[];
  /** On a live cluster, search for what is stuck first, as `why` does without names. */
  readonly search?: Selection;
}

export interface Watched {
  readonly kinds: readonly Kind[];
  /** Absent: in all namespaces. */
  readonly namespace?: string | undefined;
  /** Of a kind in here, only the object of this name. */
  readonly names?: Readonly<Partial<Record<Kind, string>>>;
}

/** A live cluster or a dump of one: what questions are put to. */
export interface ClusterSource {
  /** What is being read, in a few words. */
  readonly name: string;
  /** Where a question without -n and -A looks. */
  readonly usualScope: string;
  /** The namespace that a question without -n and -A is about; a dump has none, and all of it is meant. */
  readonly namespace: string | undefined;
  readonly isLive: boolean;
  diagnose(question: Question): Promise<Diagnosis>;
  /** Reads what the answer lacks, until it lacks nothing that could still be read. A dump is read once, whole. */
  answer<Result extends Answer>(ask: (snapshot: Snapshot) => Result, options?: ReadingOptions): Promise<Result>;
  /** Calls back when something may have changed, until the signal. */
  watch(watched: Watched, onChange: () => void, signal: AbortSignal): Promise<void>;
  /** What this user may do; undefined when the server does not tell. */
  mayI(question: AccessQuestion): Promise<boolean | undefined>;
  /** The ways into its pods; a dump has none. */
  pods(): Promise<PodAccess | undefined>;
  close(): Promise<void>;
}

export interface SourceValues {
  readonly from?: string[] | undefined;
  readonly complete?: boolean;
  readonly at?: string | undefined;
}

/** The values of the connection flags, under kubectl's names. */
export interface ConnectionValues {
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly 'as-group'?: string[] | undefined;
  readonly 'as-uid'?: string | undefined;
  readonly 'request-timeout'?: string | undefined;
  readonly 'certificate-authority'?: string | undefined;
  readonly 'client-certificate'?: string | undefined;
  readonly 'client-key'?: string | undefined;
  readonly 'tls-server-name'?: string | undefined;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'chunk-size'?: string | undefined;
  readonly v?: string;
}

export async function openSource(
  flags: SourceValues & ConnectionValues & { readonly namespace?: string | undefined },
): Promise<ClusterSource> {
  if (flags.from !== undefined && flags.from.length > 0) {
    const { openDump } = await import('./dump-source.ts');
    return openDump(flags.from, flags);
  }
  const { openCluster } = await import('./cluster-source.ts');
  return openCluster(flags);
}

/** What goes behind a command that asks the same source once more. */
export function commandEnd({ from = [] }: SourceValues): string {
  return from
    .filter((path) => path !== '-')
    .map((path) => ` --from ${shellWord(path)}`)
    .join('');
}

/** Flags of a dump without a dump are a mistake in the command line. */
export function refuseSourceContradictions(flags: SourceValues, watch = false): void {
  const isDump = flags.from !== undefined && flags.from.length > 0;
  if (watch && isDump)
    throw new UserError('--watch and --from exclude each other', 'a dump does not change; leave one of them out');
  if (!isDump && flags.complete)
    throw new UserError('--complete goes with --from', 'it says that a dump holds all there was');
  if (!isDump && flags.at !== undefined) throw new UserError('--at goes with --from', 'it says when a dump was taken');
}
