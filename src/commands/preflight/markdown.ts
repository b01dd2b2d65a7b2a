import type { PreflightItem, PreflightReport, PreflightStatus } from '../../core/report/preflight.ts';
import {
  markdownCode as code,
  markdownFix,
  markdownTable as table,
  markdownText as plain,
} from '../../terminal/markdown.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { placeWords, statusWords, summaryWords } from './words.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

const icons: Readonly<Record<PreflightStatus, string>> = { wouldFail: '❌', unknown: '❔', wouldWait: '⏳', ok: '✅' };

/** A page for a pull request or a job summary. */
export function renderPreflightMarkdown(untrusted: PreflightReport): string {
  const report = sanitiseReport(untrusted);
  const rows = (['wouldFail', 'unknown', 'wouldWait', 'ok'] as const).flatMap((status) =>
    report.items.filter((item) => item.status === status).map(rowOf),
  );
  const warnings = report.items.flatMap((item) =>
    item.warnings.map(({ cause, summary }) => [code(objectName(item.object)), code(cause), plain(summary)]),
  );
  return [
    '## Storage preflight',
    '',
    `**${plain(summaryWords(report))}** (${plain(report.source.name)}, ${plain(report.takenAt)})`,
    '',
    ...table(['', 'object', 'where', 'why', 'fix'], rows),
    ...table(['warning', 'what', 'why'], warnings),
  ].join('\n');
}

function rowOf(item: PreflightItem): string[] {
  const [step] = item.objection?.fix ?? [];
  const fix = step === undefined ? '' : markdownFix(step);
  const why = item.cause === undefined ? plain(item.summary) : `${code(item.cause)}: ${plain(item.summary)}`;
  return [
    `${icons[item.status]} ${statusWords[item.status]}`,
    code(objectName(item.object)),
    plain(placeWords(item)),
    why,
    fix,
  ];
}
