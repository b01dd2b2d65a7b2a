import { readFiles } from '../io/files/read-files.ts';
import { diagnose } from '../core/engine/diagnose.ts';
import type { Diagnosis } from '../core/engine/diagnose.ts';
import type { LogUse } from '../core/engine/logs/wants-logs.ts';
import type { Selection } from '../core/kube/selection.ts';
import { UserError } from '../core/kube/errors.ts';
import { namedDump } from './contexts/contexts-flags.ts';
import { complain } from '../terminal/output.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { Snapshot } from '../core/kube/snapshot.ts';
import type { ClusterSource } from './open-source.ts';
import type { SourceValues } from './source-flags.ts';
import { mayReadLogs, selectionOf } from './question.ts';
import type { Question } from './question.ts';

/** A dump has no current namespace: without -n, all of it is read and a name is searched for in all of it. */
export async function openDump(
  paths: readonly string[],
  flags: SourceValues,
  onNote: (line: string) => void = warn,
): Promise<ClusterSource> {
  await refuseNamedDump(paths);
  let reading: Promise<Snapshot> | undefined;
  const read = (): Promise<Snapshot> =>
    (reading ??= readFiles(paths, {
      complete: flags.complete === true,
      ...(flags.at !== undefined && { at: flags.at }),
      stdin: process.stdin,
      onNote,
    }));
  return {
    name: paths.join(', '),
    usualScope: 'the dump',
    namespace: undefined,
    isLive: false,
    async diagnose(question) {
      const snapshot = await read();
      const selection = selectionOf(question, namespaceOf(snapshot, question));
      const diagnosis = diagnose(snapshot, selection);
      const { logs } = question;
      if (logs === undefined || !mayReadLogs(diagnosis, question)) return diagnosis;
      // Logs that are not in the dump change nothing unless the user asked for them, so a large dump is not judged
      // again.
      if (!logs.isAsked && !(await holdsLogs(paths, snapshot))) return diagnosis;
      return consultDump(paths, snapshot, selection, logs);
    },
    readLogs: (known, selection, use) => consultDump(paths, known, selection, use),
    answer: async (ask) => ask(await read()),
    watch: () => Promise.reject(new UserError('a dump cannot be watched')),
    mayI: () => Promise.resolve(undefined),
    pods: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

/** `--from NAME=PATH` selects several clusters, which the commands that use this function do not support. */
async function refuseNamedDump(paths: readonly string[]): Promise<void> {
  const named = paths.filter((path) => namedDump.test(path));
  if (named.length === 0) return;
  const { existsSync } = await import('node:fs');
  const isNamed = (written: string): boolean =>
    !existsSync(written) && existsSync(namedDump.exec(written)?.groups?.['path'] ?? '');
  const first = named.find(isNamed);
  if (first !== undefined)
    throw new UserError(
      `this command reads one cluster, and --from ${first} names one of several`,
      'Remove the name, or use why, why-pending, check, status or get',
    );
}

async function holdsLogs(paths: readonly string[], { logs = [] }: Snapshot): Promise<boolean> {
  if (logs.length > 0) return true;
  const { DumpLogs } = await import('../io/files/dump-logs.ts');
  return new DumpLogs(paths).holdsAny();
}

/** The logs of a capture are in its snapshot; those of other dumps are files next to the objects. */
async function consultDump(
  paths: readonly string[],
  known: Snapshot,
  selection: Selection,
  use: LogUse,
): Promise<Diagnosis> {
  const [{ withLogs }, { DumpLogs }] = await Promise.all([
    import('./diagnosis/consult-logs.ts'),
    import('../io/files/dump-logs.ts'),
  ]);
  const logs = new DumpLogs(paths);
  return withLogs(known, selection, use, {
    read: (snapshot, ask) => Promise.resolve(ask(snapshot)),
    log: (need) => logs.read(need),
  });
}

/** Names of files and objects come from the dump. */
function warn(line: string): void {
  void complain(`warning: ${sanitise(line)}`);
}

/** The one namespace that has the targets of a question without -n; an error if several have. */
export function namespaceOf(snapshot: Snapshot, question: Question): string | undefined {
  const [first] = question.targets;
  if (first === undefined || question.namespace) return undefined;
  const holding = [
    ...new Set(question.targets.flatMap((target) => namespacesWith(snapshot, target.kind, target.name))),
  ].sort();
  if (holding.length > 1)
    throw new UserError(
      `the name ${first.name} exists in more than one namespace: ${holding.join(', ')}`,
      'Choose one with -n',
    );
  return holding[0] ?? onlyNamespace(snapshot);
}

function namespacesWith(snapshot: Snapshot, kind: string, name: string): string[] {
  return snapshot.objects.flatMap((object) =>
    object.kind === kind && object.metadata.name === name && object.metadata.namespace !== undefined
      ? [object.metadata.namespace]
      : [],
  );
}

/**
 * An object that does not exist may still be referred to; if the dump holds one namespace only, that namespace is
 * assumed.
 */
function onlyNamespace(snapshot: Snapshot): string | undefined {
  const claims = snapshot.objects.filter((object) =>
    ['PersistentVolumeClaim', 'StatefulSet', 'Pod'].includes(object.kind),
  );
  const namespaces = new Set(claims.map((object) => object.metadata.namespace));
  return namespaces.size === 1 ? [...namespaces][0] : undefined;
}
