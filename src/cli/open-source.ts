import type { Diagnosis } from '../core/engine/diagnose.ts';
import type { LogUse } from '../core/engine/logs/wants-logs.ts';
import type { Selection } from '../core/kube/selection.ts';
import type { Answer, Need, Snapshot } from '../core/kube/snapshot.ts';
import type { PodAccess } from '../io/cluster/pod-access.ts';
import type { AccessQuestion } from '../io/cluster/reader.ts';
import type { ConnectionValues } from './connection-flags.ts';
import type { Question, Watched } from './question.ts';
import { readsDump } from './source-flags.ts';
import type { SourceValues } from './source-flags.ts';

export interface ReadingOptions {
  /** Read before the first answer is tried. */
  readonly seeds?: readonly Need[];
  /** On a live cluster, search for what is stuck first, as `why` does without names. */
  readonly search?: Selection;
  /** What was read for an earlier question; only what it lacks is read. */
  readonly known?: Snapshot;
}

/** A live cluster or a dump of one, which answers questions. */
export interface ClusterSource {
  /** What is being read, in a few words. */
  readonly name: string;
  /** Where a question without -n and -A looks. */
  readonly usualScope: string;
  /** The namespace of a question without -n and -A; a dump has none, and the question is about all of it. */
  readonly namespace: string | undefined;
  readonly isLive: boolean;
  diagnose(question: Question): Promise<Diagnosis>;
  /** Diagnoses what was read, with the logs that this needs: they are in the snapshot of the answer. */
  readLogs(known: Snapshot, selection: Selection, use: LogUse): Promise<Diagnosis>;
  /**
   * Asks, reads what the answer needs, and asks again until no need is left that can be read. A dump is read once,
   * whole.
   */
  answer<Result extends Answer>(
    ask: (snapshot: Snapshot) => Result | Promise<Result>,
    options?: ReadingOptions,
  ): Promise<Result>;
  /** Calls back when something may have changed, until the signal. */
  watch(watched: Watched, onChange: () => void, signal: AbortSignal): Promise<void>;
  /** What this user may do; undefined if the server does not report it. */
  mayI(question: AccessQuestion): Promise<boolean | undefined>;
  /** Access to its pods; a dump has none. */
  pods(): Promise<PodAccess | undefined>;
  close(): Promise<void>;
}

/** Opens the dump that --from names, or else the cluster; only the code of one of the two is loaded. */
export async function openSource(
  flags: SourceValues & ConnectionValues & { readonly namespace?: string | undefined },
): Promise<ClusterSource> {
  if (readsDump(flags)) {
    const { openDump } = await import('./dump-source.ts');
    return openDump(flags.from ?? [], flags);
  }
  const { openCluster } = await import('./cluster-source.ts');
  return openCluster(flags);
}
