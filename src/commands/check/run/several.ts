import { openSeveral, refuseNoAnswer, sayUnread } from '../../../cli/contexts/open-several.ts';
import { exitCodeOfCheck } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import { EnvironmentError, UserError } from '../../../core/kube/errors.ts';
import type { CheckReport, CheckSurvey } from '../../../core/report/check.ts';
import { readContexts } from '../../../core/survey/contexts/context-answer.ts';
import type { ContextAnswer } from '../../../core/survey/contexts/context-answer.ts';
import { mergeChecks } from '../../../core/survey/contexts/merge-checks.ts';
import { print, printWorkflow } from '../../../terminal/output.ts';
import { judgeFindings } from '../answer.ts';
import type { Yardstick } from '../answer.ts';
import { baselineOf } from '../baseline.ts';
import { renderContextsPrometheus } from '../prometheus.ts';
import type { CheckFlags } from '../run.ts';
import { readBaseline, writeBaseline } from './baseline-file.ts';
import { announceCheck, renderCheck } from './output.ts';

/** `check` of several clusters; undefined if the flags name one after all. */
export async function checkSeveral(
  flags: CheckFlags,
  yardstick: Yardstick,
  read: (source: ClusterSource) => Promise<CheckSurvey>,
): Promise<ExitCode | undefined> {
  const several = await openSeveral(flags, true);
  if (several === undefined) return undefined;
  if (flags.wait !== undefined)
    throw new UserError('--wait cannot be combined with several clusters', 'Wait for one: --context NAME --wait 5m');
  const answers = await several.ask(async (source) => ({ document: await read(source) }));
  const judge = (baseline = yardstick.baseline): Judged => {
    const judged = answers.map((answer) => judgeContext(answer, { ...yardstick, baseline }));
    return { judged, report: mergeChecks(judged, flags['fail-on'], several) };
  };
  const found = judge();
  try {
    await refuseNoAnswer(answers, several.isDump);
  } catch (error) {
    if (flags.output === 'prometheus' && error instanceof EnvironmentError)
      await print(renderContextsPrometheus(found.report, []));
    throw error;
  }
  const file = flags['write-baseline'];
  if (file !== undefined) await writeBaseline(file, found.report.findings);
  // What was just written is known, as for one cluster.
  const { judged, report } = file !== undefined && flags.baseline === undefined ? judge(readBaseline(file)) : found;
  const text =
    flags.output === 'prometheus'
      ? renderContextsPrometheus(report, readContexts(judged))
      : await renderCheck(report, { ...flags, endOf: several.endOf });
  await (flags.output === 'github' ? printWorkflow : print)(text);
  await announceCheck(report, flags);
  await sayUnread(answers, flags.output);
  return exitCodeOfCheck(report);
}

interface Judged {
  readonly judged: readonly ContextAnswer<CheckReport>[];
  readonly report: CheckReport;
}

function judgeContext(answer: ContextAnswer<CheckSurvey>, yardstick: Yardstick): ContextAnswer<CheckReport> {
  if (answer.type !== 'read') return answer;
  const { baseline } = yardstick;
  const own = baseline === undefined ? undefined : baselineOf(answer.context, baseline);
  return { ...answer, document: judgeFindings(answer.document, { ...yardstick, baseline: own }) };
}
