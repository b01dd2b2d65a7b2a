import { fails } from '../../core/report/check.ts';
import type { CheckReport } from '../../core/report/check.ts';
import { groupFindings, objectWords, subjectList } from './groups.ts';
import type { CheckGroup } from './groups.ts';
import { verdictWords } from './verdict.ts';
import { workflowCommand } from '../../terminal/github.ts';
import { fixLine } from '../../terminal/verdict/finding.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

const enoughSubjects = 5;

/** One workflow command for each reason, since GitHub shows only ten of a level in a step. */
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
