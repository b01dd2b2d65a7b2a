import type { Report } from '../../core/report/report.ts';
import { mergeReports } from '../../core/survey/contexts/merge-reports.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { print } from '../../terminal/output.ts';
import { diagnoseStuck } from '../diagnosis/diagnose-stuck.ts';
import { exitCodeOf } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { ClusterSource } from '../open-source.ts';
import type { Question } from '../question.ts';
import { proveDiagnosis, renderReport } from '../render.ts';
import type { ReportLook } from '../render.ts';
import type { SeveralFlags } from './choose-contexts.ts';
import { openSeveral, refuseNoAnswer, sayUnread } from './open-several.ts';
import type { OwnAnswer } from './open-several.ts';

/** `why` and `why-pending` of several clusters; undefined if the flags name one after all. */
export async function explainSeveral(
  flags: SeveralFlags,
  question: Question,
  look: ReportLook,
): Promise<ExitCode | undefined> {
  const hasNamespace = question.everywhere || (question.namespace ?? '') !== '';
  const several = await openSeveral(flags, hasNamespace);
  if (several === undefined) return undefined;
  const answers = await several.ask((source) => explainOne(source, question, look));
  await refuseNoAnswer(answers, several.isDump);
  const report = mergeReports(answers, several);
  await print(await renderReport(report, { ...look, endOf: several.endOf, ...scopeOf(question, several.isDump) }));
  await sayUnread(answers, look.output);
  return exitCodeOf(report);
}

/** Only the report: the snapshot is released before the next cluster is read. */
async function explainOne(source: ClusterSource, named: Question, look: ReportLook): Promise<OwnAnswer<Report>> {
  const { diagnosis, missing } = await diagnoseStuck(source, named);
  if (missing !== undefined && diagnosis.report.items.length === 0) throw missing;
  const report = await proveDiagnosis(diagnosis, look);
  return { document: report, ...(missing !== undefined && { message: missing.message }) };
}

/** Where each cluster was searched; all namespaces need no mention. */
function scopeOf(question: Question, isDump: boolean): Pick<ReportLook, 'scope'> {
  if (question.targets.length > 0)
    return { scope: question.targets.map(({ kind, name }) => `${shortNameOf(kind)}/${name}`).join(', ') };
  if (question.everywhere) return {};
  if (question.namespace) return { scope: `namespace ${question.namespace}` };
  return isDump ? {} : { scope: "the contexts' own namespaces" };
}
