import { fails } from '../../core/report/check.ts';
import type { CheckReport } from '../../core/report/check.ts';
import { clusterWords, groupFindings, objectWords, subjectList, unreadWords } from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { verdictWords } from '../../terminal/check/verdict.ts';
import { workflowCommand } from '../../terminal/github.ts';
import { fixLine } from '../../terminal/verdict/finding.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';

const enoughSubjects = 5;

/** One workflow command for each reason, and of each level no more than GitHub shows: the last one names the rest. */
export function renderCheckGithub(untrusted: CheckReport): string {
  const report = sanitiseReport(untrusted);
  const { unknown, unread, result } = report;
  const fresh = groupFindings(report.findings).filter(
    ({ outcome, severity }) => outcome === 'new' && severity !== 'info',
  );
  const resources = unreadWords(unread);
  const lost = (report.source.contexts ?? []).filter(({ status }) => status === 'unread');
  const annotations: readonly Annotation[] = [
    ...fresh.map((group): Annotation => ({
      level: fails(group.findings[0], report.failOn) ? 'error' : 'warning',
      title: group.id,
      message: messageOf(group, report),
    })),
    ...unknown.map(({ object, summary }): Annotation => ({
      level: 'warning',
      title: 'not known',
      message: `${objectWords(object)}: ${summary}`,
    })),
    ...lost.map(({ name, message = '' }): Annotation => ({
      level: 'error',
      title: `${name} could not be read`,
      message,
    })),
    ...(result === 'inconclusive' && lost.length === 0 && unknown.length === 0
      ? [{ level: 'error', title: 'inconclusive', message: `could not read ${resources.join(', ')}` } as const]
      : []),
  ];
  return [...levels.flatMap((level) => commandsOf(level, annotations)), verdictWords(report), ''].join('\n');
}

interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
}

const levels = ['error', 'warning'] as const;

/** GitHub shows only the first ten of a level in a step, and drops the others without a word. */
const shownPerLevel = 10;

function commandsOf(level: Annotation['level'], all: readonly Annotation[]): string[] {
  const own = all.filter((annotation) => annotation.level === level);
  const shown = own.length > shownPerLevel ? own.slice(0, shownPerLevel - 1) : own;
  const rest = own.slice(shown.length);
  return [
    ...shown.map(({ title, message }) => workflowCommand(level, title, message)),
    ...(rest.length === 0
      ? []
      : [workflowCommand(level, `${rest.length} more`, rest.map(({ title }) => title).join(', '))]),
  ];
}

function messageOf(group: CheckGroup, { source }: CheckReport): string {
  const [step] = group.findings[0].fix;
  const fix = step === undefined ? [] : [`fix: ${fixLine(step)}`];
  const clusters = clusterWords(group, source, enoughSubjects);
  return [group.summary, ...(clusters === '' ? [] : [clusters]), subjectList(group, enoughSubjects), ...fix].join('\n');
}
