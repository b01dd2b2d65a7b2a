import { UserError } from '../core/kube/errors.ts';
import { exitCodeOf } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { openSource, refuseSourceContradictions } from './open-source.ts';
import type { ClusterSource, ConnectionValues, SourceValues } from './open-source.ts';
import { print } from '../terminal/output.ts';
import { withProgress } from '../terminal/progress.ts';
import { notFoundError } from './question.ts';
import { renderReport } from './render.ts';
import type { ReportFormat } from './render.ts';
import { judgedKinds } from './target-kinds.ts';
import { parseTargets } from './targets.ts';

export interface StuckFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly selector?: string | undefined;
  readonly output: ReportFormat;
  readonly watch: boolean;
  readonly color: string;
}

/** `why-pending` and `why` from their words and flags to their exit code. */
export async function explainStuck(
  words: readonly string[],
  flags: StuckFlags,
  breadth: keyof typeof judgedKinds,
): Promise<ExitCode> {
  const targets = await parseTargets(words, { kinds: judgedKinds[breadth] });
  refuseContradictions(targets.length > 0, flags);
  const question = {
    targets,
    namespace: flags.namespace,
    everywhere: flags['all-namespaces'],
    selector: flags.selector,
    breadth,
    asksWhoWaits: true,
  };
  const source = await openSource(flags);
  const look = { output: flags.output, color: flags.color, named: targets.length > 0, scope: scopeOf(flags, source) };
  try {
    if (flags.watch) {
      const { watchReport } = await import('./watch-report.ts');
      return await watchReport(source, question, look);
    }
    const diagnosis = await withProgress(`reading ${source.name}`, () => source.diagnose(question));
    const missing = notFoundError(diagnosis);
    if (missing === undefined || diagnosis.report.items.length > 0)
      await print(await renderReport(diagnosis.report, look));
    if (missing !== undefined) throw missing;
    return exitCodeOf(diagnosis.report);
  } finally {
    await source.close();
  }
}

function scopeOf(flags: StuckFlags, source: ClusterSource): string {
  if (flags['all-namespaces']) return flags.from === undefined ? 'the cluster' : 'the dump';
  return flags.namespace ? `namespace ${flags.namespace}` : source.usualScope;
}

function refuseContradictions(isNamed: boolean, flags: StuckFlags): void {
  refuseSourceContradictions(flags, flags.watch);
  if (isNamed && flags['all-namespaces'])
    throw new UserError('a name cannot be looked up in all namespaces', 'leave -A out, or name the namespace with -n');
  if (isNamed && flags.selector !== undefined)
    throw new UserError('a name and a selector exclude each other', 'leave -l or the name out');
}
