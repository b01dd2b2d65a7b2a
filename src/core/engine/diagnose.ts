import type { RulesOfStage } from '../causes/lib/rule.ts';
import type { Report, ReportItem, Unread } from '../report/report.ts';
import type { Selection, TargetRef } from '../kube/selection.ts';
import { onlySomeInDump } from '../kube/snapshot.ts';
import type { Need, Snapshot } from '../kube/snapshot.ts';
import type { LogNeed } from '../kube/container-log.ts';
import { nearNames } from '../kube/names.ts';
import { rulesOfStage } from '../causes/index.ts';
import { deriveGraph, graphOf } from '../graph/cluster-graph.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import { Inquiry } from '../graph/inquiry.ts';
import { namespacePresence } from '../graph/namespace-presence.ts';
import type { NamespacePresence } from '../graph/namespace-presence.ts';
import { describeUnread, needsOf, unmeasuredUsage } from '../graph/unread.ts';
import { TargetJudge } from './judge-target.ts';
import type { LogConsultant } from './judge-target.ts';
import type { KeptVerdicts } from './kept-verdicts.ts';
import { foldCauses } from './report-item.ts';
import type { Judged } from './report-item.ts';
import { countBound, findStuck, searchedScopes } from './targets.ts';
import { isWorkload, membersOf } from './workload-members.ts';

export { KeptVerdicts } from './kept-verdicts.ts';

export interface Diagnosis {
  readonly report: Report;
  /** What was judged. */
  readonly snapshot: Snapshot;
  /** What the snapshot could not answer and was not read yet: read it, and diagnose again. */
  readonly needs: readonly Need[];
  /** Logs that would show more, if a consultant was passed. */
  readonly logNeeds: readonly LogNeed[];
  /** Named targets that do not exist and that no other object expects. */
  readonly notFound: readonly NotFound[];
  /** Set when the namespace of a search does not exist: similar names. */
  readonly noNamespace?: readonly string[];
}

interface NotFound {
  readonly target: TargetRef;
  /** Names of existing objects that may have been intended. */
  readonly near: readonly string[];
  /** Set when its namespace does not exist: similar names. */
  readonly noNamespace?: readonly string[];
}

/** The whole diagnosis: pure, from a snapshot to a report. */
export function diagnose(
  snapshot: Snapshot,
  selection: Selection,
  rules: RulesOfStage = rulesOfStage,
  consult?: LogConsultant,
  kept?: KeptVerdicts,
): Diagnosis {
  kept?.begin(snapshot, rules);
  const graph = graphOf(snapshot);
  const search = new Inquiry(graph);
  const { targets, suspects, surroundings, unmeasured } = selection.targets
    ? { targets: selection.targets, suspects: [], surroundings: [], unmeasured: [] }
    : findStuck(search, selection);
  const judged: Judged[] = [];
  const notFound: NotFound[] = [];
  const judge = new TargetJudge(graph, rules, { consult, kept });
  /** A workload is judged by its pods and claims. */
  const expandWorkload = (target: TargetRef): readonly TargetRef[] => {
    if (!isWorkload(target.kind)) return [target];
    const members = membersOf(search, target.kind, target);
    if (members.isMissing) notFound.push(notFoundOf(target, search));
    if (members.withoutPods) judged.push({ item: members.withoutPods, foldKey: undefined });
    return members.targets;
  };
  for (const target of targets.flatMap((named) => expandWorkload(named))) {
    const verdict = judge.judge(target);
    if (verdict) judged.push(verdict);
    else notFound.push(notFoundOf(target, search));
  }
  judged.push(...suspects.flatMap((target) => judge.judge(target) ?? []).filter(({ item }) => isWrong(item)));
  const named = new Set(judged.filter(({ item }) => item.status === 'blocked').map(({ foldKey }) => foldKey));
  for (const target of surroundings) {
    const verdict = judge.judge(target);
    if (verdict?.item.status !== 'blocked' || named.has(verdict.foldKey)) continue;
    named.add(verdict.foldKey);
    judged.push(verdict);
  }
  const boundCount = selection.targets ? 0 : countBound(graph, selection);
  const isEmpty =
    selection.targets === undefined && judged.length === 0 && boundCount === 0 && isSearched(search, selection);
  const presence = isEmpty ? placeOfSearch(search, selection) : undefined;
  const unread = selection.targets
    ? []
    : [...unreadBySearch(graph, selection, presence), ...unmeasuredUsage(graph, unmeasured)];
  search.addOpenTo(judge.unanswered);
  let needs: readonly Need[] | undefined;
  return {
    report: reportOf(snapshot, judged, unread, boundCount),
    snapshot,
    // Computed on demand: a diagnosis of a dump never uses them.
    get needs() {
      return (needs ??= needsOf([...judge.unanswered.values()]));
    },
    logNeeds: [...judge.logNeeds.values()],
    notFound,
    ...(presence?.state === 'missing' && { noNamespace: presence.near }),
  };
}

