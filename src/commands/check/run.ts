import { endOfSource, inChosenCluster } from '../../cli/chosen-cluster.ts';
import type { ConnectionValues } from '../../cli/connection-flags.ts';
import { mayAskSeveral } from '../../cli/contexts/contexts-flags.ts';
import type { ContextsValues } from '../../cli/contexts/contexts-flags.ts';
import { parseDuration } from '../../cli/duration.ts';
import { exitCodeOfCheck } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { interruptedExitCode } from '../../cli/interruption.ts';
import { openSource } from '../../cli/open-source.ts';
import type { ClusterSource } from '../../cli/open-source.ts';
import { readCheck } from '../../cli/read/read-check.ts';
import { readsDump, refuseSourceContradictions, usageOptionsOf } from '../../cli/source-flags.ts';
import type { SourceValues } from '../../cli/source-flags.ts';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { CheckReport, CheckSurvey, FailOn } from '../../core/report/check.ts';
import type { CheckWishes } from '../../core/survey/checks/survey-checks.ts';
import { print, printWorkflow } from '../../terminal/output.ts';
import { withProgress } from '../../terminal/progress.ts';
import { judgeFindings } from './answer.ts';
import type { Yardstick } from './answer.ts';
import type { CheckFormat } from './format.ts';
import { renderUnreadPrometheus } from './prometheus.ts';
import { readBaseline, writeBaseline } from './run/baseline-file.ts';
import { announceCheck, printChecks, renderCheck } from './run/output.ts';
import { readIgnores } from './run/read-ignores.ts';

export interface CheckFlags extends SourceValues, ConnectionValues, ContextsValues {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces': boolean;
  readonly 'fail-on': FailOn;
  readonly ignore?: string[] | undefined;
  readonly 'ignore-file'?: string | undefined;
  readonly baseline?: string | undefined;
  readonly 'write-baseline'?: string | undefined;
  readonly wait?: string | undefined;
  readonly 'full-at'?: string | undefined;
  readonly 'inodes-full-at'?: string | undefined;
  readonly unused: boolean;
  readonly list: boolean;
  readonly output: CheckFormat;
  readonly 'junit-file'?: string | undefined;
  readonly color: string;
}

interface Look {
  readonly survey: CheckSurvey;
  readonly report: CheckReport;
}

/** `check` from its flags to its exit code. */
export async function runCheck(flags: CheckFlags): Promise<ExitCode> {
  if (flags.list) return printChecks(flags);
  refuseContradictions(flags);
  wishesOf(flags);
  const waitMs = flags.wait === undefined ? undefined : parseDuration('--wait', flags.wait);
  // Read before the cluster, so that a mistake in a file shows at once.
  const yardstick: Yardstick = {
    failOn: flags['fail-on'],
    ignores: await readIgnores(flags),
    baseline: flags.baseline === undefined ? undefined : readBaseline(flags.baseline),
  };
  if (mayAskSeveral(flags)) {
    const { checkSeveral } = await import('./run/several.ts');
    const exitCode = await checkSeveral(flags, yardstick, (source) =>
      readCheck(source, namespaceOf(flags), wishesOf(flags)),
    );
    if (exitCode !== undefined) return exitCode;
  }
  try {
    return await checkSource(flags, yardstick, waitMs);
  } catch (error) {
    if (flags.output === 'prometheus' && error instanceof EnvironmentError) await print(renderUnreadPrometheus());
    throw error;
  }
}

async function checkSource(flags: CheckFlags, yardstick: Yardstick, waitMs: number | undefined): Promise<ExitCode> {
  const source = await openSource(flags);
  try {
    const look = async (): Promise<Look> => {
      const survey = await readCheck(source, namespaceOf(flags), wishesOf(flags));
      return { survey, report: judgeFindings(survey, yardstick) };
    };
    const read = (): Promise<Look> => withProgress(`checking ${source.name}`, look);
    const found = waitMs === undefined ? await read() : await waitFor(source, flags, waitMs, read);
    const interrupted = interruptedExitCode();
    if (interrupted !== undefined) return interrupted;
    const report = await inChosenCluster(await keepBaseline(found, yardstick, flags), flags);
    await (flags.output === 'github' ? printWorkflow : print)(
      await renderCheck(report, { ...flags, endOf: endOfSource(flags) }),
    );
    await announceCheck(report, flags);
    return exitCodeOfCheck(report);
  } finally {
    await source.close();
  }
}

function refuseContradictions(flags: CheckFlags): void {
  refuseSourceContradictions(flags);
  if (flags.wait !== undefined && readsDump(flags))
    throw new UserError('--wait cannot be combined with --from', 'A dump does not change: remove one of them');
  const share = (['full-at', 'inodes-full-at'] as const).find((name) => flags[name] !== undefined);
  // A capture can hold the usage of its volumes; on a cluster nothing would be measured, and nothing would be full.
  if (share !== undefined && !readsDump(flags) && usageOptionsOf(flags) === undefined)
    throw new UserError(
      `--${share} needs a source of usage`,
      'Add --usage, --prometheus URL, --kubelet or --node-proxy',
    );
}

async function waitFor(
  source: ClusterSource,
  flags: CheckFlags,
  waitMs: number,
  look: () => Promise<Look>,
): Promise<Look> {
  const { checkUntilSettled } = await import('./run/wait.ts');
  return checkUntilSettled(
    source,
    { kinds: ['PersistentVolumeClaim', 'Pod', 'CSINode', 'VolumeAttachment'], namespace: namespaceOf(flags) },
    waitMs,
    look,
  );
}

/** The whole cluster unless a namespace is named, as for `status`. */
function namespaceOf(flags: CheckFlags): string | undefined {
  return flags['all-namespaces'] || !flags.namespace ? undefined : flags.namespace;
}

function wishesOf(flags: CheckFlags): CheckWishes {
  return {
    unused: flags.unused,
    limits: {
      bytesPercent: percentOf('full-at', flags['full-at']),
      inodesPercent: percentOf('inodes-full-at', flags['inodes-full-at']),
    },
  };
}

const usualPercent = '90';

function percentOf(name: string, text = usualPercent): number {
  const percent = /^\d{1,3}%?$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (percent < 1 || percent > 100)
    throw new UserError(
      `--${name} must be a percentage from 1 to 100, not "${text}"`,
      `Write for example --${name} 85`,
    );
  return percent;
}

/** What was just written is known, unless the findings were compared with an older baseline. */
async function keepBaseline({ survey, report }: Look, yardstick: Yardstick, flags: CheckFlags): Promise<CheckReport> {
  const file = flags['write-baseline'];
  if (file === undefined) return report;
  await writeBaseline(file, report.findings);
  return flags.baseline === undefined ? judgeFindings(survey, { ...yardstick, baseline: readBaseline(file) }) : report;
}
