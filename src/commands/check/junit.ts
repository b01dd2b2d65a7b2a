import { contextFlag } from '../../core/kube/context-flag.ts';
import type { SourceContext } from '../../core/kube/snapshot.ts';
import { fails, ownChecks } from '../../core/report/check.ts';
import type { CheckReport, JudgedFinding } from '../../core/report/check.ts';
import { groupFindings, objectWords, subjectList, unreadWords } from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { fixLines } from '../../terminal/verdict/finding.ts';
import { renderJunit } from '../../terminal/junit.ts';
import type { TestCase } from '../../terminal/junit.ts';

const suite = 'kubectl csi check';
const enoughSubjects = 20;

/**
 * A test case for each reason and object, and a passed one for each check that found nothing. Its name is the object
 * alone, so that the history of a case shows when it failed. Findings that do not make the check fail pass, with their
 * text as output.
 */
export function renderCheckJunit(report: CheckReport): string {
  const groups = groupFindings(report.findings);
  const found = new Set(groups.map(({ id }) => id));
  const hasCause = groups.some(({ type, severity }) => type === 'cause' && severity === 'blocking');
  return renderJunit(suite, report.takenAt, [
    ...groups.flatMap((group) => group.findings.map((finding) => caseOf(finding, group, report))),
    ...report.unknown.map(({ object, summary }): TestCase => ({
      classname: suite,
      name: objectWords(object),
      outcome: { element: 'error', type: 'unknown', message: summary },
    })),
    ...(report.result === 'inconclusive' && report.unknown.length === 0 ? [blindCase(report)] : []),
    ...(report.source.contexts ?? []).flatMap(contextCases),
    ...(hasCause || report.result === 'inconclusive'
      ? []
      : [{ classname: `${suite}.stuck`, name: 'nothing is stuck' }]),
    ...ownChecks
      .filter(({ id }) => !found.has(id))
      .map(({ id }): TestCase => ({ classname: `${suite}.${id}`, name: 'nothing found' })),
  ]);
}

function caseOf(finding: JudgedFinding, group: CheckGroup, { failOn }: CheckReport): TestCase {
  const tested = { classname: `${suite}.${finding.id}`, name: objectWords(finding.object) };
  if (finding.outcome === 'ignored')
    return {
      ...tested,
      outcome: {
        element: 'skipped',
        message: `ignored by ${finding.ignoredBy ?? ''}${finding.reason === undefined ? '' : `: ${finding.reason}`}`,
      },
    };
  if (finding.outcome === 'known')
    return { ...tested, outcome: { element: 'skipped', message: `in the baseline: ${finding.summary}` } };
  const others = group.findings.length === 1 ? [] : [`all with this cause: ${subjectList(group, enoughSubjects)}`];
  const body = [...evidenceLines(finding), ...fixLines(finding.fix), ...others].join('\n');
  if (fails(finding, failOn))
    return { ...tested, outcome: { element: 'failure', type: finding.id, message: finding.summary, body } };
  return { ...tested, output: `${finding.severity}: ${finding.summary}\n${body}` };
}

function evidenceLines({ evidence }: JudgedFinding): string[] {
  return evidence.map(
    ({ object, path, value }) =>
      `${objectWords(object)}: ${[path, value].filter((part) => part !== undefined && part !== '').join(' = ')}`,
  );
}

/** A case for each of several clusters, under the same name whether it could be read or not. */
function contextCases({ name, status, message = '' }: SourceContext): TestCase[] {
  if (status === 'same') return [];
  const tested = { classname: `${suite}.contexts`, name: `${contextFlag(name)} can be read` };
  return [status === 'read' ? tested : { ...tested, outcome: { element: 'error', type: 'unread', message } }];
}

function blindCase({ unread }: CheckReport): TestCase {
  const resources = unreadWords(unread);
  return {
    classname: suite,
    name: 'everything needed can be read',
    outcome: { element: 'error', type: 'unread', message: `could not read ${resources.join(', ')}` },
  };
}
