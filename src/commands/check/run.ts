import { checkReportOf } from '../../core/report/check.ts';
import type { BaselineEntry, CheckReport, CheckSurvey, FailOn } from '../../core/report/check.ts';
import { UserError } from '../../core/kube/errors.ts';
import type { Selection } from '../../core/kube/selection.ts';
import { applyBaseline, readBaseline, writeBaseline } from './baseline.ts';
import { applyIgnores, readIgnores } from './ignores.ts';
import type { IgnoreEntry } from './ignores.ts';
import { announceCheck, printChecks, renderCheck } from './output.ts';
import type { CheckFormat } from './output.ts';
import { askCheck } from '../../core/survey/checks/ask-check.ts';
import { parseDuration } from '../../cli/duration.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode } from '../../cli/interruption.ts';
import { openSource, refuseSourceContradictions } from '../../cli/open-source.ts';
import type { ClusterSource, ConnectionValues, SourceValues } from '../../cli/open-source.ts';
import { print } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { noNamespaceError } from '../../cli/question.ts';

export interface CheckFlags extends SourceValues, ConnectionValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly 'fail-on': FailOn;
  readonly ignore?: string[] | undefined;
  readonly 'ignore-file'?: string | undefined;
  readonly baseline?: string | undefined;
  readonly 'write-baseline'?: string | undefined;
  readonly wait?: string | undefined;
  readonly list: boolean;
  readonly output: CheckFormat;
  readonly color: string;
}

/** What of the findings counts, read before the cluster is: a mistake in a file shows at once. */
interface Yardstick {
  readonly failOn: FailOn;
  readonly ignores: readonly IgnoreEntry[];
  readonly baseline: readonly BaselineEntry[] | undefined;
}

/** `check` from its flags to its exit code. */
export async function runCheck(flags: CheckFlags): Promise<ExitCode> {
  if (flags.list) return printChecks(flags);
  refuseContradictions(flags);
  const waitMs = flags.wait === undefined ? undefined : parseDuration('--wait', flags.wait);
  const yardstick: Yardstick = {
    failOn: flags['fail-on'],
    ignores: await readIgnores(flags),
    baseline: flags.baseline === undefined ? undefined : readBaseline(flags.baseline),
  };
  const source = await openSource(flags);
  try {
    const look = async (): Promise<Look> => {
      const survey = await readCheck(source, flags);
      return { survey, report: judge(survey, yardstick) };
    };
    const read = (): Promise<Look> => withProgress(`checking ${source.name}`, look);
    const found = waitMs === undefined ? await read() : await waitFor(source, flags, waitMs, read);
    const interrupted = interruptedExitCode();
    if (interrupted !== undefined) return interrupted;
    const report = await keepBaseline(found, yardstick, flags);
    await print(await renderCheck(report, flags));
    await announceCheck(report, flags);
    return exitCodeOfCheck(report);
  } finally {
    await source.close();
  }
}

interface Look {
  readonly survey: CheckSurvey;
  readonly report: CheckReport;
}

function refuseContradictions(flags: CheckFlags): void {
  refuseSourceContradictions(flags);
  if (flags.wait !== undefined && (flags.from ?? []).length > 0)
    throw new UserError('--wait and --from exclude each other', 'a dump does not change; leave one of them out');
}

async function waitFor(
  source: ClusterSource,
  flags: CheckFlags,
  waitMs: number,
  look: () => Promise<Look>,
): Promise<Look> {
  const { checkUntilSettled } = await import('./wait.ts');
  return checkUntilSettled(
    source,
    { kinds: ['PersistentVolumeClaim', 'Pod', 'CSINode', 'VolumeAttachment'], namespace: namespaceOf(flags) },
    waitMs,
    look,
  );
}

/** The whole cluster is meant unless a namespace is named, as for `status`. */
function namespaceOf(flags: CheckFlags): string | undefined {
  return flags['all-namespaces'] || !flags.namespace ? undefined : flags.namespace;
}

async function readCheck(source: ClusterSource, flags: CheckFlags): Promise<CheckSurvey> {
  const namespace = namespaceOf(flags);
  const selection: Selection = { breadth: 'everything', ...(namespace !== undefined && { namespace }) };
  const { survey, noNamespace } = await source.answer((snapshot) => askCheck(snapshot, selection), {
    search: selection,
  });
  if (noNamespace) throw noNamespaceError(namespace, noNamespace);
  return survey;
}

function judge(survey: CheckSurvey, { failOn, ignores, baseline }: Yardstick): CheckReport {
  const { findings: unignored, unused } = applyIgnores(survey.findings, ignores);
  const { findings, gone } =
    baseline === undefined ? { findings: unignored, gone: [] } : applyBaseline(unignored, baseline);
  // Only what was looked for and not found is gone.
  const isGone = ({ namespace }: BaselineEntry): boolean =>
    survey.isSearched && (survey.namespace === undefined || namespace === survey.namespace);
  return checkReportOf(survey, { failOn, findings, unusedIgnores: unused, gone: gone.filter(isGone) });
}

/** What is written down is known from then on; held against an older baseline, it is news all the same. */
async function keepBaseline({ survey, report }: Look, yardstick: Yardstick, flags: CheckFlags): Promise<CheckReport> {
  const file = flags['write-baseline'];
  if (file === undefined) return report;
  await writeBaseline(file, report.findings);
  return flags.baseline === undefined ? judge(survey, { ...yardstick, baseline: readBaseline(file) }) : report;
}

export function exitCodeOfCheck({ result }: CheckReport): ExitCode {
  if (result === 'failed') return exitCodes.blocked;
  return result === 'inconclusive' ? exitCodes.inconclusive : exitCodes.ok;
}
