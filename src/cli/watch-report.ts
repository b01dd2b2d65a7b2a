import { exitCodeOf } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import type { ClusterSource } from './open-source.ts';
import { notFoundError } from './question.ts';
import type { Question } from './question.ts';
import { renderReport } from './render.ts';
import type { ReportLook } from './render.ts';
import { printOnChange, separator, withoutAges } from './watch-loop.ts';

/** Prints the report, and again whenever its verdicts change, until Ctrl-C or until nobody reads it. */
export function watchReport(source: ClusterSource, question: Question, look: ReportLook): Promise<ExitCode> {
  const namespace = question.everywhere ? undefined : question.namespace || source.namespace;
  return printOnChange(source, { kinds: ['PersistentVolumeClaim', 'Pod'], namespace }, async (isFirst) => {
    const diagnosis = await source.diagnose(question);
    const missing = notFoundError(diagnosis);
    if (missing !== undefined && isFirst) throw missing;
    return {
      essence: withoutAges([diagnosis.report.items, diagnosis.notFound]),
      exitCode: exitCodeOf(diagnosis.report),
      render: async () =>
        separator(look.output, isFirst, diagnosis.report.takenAt) + (await renderReport(diagnosis.report, look)),
    };
  });
}
