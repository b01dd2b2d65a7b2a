import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { exitCodeOf } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { refuseWatchedPage } from '../../cli/output-format.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import type { Question } from '../../cli/question.ts';
import { readTrace } from '../../cli/read/read-trace.ts';
import { renderDocument } from '../../cli/render.ts';
import { commandEnd, refuseSourceContradictions } from '../../cli/source-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { parseTargets, tracedKinds } from '../../cli/targets.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { Trace } from '../../core/report/trace.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';

interface TraceFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly output: 'text' | 'wide' | 'html' | DocumentFormat;
  readonly watch: boolean;
  readonly color: string;
}

/** `trace` from its words and flags to its exit code. */
export async function runTrace(words: readonly string[], flags: TraceFlags): Promise<ExitCode> {
  const targets = await parseTargets(words, { kinds: tracedKinds });
  if (targets.length !== 1)
    throw new UserError(
      targets.length === 0
        ? 'the object to trace is missing'
        : `only one object can be traced at a time, not ${targets.length}`,
      'Write for example pvc/data',
    );
  refuseSourceContradictions(flags, flags.watch);
  refuseWatchedPage(flags.output, flags.watch);
  const question: Question = {
    targets,
    namespace: flags.namespace,
    everywhere: false,
    selector: undefined,
    breadth: 'everything',
  };
  const source = await openSource(flags);
  try {
    if (flags.watch) return await watchTrace(source, question, flags);
    const { trace, diagnosis } = await withProgress(`reading ${source.name}`, () =>
      readTrace(source, question, commandEnd(flags)),
    );
    await print(await renderTrace(trace, flags));
    return exitCodeOf(diagnosis.report);
  } finally {
    await source.close();
  }
}

async function watchTrace(source: ClusterSource, question: Question, flags: TraceFlags): Promise<ExitCode> {
  const { printOnChange, separator, watchOf } = await import('../../cli/watch-loop.ts');
  const namespace = flags.namespace || source.namespace;
  return printOnChange(
    async (isFirst) => {
      const { trace, diagnosis } = await readTrace(source, question, commandEnd(flags));
      return {
        essence: essenceOf(trace),
        exitCode: exitCodeOf(diagnosis.report),
        render: async () => separator(flags.output, isFirst, trace.takenAt) + (await renderTrace(trace, flags)),
      };
    },
    { watch: watchOf(source, { kinds: ['PersistentVolumeClaim', 'Pod'], namespace }) },
  );
}

/** What must change for the trace to be printed again; spans and gaps grow without any change. */
function essenceOf({ verdict, chain, timeline }: Trace): string {
  return JSON.stringify([
    verdict.status,
    verdict.cause,
    chain.map(({ role, object, state }) => [role, object, state]),
    timeline.map(({ at, what }) => [at, what]),
  ]);
}

async function renderTrace(found: Trace, flags: TraceFlags): Promise<string> {
  const trace = await inChosenCluster(found, flags);
  if (isDocumentFormat(flags.output)) return renderDocument(trace, flags.output);
  if (flags.output === 'html') return (await import('./html.ts')).renderTracePage(trace);
  const { renderTrace: render } = await import('./text.ts');
  return render(trace, { ...stdoutScreen(flags.color), wide: flags.output === 'wide', endOf: endOfSource(flags) });
}
