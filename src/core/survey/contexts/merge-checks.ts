import type { CheckReport, CheckResult, JudgedFinding } from '../../report/check.ts';
import type { ContextAnswer, SeveralSources } from './context-answer.ts';
import {
  entriesInContext,
  filePrefixes,
  headOfContexts,
  readContexts,
  sentenceOf,
  sharedNamespace,
  sharedSentence,
  sumSummaries,
  unreadContexts,
} from './context-answer.ts';
import { findingInContext, placeOfFixes } from './fixes-in-context.ts';

const counted = ['blocking', 'warning', 'info', 'unknown', 'ignored', 'known', 'healthy'] as const;

/** The check of several clusters as one: each finding names its cluster, and what has the same reason is one group. */
export function mergeChecks(
  answers: readonly ContextAnswer<CheckReport>[],
  failOn: CheckReport['failOn'],
  sources: SeveralSources,
): CheckReport {
  const read = readContexts(answers);
  const prefixes = filePrefixes(answers.map(({ context }) => context));
  const each = <Entry extends object>(entriesOf: (document: CheckReport) => readonly Entry[]) =>
    entriesInContext(read, entriesOf);
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'CheckReport',
    ...headOfContexts(answers, sources, ({ summary }) => summary),
    ...sharedNamespace(read),
    failOn,
    result: resultOf(answers),
    findings: findingsOf(read, prefixes, sources.kubeconfig),
    unknown: each(({ unknown }) => unknown).map((entry) => ({
      ...entry,
      object: { ...entry.object, context: entry.context },
    })),
    unread: [...unreadContexts(answers, 'what is wrong in this cluster'), ...each(({ unread }) => unread)],
    drivers: each(({ drivers }) => drivers),
    unusedIgnores: unusedInAll(read.map(({ document }) => document.unusedIgnores)),
    gone: each(({ gone }) => gone),
    summary: sumSummaries(read, counted),
  };
}

/** What is proven in one cluster outweighs what could not be read in another. */
function resultOf(answers: readonly ContextAnswer<CheckReport>[]): CheckResult {
  const results = readContexts(answers).map(({ document }) => document.result);
  if (results.includes('failed')) return 'failed';
  return results.includes('inconclusive') || answers.some(({ type }) => type === 'unread') ? 'inconclusive' : 'passed';
}

const rank = { blocking: 0, warning: 1, info: 2 } as const;

function findingsOf(
  read: readonly { readonly context: string; readonly document: CheckReport }[],
  prefixes: ReadonlyMap<string, string>,
  kubeconfig: string | undefined,
): JudgedFinding[] {
  const own = read.flatMap(({ context, document: { findings } }) => {
    const place = placeOfFixes({ kubeconfig, context }, prefixes.get(context) ?? '', findings);
    return findings.map((finding) => ({
      context,
      ...findingInContext(finding, place),
      object: { ...finding.object, context },
    }));
  });
  const keyOf = ({ id, severity, outcome, group }: JudgedFinding): string =>
    `${id}|${severity}|${outcome}|${sharedSentence(group)}`;
  const groups = [...Map.groupBy(own, keyOf).values()].map((same) => {
    const group = sentenceOf(same.map(({ context, group: sentence }) => ({ context, sentence })));
    return same.map((finding): JudgedFinding => ({ ...finding, group }));
  });
  // The order of one cluster: the worst first, then what concerns most objects.
  return groups.toSorted((one, other) => severityOf(one) - severityOf(other) || other.length - one.length).flat();
}

function severityOf([first]: readonly JudgedFinding[]): number {
  return first === undefined ? 0 : rank[first.severity];
}

/** An entry that ignores something in one cluster is of use. */
function unusedInAll(lists: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = lists;
  return first.filter((entry) => others.every((list) => list.includes(entry)));
}
