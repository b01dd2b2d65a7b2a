import type { WhatIfReport } from '../../core/report/what-if.ts';
import { whyUnread } from '../../core/report/why-unread.ts';
import { fixLine } from '../../terminal/verdict/finding.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { effectWords, summaryWords } from './words.ts';

const marks = { breaks: '✖', wait: '…', notice: '✔' } as const;
const enoughObjects = 10;

/** One table, the worst first, and the fixes below it: for the summary of a CI job. */
export function renderWhatIfMarkdown(untrusted: WhatIfReport): string {
  const report = sanitiseReport(untrusted);
  const rows = report.effects.map(({ effect, severity, cause, confidence, summary, objects }) => {
    const names = objects.slice(0, enoughObjects).map((object) => objectName(object));
    const more = objects.length > names.length ? [`and ${objects.length - names.length} more`] : [];
    return (
      `| ${marks[severity]} ${effectWords[effect]} | ${cell(cause ?? '')} | ${cell(summary)} | ` +
      `${cell([...names, ...more].join(', '))} | ${confidence} |`
    );
  });
  const fixes = report.effects.flatMap(({ severity, prevention, fix, cause, effect }) => {
    const [step] = [...prevention, ...fix];
    return severity === 'breaks' && step ? [`- ${cell(cause ?? effectWords[effect])}: ${cell(fixLine(step))}`] : [];
  });
  const unread = report.unread.map(
    (entry) => `- ${cell(entry.resource)} (${cell(whyUnread(entry))}): ${cell(entry.needed)}`,
  );
  return [
    `### What if: ${cell(report.operations.map(({ text }) => text).join(' + '))}`,
    '',
    summaryWords(report),
    ...(rows.length > 0
      ? ['', '| effect | cause | what | objects | confidence |', '|---|---|---|---|---|', ...rows]
      : []),
    ...(fixes.length > 0 ? ['', '**Fix**', '', ...fixes] : []),
    ...(unread.length > 0 ? ['', '**Could not be read**', '', ...unread] : []),
    ...(report.unforeseen.length > 0
      ? ['', '**Cannot be foreseen**', '', ...report.unforeseen.map((one) => `- ${cell(one)}`)]
      : []),
    '',
  ].join('\n');
}

/** A cell of a table is one line, and text from a cluster is no markup. */
function cell(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);
}