/**
 * The diagnosis of a snapshot with mostly the same objects as an earlier one: each kind that has not changed is cut and
 * indexed once.
 */
export function diagnoseAfter(
  earlier: Snapshot | undefined,
  snapshot: Snapshot,
  selection: Selection,
  { consult, kept }: { readonly consult?: LogConsultant; readonly kept?: KeptVerdicts | undefined } = {},
): Diagnosis {
  if (earlier && earlier !== snapshot) deriveGraph(snapshot, earlier);
  return diagnose(snapshot, selection, rulesOfStage, consult, kept);
}

/** A pod that could not be judged may be stuck; an object that looks well is stuck only if that is proven. */
function isWrong({ status, target }: ReportItem): boolean {
  return status === 'blocked' || (status === 'unknown' && target.kind === 'Pod');
}

/** Before claims have been read, an empty list of claims proves nothing. */
function isSearched(search: Inquiry, selection: Selection): boolean {
  const [claims] = searchedScopes(selection);
  return claims !== undefined && !search.isUnasked(claims.kind, claims.scope);
}

/** Only a search that found nothing raises the question whether its namespace exists. */
function placeOfSearch(search: Inquiry, { namespace }: Selection): NamespacePresence | undefined {
  return namespace === undefined ? undefined : namespacePresence(search, namespace);
}

function notFoundOf(target: TargetRef, search: Inquiry): NotFound {
  const presence = placeOfSearch(search, target);
  return {
    target,
    near: namesNear(target, search.graph),
    ...(presence?.state === 'missing' && { noNamespace: presence.near }),
  };
}

function namesNear(target: TargetRef, graph: ClusterGraph): readonly string[] {
  const names = graph
    .all(target.kind)
    .filter((object) => object.metadata.namespace === target.namespace)
    .map((object) => object.metadata.name);
  return nearNames(target.name, names);
}

/**
 * A search that could not list claims or pods cannot say that nothing is stuck. A partial list of a cluster is fine: it
 * holds what is stuck. That of a dump holds whatever somebody has chosen.
 */
function unreadBySearch(graph: ClusterGraph, selection: Selection, presence: NamespacePresence | undefined): Unread[] {
  const scopes = [...searchedScopes(selection), ...surroundingScopes(selection)];
  const name = presence?.state === 'unverified' ? selection.namespace : undefined;
  const questions = [
    ...scopes,
    // An empty list proves nothing as long as the namespace may be misspelt.
    ...(name === undefined
      ? []
      : [{ kind: 'Namespace', scope: { name }, needed: `whether namespace ${name} exists` } as const]),
  ].map((question) => ({ ...question, observation: graph.coverage.of(question.kind, question.scope) }));
  // Dumps without StatefulSets or snapshots are common; a refusal to list them is not.
  const isHidden = ({ kind, observation: { state, message } }: (typeof questions)[number]): boolean =>
    state === 'denied' ||
    state === 'failed' ||
    ((state === 'unread' || message === onlySomeInDump) && (kind === 'PersistentVolumeClaim' || kind === 'Pod'));
  return describeUnread(questions.filter(isHidden));
}

/** Drivers, classes and nodes are judged only in a search of everything: what is wrong with them may be in these. */
function surroundingScopes({ breadth, namespace, labelSelector }: Selection): ReturnType<typeof searchedScopes> {
  if (breadth !== 'everything' || namespace !== undefined || labelSelector) return [];
  return [
    { kind: 'CSIDriver', scope: {}, needed: 'which drivers are installed' },
    { kind: 'StorageClass', scope: {}, needed: 'which classes there are' },
    { kind: 'CSINode', scope: {}, needed: 'which drivers are registered on which nodes' },
  ];
}

function reportOf(
  snapshot: Snapshot,
  judged: readonly Judged[],
  unread: readonly Unread[],
  boundCount: number,
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
      healthy: count('healthy') + boundCount,
      unknown: count('unknown'),
    },
  };
}
