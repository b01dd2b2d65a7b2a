import type { RulesOfStage } from '../causes/lib/rule.ts';
import type { Report, ReportItem, Unread } from '../report/report.ts';
import type { Selection, TargetRef } from '../kube/selection.ts';
import type { Need, Snapshot } from '../kube/snapshot.ts';
import { nearNames } from '../kube/names.ts';
import { rulesOfStage } from '../causes/index.ts';
import { graphOf } from '../graph/cluster-graph.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import { Inquiry } from '../graph/inquiry.ts';
import type { Unanswered } from '../graph/inquiry.ts';
import { describeUnread, needsOf } from '../graph/unread.ts';
import { foldCauses, itemOf } from './report-item.ts';
import type { Judged } from './report-item.ts';
import { journeysOf } from './journeys.ts';
import { countBound, findStuck, searchedScopes } from './targets.ts';
import { judgeJourney } from './verdict.ts';

export interface Diagnosis {
  readonly report: Report;
  /** What the snapshot could not answer and nobody has asked yet: read it, and diagnose again. */
  readonly needs: readonly Need[];
  /** Named targets that do not exist and that nobody expects. */
  readonly notFound: readonly { readonly target: TargetRef; readonly near: readonly string[] }[];
}

/** The whole judgement: pure, from a snapshot to a report. */
export function diagnose(snapshot: Snapshot, selection: Selection, rules: RulesOfStage = rulesOfStage): Diagnosis {
  const graph = graphOf(snapshot);
  const search = new Inquiry(graph);
  const targets = selection.targets ?? findStuck(search, selection);
  const judged: Judged[] = [];
  const notFound: { readonly target: TargetRef; readonly near: readonly string[] }[] = [];
  const unanswered = new Map<string, Unanswered>();
  search.addOpenTo(unanswered);
  for (const target of targets) {
    const ask = new Inquiry(graph);
    const journeys = journeysOf(ask, target);
    if (journeys.length === 0)
      notFound.push({
        target,
        near: nearNames(
          target.name,
          graph
            .all(target.kind)
            .filter((object) => object.metadata.namespace === target.namespace)
            .map((object) => object.metadata.name),
        ),
      });
    else
      judged.push(
        itemOf(
          target,
          journeys.map((journey) => judgeJourney(journey, rules, ask)),
          ask,
        ),
      );
    ask.addOpenTo(unanswered);
  }
  const unseen = selection.targets ? [] : unseenBySearch(graph, selection);
  const passedOver = selection.targets ? 0 : countBound(graph, selection);
  let needs: readonly Need[] | undefined;
  return {
    report: reportOf(snapshot, judged, unseen, passedOver),
    // Nobody reads on for a dump.
    get needs() {
      return (needs ??= needsOf([...unanswered.values()]));
    },
    notFound,
  };
}

/** A search that may not list claims or pods has not found that nothing is stuck. A partial list is a search that read what is stuck only. */
function unseenBySearch(graph: ClusterGraph, selection: Selection): Unread[] {
  const unseen = searchedScopes(selection).map((question) => ({
    ...question,
    observation: graph.coverage.of(question.kind, question.scope),
  }));
  // A dump without StatefulSets or snapshots is usual; a refusal to list them is not.
  const isHidden = ({ kind, observation: { state } }: (typeof unseen)[number]): boolean =>
    state === 'denied' ||
    state === 'failed' ||
    (state === 'unread' && (kind === 'PersistentVolumeClaim' || kind === 'Pod'));
  return describeUnread(unseen.filter(isHidden));
}

function reportOf(
  snapshot: Snapshot,
  judged: readonly Judged[],
  unread: readonly Unread[],
  passedOver: number,
): Report {
  const items = judged.map(({ item }) => item);
  const count = (status: ReportItem['status']): number => items.filter((item) => item.status === status).length;
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Report',
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    items,
    causes: foldCauses(judged),
    ...(unread.length > 0 && { unread }),
    summary: {
      blocked: count('blocked'),
      waiting: count('waiting'),
      healthy: count('healthy') + passedOver,
      unknown: count('unknown'),
    },
  };
}
