import type { ClusterChoice } from '../../kube/context-flag.ts';
import type { Report, ReportCause, ReportItem } from '../../report/report.ts';
import type { ContextAnswer, SeveralSources } from './context-answer.ts';
import {
  entriesInContext,
  filePrefixes,
  headOfContexts,
  inContext,
  readContexts,
  sentenceOf,
  sharedSentence,
  sumSummaries,
  unreadContexts,
} from './context-answer.ts';
import { findingInContext, placeOfFixes } from './fixes-in-context.ts';

/** The reports of several clusters as one: each item names its cluster, and a cause that several share is one. */
export function mergeReports(answers: readonly ContextAnswer<Report>[], sources: SeveralSources): Report {
  const { kubeconfig } = sources;
  const read = readContexts(answers);
  const prefixes = filePrefixes(answers.map(({ context }) => context));
  const items = read.flatMap(({ context, document }) =>
    document.items.map((item) => itemInContext(item, { kubeconfig, context }, prefixes.get(context) ?? '')),
  );
  const unread = [
    ...unreadContexts(answers, 'what is stuck in this cluster'),
    ...entriesInContext(read, ({ unread: own = [] }) => own),
  ];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Report',
    ...headOfContexts(answers, sources, ({ summary }) => summary),
    items,
    causes: foldCauses(read),
    ...(unread.length > 0 && { unread }),
    summary: sumSummaries(read, ['blocked', 'waiting', 'healthy', 'unknown']),
  };
}

function itemInContext(
  item: ReportItem,
  choice: ClusterChoice & { readonly context: string },
  prefix: string,
): ReportItem {
  const { context } = choice;
  const place = placeOfFixes(choice, prefix, item.findings);
  return {
    context,
    ...item,
    target: { ...item.target, context },
    findings: item.findings.map((finding) => findingInContext(finding, place)),
    unread: item.unread.map(inContext(context)),
  };
}

function foldCauses(read: readonly { readonly context: string; readonly document: Report }[]): ReportCause[] {
  const own = read.flatMap(({ context, document }) =>
    document.causes.map((cause) => ({ ...cause, context, sentence: cause.summary })),
  );
  return [...Map.groupBy(own, ({ cause, sentence }) => `${cause}|${sharedSentence(sentence)}`).values()].flatMap(
    (same): ReportCause[] => {
      const [first] = same;
      if (first === undefined) return [];
      return [
        {
          cause: first.cause,
          summary: sentenceOf(same),
          targets: same.flatMap(({ targets, context }) => targets.map((target) => ({ ...target, context }))),
        },
      ];
    },
  );
}
