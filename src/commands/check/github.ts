import { fails } from '../../core/report/check.ts';
import type { CheckReport } from '../../core/report/check.ts';
import { groupFindings, objectWords, subjectList } from './groups.ts';
import type { CheckGroup } from './groups.ts';
import { verdictWords } from './verdict.ts';
import { fixLine } from '../../terminal/verdict/finding.ts';
import { sanitise, sanitiseReport } from '../../terminal/sanitise.ts';

const enoughSubjects = 5;

/** Workflow commands, one for each reason: GitHub shows ten of a level in a step and drops the rest. */
export function renderCheckGithub(untrusted: CheckReport): string {
  const report = sanitiseReport(untrusted);
  const { unknown, unread, result } = report;
  const fresh = groupFindings(report.findings).filter(
    ({ outcome, severity }) => outcome === 'new' && severity !== 'info',
  );
  const resources = [...new Set(unread.map(({ resource, reason }) => `${resource} (${reason})`))];
  return [
    ...fresh.map((group) =>
      workflowCommand(fails(group.findings[0], report.failOn) ? 'error' : 'warning', group.id, messageOf(group)),
    ),
    ...unknown.map(({ object, summary }) =>
      workflowCommand('warning', 'not known', `${objectWords(object)}: ${summary}`),
    ),
    ...(result === 'inconclusive' && unknown.length === 0
      ? [workflowCommand('error', 'inconclusive', `could not read ${resources.join(', ')}`)]
      : []),
    verdictWords(report),
    '',
  ].join('\n');
}

function messageOf(group: CheckGroup): string {
  const [step] = group.findings[0].fix;
  const fix = step === undefined ? [] : [`fix: ${fixLine(step)}`];
  return [group.summary, subjectList(group, enoughSubjects), ...fix].join('\n');
}

/** `::LEVEL title=TITLE::MESSAGE` with GitHub's own escapes: a line break or a colon would end the command or the property. */
export function workflowCommand(
  level: 'error' | 'warning' | 'notice',
  title: string,
  message: string,
  properties: Readonly<Record<string, string>> = {},
): string {
  const all = Object.entries({ ...properties, title }).map(
    ([name, value]) => `${name}=${escapeProperty(sanitise(value))}`,
  );
  return `::${level} ${all.join(',')}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
