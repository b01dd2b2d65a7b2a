import type { Objection, PreflightItem, PreflightReport } from '../../core/report/preflight.ts';
import { workflowCommand } from '../../terminal/github.ts';
import { fixLine } from '../../terminal/verdict/finding.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { summaryWords } from './words.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

/** Workflow commands with the file and line of the wrong field, so that GitHub shows them in the pull request. */
export function renderPreflightGithub(untrusted: PreflightReport): string {
  const report = sanitiseReport(untrusted);
  const failed = report.items
    .filter(({ status, becauseOf }) => status === 'wouldFail' && !becauseOf)
    .map((item) => commandOf('error', item, item.cause ?? 'would fail', messageOf(item)));
  const unknown = report.items
    .filter(({ status }) => status === 'unknown')
    .map((item) => commandOf('warning', item, 'not known', messageOf(item)));
  const waits = report.items
    .filter(({ status }) => status === 'wouldWait')
    .map((item) => commandOf('notice', item, item.cause ?? 'would wait', messageOf(item)));
  const warnings = report.items.flatMap((item) =>
    item.warnings.map((warning) =>
      commandOf('warning', item, warning.cause, told(objectName(item.object), warning.summary, warning)),
    ),
  );
  return [...failed, ...unknown, ...warnings, ...waits, summaryWords(report), ''].join('\n');
}

function commandOf(
  level: 'error' | 'warning' | 'notice',
  { place, line }: PreflightItem,
  title: string,
  message: string,
): string {
  const isFile = place.file !== 'standard input';
  return workflowCommand(
    level,
    title,
    message,
    isFile ? { file: place.file.replace(/^\.\//, ''), line: String(line ?? place.line) } : {},
  );
}

function messageOf({ object, summary, objection }: PreflightItem): string {
  return told(objectName(object), summary, objection);
}

function told(name: string, summary: string, objection: Objection | undefined): string {
  const [step] = objection?.fix ?? [];
  return [summary.startsWith(name) ? summary : `${name}: ${summary}`, ...(step ? [`fix: ${fixLine(step)}`] : [])].join(
    '\n',
  );
}
