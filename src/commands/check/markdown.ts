import type { CheckReport } from '../../core/report/check.ts';
import { groupFindings, objectWords, subjectList } from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { verdictWords } from '../../terminal/check/verdict.ts';
import {
  markdownCode as code,
  markdownFix,
  markdownTable as table,
  markdownText as plain,
} from '../../terminal/markdown.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

const enoughSubjects = 5;
const icons = { blocking: '❌', warning: '⚠️', info: '⏳' } as const;

/** A page for a pull request, a job summary or a chat message. */
export function renderCheckMarkdown(untrusted: CheckReport): string {
  const report = sanitiseReport(untrusted);
  const groups = groupFindings(report.findings);
  const fresh = groups.filter(({ outcome }) => outcome === 'new');
  const aside = groups.filter(({ outcome }) => outcome !== 'new');
  const place = `${report.namespace === undefined ? '' : `namespace ${report.namespace} of `}${report.source.name}`;
  return [
    '## Storage check',
    '',
    `**${plain(verdictWords(report))}** (${plain(place)}, ${plain(report.takenAt)})`,
    '',
    ...table(['', 'what', 'objects', 'why', 'fix'], fresh.map(rowOf)),
    ...table(
      ['not known', 'why'],
      report.unknown.map(({ object, summary }) => [code(objectWords(object)), plain(summary)]),
    ),
    ...table(
      ['not counted', 'objects', 'because'],
      aside.map((group) => [code(group.id), plain(subjectList(group, enoughSubjects)), becauseOf(group)]),
    ),
    ...unreadLines(report),
  ].join('\n');
}

function rowOf(group: CheckGroup): string[] {
  const [step] = group.findings[0].fix;
  return [
    `${icons[group.severity]} ${group.severity}`,
    code(group.id),
    plain(subjectList(group, enoughSubjects)),
    plain(group.summary),
    step === undefined ? '' : markdownFix(step),
  ];
}

function becauseOf({ outcome, findings: [{ ignoredBy, reason }] }: CheckGroup): string {
  if (outcome === 'known') return 'in the baseline';
  return `ignored by ${code(ignoredBy ?? '')}${reason === undefined ? '' : `: ${plain(reason)}`}`;
}

function unreadLines({ unread }: CheckReport): string[] {
  const resources = [...new Set(unread.map(({ resource, reason }) => `${resource} (${reason})`))];
  return resources.length === 0 ? [] : [`Not read: ${plain(resources.join(', '))}.`, ''];
}
