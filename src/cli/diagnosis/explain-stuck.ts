import type { Diagnosis } from '../../core/engine/diagnose.ts';
import { UserError } from '../../core/kube/errors.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { workloadKinds } from '../../core/kube/selection.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { withProgress } from '../../terminal/progress.ts';
import type { ConnectionValues } from '../connection-flags.ts';
import { mayAskSeveral } from '../contexts/contexts-flags.ts';
import type { ContextsValues } from '../contexts/contexts-flags.ts';
import { endOfSource } from '../chosen-cluster.ts';
import { diagnoseStuck } from './diagnose-stuck.ts';
import { missingPlaceError } from './empty-search.ts';
import { exitCodeOf } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { refuseWatchedPage } from '../output-format.ts';
import { openSource } from '../open-source.ts';
import type { ClusterSource } from '../open-source.ts';
import { notFoundError, selectionOf } from '../question.ts';
import type { Question } from '../question.ts';
import { renderDiagnosis } from '../render.ts';
import type { ReportFormat, ReportLook } from '../render.ts';
import { readsDump, refuseSourceContradictions } from '../source-flags.ts';
import type { SourceValues } from '../source-flags.ts';
import { judgedKinds, parseTargets } from '../targets.ts';
import type { NamedTarget } from '../targets.ts';

interface StuckFlags extends SourceValues, ConnectionValues, ContextsValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly selector?: string | undefined;
  readonly output: ReportFormat;
  readonly details: boolean;
  readonly watch: boolean;
  readonly logs?: string | undefined;
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
  const question: Question = {
    targets,
    namespace: flags.namespace,
    everywhere: flags['all-namespaces'],
    selector: flags.selector,
    breadth,
    asksWhoWaits: true,
    foresees: flags.output !== 'name' && !flags.watch,
    ...logsOf(flags),
  };
  const shown = {
    output: flags.output,
    color: flags.color,
    // Of a workload only what is stuck is shown, as of a search.
    named: targets.some(({ kind }) => !workloadKinds.some((workload) => workload === kind)),
    details: flags.details,
  };
  if (mayAskSeveral(flags)) {
    const { explainSeveral } = await import('../contexts/explain-several.ts');
    const exitCode = await explainSeveral(flags, question, shown);
    if (exitCode !== undefined) return exitCode;
  }
  const source = await openSource(flags);
  const look = { ...shown, scope: scopeOf(flags, source, targets), chosen: flags };
  try {
    return flags.watch ? await watchReport(source, question, look) : await printReport(source, question, look);
  } finally {
    await source.close();
  }
}

async function printReport(source: ClusterSource, named: Question, look: ReportLook): Promise<ExitCode> {
  const { question, diagnosis, missing } = await withProgress(`reading ${source.name}`, () =>
    diagnoseStuck(source, named),
  );
  const { items } = diagnosis.report;
  const shown = { ...look, named: look.named || (question.targets.length > 0 && items.length === 1) };
  if (missing === undefined || items.length > 0) await print(await renderDiagnosis(diagnosis, shown));
  if (missing !== undefined) throw missing;
  const { blocked, unknown } = diagnosis.report.summary;
  if (blocked + unknown === 0 && (look.output === 'text' || look.output === 'wide')) {
    await printUnsearched(source, question, diagnosis);
    await printElsewhere(source, question, endOfSource(look.chosen)());
  }
  return exitCodeOf(diagnosis.report);
}

/** A dump without a kind ends a search without an error, but not without a word. */
async function printUnsearched(source: ClusterSource, question: Question, { snapshot }: Diagnosis): Promise<void> {
  if (source.isLive) return;
  const { unsearchedKinds } = await import('../../core/engine/unsearched-kinds.ts');
  const kinds = unsearchedKinds(snapshot, selectionOf(question, source.namespace));
  if (kinds.length === 0) return;
  const { hang } = await import('../../terminal/wrap.ts');
  const { width } = stdoutScreen('never');
  await print(hang('', `Not searched, because the dump does not hold them: ${kinds.join(', ')}`, width).join('\n'));
}

async function printElsewhere(source: ClusterSource, question: Question, commandEnd: string): Promise<void> {
  const { sayStuckElsewhere } = await import('./stuck-elsewhere.ts');
  const said = await sayStuckElsewhere(source, question, commandEnd);
  if (said !== undefined) await print(`${sanitise(said)}\n`);
}

/** Prints the report again whenever its verdicts change; a target that disappears later is no error. */
async function watchReport(source: ClusterSource, question: Question, look: ReportLook): Promise<ExitCode> {
  const { printOnChange, separator, watchOf, withoutAges } = await import('../watch-loop.ts');
  const namespace = question.everywhere ? undefined : question.namespace || source.namespace;
  return printOnChange(
    async (isFirst) => {
      const diagnosis = await source.diagnose(question);
      const { report, notFound } = diagnosis;
      const missing = notFoundError(diagnosis) ?? missingPlaceError(source, question, diagnosis);
      if (missing !== undefined && isFirst) throw missing;
      return {
        essence: withoutAges([report.items, notFound]),
        exitCode: exitCodeOf(report),
        render: async () => separator(look.output, isFirst, report.takenAt) + (await renderDiagnosis(diagnosis, look)),
      };
    },
    { watch: watchOf(source, { kinds: ['PersistentVolumeClaim', 'Pod'], namespace }) },
  );
}

/** A report that is repeated would read the logs again and again, so there they are read only on request. */
function logsOf({ logs, watch }: StuckFlags): Pick<Question, 'logs'> {
  const mode = logs ?? (watch ? 'never' : 'auto');
  return mode === 'always' || mode === 'auto' ? { logs: { mode, isAsked: logs !== undefined } } : {};
}

function scopeOf(flags: StuckFlags, source: ClusterSource, targets: readonly NamedTarget[]): string {
  if (targets.length > 0) return targets.map(({ kind, name }) => `${shortNameOf(kind)}/${name}`).join(', ');
  if (flags['all-namespaces']) return readsDump(flags) ? 'the dump' : 'the cluster';
  return flags.namespace ? `namespace ${flags.namespace}` : source.usualScope;
}

function refuseContradictions(isNamed: boolean, flags: StuckFlags): void {
  refuseSourceContradictions(flags, flags.watch);
  refuseWatchedPage(flags.output, flags.watch);
  if (isNamed && flags['all-namespaces'])
    throw new UserError('a name cannot be combined with -A', 'Remove -A, or choose the namespace with -n');
  if (isNamed && flags.selector !== undefined)
    throw new UserError('a name cannot be combined with a selector', 'Remove -l or the name');
}
