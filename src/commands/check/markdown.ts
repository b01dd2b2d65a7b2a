import type { SourceContext } from '../../core/kube/snapshot.ts';
import type { CheckReport } from '../../core/report/check.ts';
import { clusterWords, groupFindings, objectWords, subjectList, unreadWords } from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { verdictWords } from '../../terminal/check/verdict.ts';
import {
  markdownCode as code,
  markdownFix,
  markdownTable as table,
  markdownText as plain,
} from '../../terminal/markdown.ts';
import { isWholeCluster } from '../../terminal/verdict/contexts.ts';
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
    ...table(
      ['', 'what', 'objects', 'why', 'fix'],
      fresh.map((group) => rowOf(group, report)),
    ),
    ...table(
      ['not known', 'why'],
      report.unknown.map(({ object, summary }) => [code(objectWords(object)), plain(summary)]),
    ),
    ...table(
      ['not counted', 'objects', 'because'],
      aside.map((group) => [code(group.id), plain(subjectList(group, enoughSubjects)), becauseOf(group)]),
    ),
    ...contextLines(report),
    ...unreadLines(report),
  ].join('\n');
}

function rowOf(group: CheckGroup, { source }: CheckReport): string[] {
  const clusters = clusterWords(group, source, enoughSubjects);
  const [step] = group.findings[0].fix;
  return [
    `${icons[group.severity]} ${group.severity}`,
    code(group.id),
    plain(subjectList(group, enoughSubjects)),
    plain(clusters === '' ? group.summary : `${group.summary} (${clusters})`),
    step === undefined ? '' : markdownFix(step),
  ];
}

function becauseOf({ outcome, findings: [{ ignoredBy, reason }] }: CheckGroup): string {
  if (outcome === 'known') return 'in the baseline';
  return `ignored by ${code(ignoredBy ?? '')}${reason === undefined ? '' : `: ${plain(reason)}`}`;
}

/** What became of each of several clusters. */
function contextLines({ source: { contexts = [] } }: CheckReport): string[] {
  return table(
    ['cluster', 'blocking', 'warnings', 'not known', 'remarks'],
    contexts.map(({ name, status, summary = {}, message = '', sameAs = '' }) => [
      code(name),
      ...['blocking', 'warning', 'unknown'].map((state) => (status === 'read' ? String(summary[state] ?? '') : '')),
      plain(remarkOf(status, message, sameAs)),
    ]),
  );
}

function remarkOf(status: SourceContext['status'], message: string, sameAs: string): string {
  if (status === 'same') return `the same cluster as ${sameAs}`;
  return status === 'unread' ? `could not be read: ${message}` : message;
}

function unreadLines({ unread }: CheckReport): string[] {
  const resources = unreadWords(unread.filter((entry) => !isWholeCluster(entry)));
  return resources.length === 0 ? [] : [`Not read: ${plain(resources.join(', '))}.`, ''];
}
