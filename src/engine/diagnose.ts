import type { Rule } from '../journey/rule.ts';
import type { StatefulSet } from '../model/kinds.ts';
import type { Report, ReportItem, Unread } from '../model/report.ts';
import type { Selection, TargetRef } from '../model/selection.ts';
import { scopeKey } from '../model/snapshot.ts';
import type { Need, Snapshot } from '../model/snapshot.ts';
import { nearNames } from '../model/names.ts';
import { rules as allRules } from '../causes/index.ts';
import { ClusterGraph } from '../graph/cluster-graph.ts';
import { Inquiry } from '../graph/inquiry.ts';
import type { Unanswered } from '../graph/inquiry.ts';
import { ClaimCase } from '../journey/claim-case.ts';
import { claimsExpectedBy } from '../journey/expectation.ts';
import { planJourney } from '../journey/plan.ts';
import type { Journey } from '../journey/plan.ts';
import { PodCase } from '../journey/pod-case.ts';
import { describeUnread, foldCauses, itemOf } from './report-item.ts';
import type { Judged } from './report-item.ts';
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
export function diagnose(snapshot: Snapshot, selection: Selection, rules: readonly Rule[] = allRules): Diagnosis {
  const graph = new ClusterGraph(snapshot);
  const search = new Inquiry(graph);
  const targets = selection.targets ?? findStuck(search, selection);
  const judged: Judged[] = [];
  const notFound: { readonly target: TargetRef; readonly near: readonly string[] }[] = [];
  const unanswered: Unanswered[] = [...search.unanswered];
  for (const target of targets) {
    const ask = new Inquiry(graph);
    const journeys = journeysOf(ask, target);
    if (journeys.length === 0) notFound.push({ target, near: nearNames(target.name, graph.all(target.kind).filter((object) => object.metadata.namespace === target.namespace).map((object) => object.metadata.name)) });
    else judged.push(itemOf(target, journeys.map((journey) => judgeJourney(journey, rules, ask)), ask));
    unanswered.push(...ask.unanswered);
  }
  const unseen = selection.targets ? [] : unseenBySearch(graph, selection);
  const passedOver = selection.targets ? 0 : countBound(graph, selection);
  return { report: reportOf(snapshot, judged, unseen, passedOver), needs: needsOf(unanswered), notFound };
}

/** A claim has one journey with all its pods; a pod has one with each of its claims. None: the target does not exist. */
function journeysOf(ask: Inquiry, target: TargetRef): Journey[] {
  const namespace = target.namespace ?? '';
  if (target.kind === 'Pod') {
    const pod = ask.get('Pod', namespace, target.name, `whether pod/${target.name} exists`);
    if (pod.state === 'found') {
      const subject = new PodCase(ask, pod.object);
      if (subject.claims.length === 0) return [planJourney('pod', undefined, [subject])];
      return subject.claims.map((claim) => planJourney('pod', claim, [subject]));
    }
    if (pod.state === 'unknown') {
      // A dump without any pod may hold the set that should have made this one.
      const expected = ask.graph.coverage.of('Pod', { namespace, name: target.name }).state === 'unread' ? claimsOfUnmadePod(ask.graph.inNamespace('StatefulSet', namespace), target.name) : [];
      return expected.length > 0 ? expected.map((name) => planJourney('pod', new ClaimCase(ask, namespace, name), [])) : [planJourney('pod', undefined, [])];
    }
    const unmade = claimsOfUnmadePod(ask.list('StatefulSet', namespace, `whether a StatefulSet expects pod/${target.name}`).items, target.name);
    // Whoever would make it may be hidden from us: then nobody can say that the pod is not expected.
    if (unmade.length === 0 && ['denied', 'failed'].includes(ask.graph.coverage.of('StatefulSet', { namespace }).state)) return [planJourney('pod', undefined, [])];
    return unmade.map((name) => planJourney('pod', new ClaimCase(ask, namespace, name), []));
  }
  const claim = new ClaimCase(ask, namespace, target.name);
  if (claim.lookup.state === 'missing') {
    const { expectation } = claim;
    if (expectation.pods.length === 0 && expectation.sets.length === 0 && !expectation.isHidden) return [];
    return [planJourney('claim', claim, expectation.pods.map((pod) => new PodCase(ask, pod, [claim])))];
  }
  const pods = claim.claim ? claim.consumers.items.map((pod) => new PodCase(ask, pod, [claim])) : [];
  return [planJourney('claim', claim, pods)];
}

/** A StatefulSet makes the claims of a pod before the pod: if a claim is refused, there is no pod to ask about. */
function claimsOfUnmadePod(sets: readonly StatefulSet[], podName: string): string[] {
  return sets.flatMap((set) => claimsExpectedBy(set).filter(({ expectation }) => expectation.podName === podName).map(({ name }) => name));
}

/** A search that may not list claims or pods has not found that nothing is stuck. A partial list is a search that read what is stuck only. */
function unseenBySearch(graph: ClusterGraph, selection: Selection): Unread[] {
  const unseen = searchedScopes(selection).map((question) => ({ ...question, observation: graph.coverage.of(question.kind, question.scope) }));
  // A dump without StatefulSets is usual; a refusal to list them is not.
  const isHidden = ({ kind, observation: { state } }: (typeof unseen)[number]): boolean => state === 'denied' || state === 'failed' || (state === 'unread' && kind !== 'StatefulSet');
  return describeUnread(unseen.filter(isHidden));
}

function reportOf(snapshot: Snapshot, judged: readonly Judged[], unread: readonly Unread[], passedOver: number): Report {
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
    summary: { blocked: count('blocked'), waiting: count('waiting'), healthy: count('healthy') + passedOver, unknown: count('unknown') },
  };
}

function needsOf(unanswered: readonly Unanswered[]): Need[] {
  const needs = new Map<string, Need>();
  for (const { kind, scope, needed, wasAsked } of unanswered) if (!wasAsked) needs.set(scopeKey(kind, scope), { kind, scope, needed });
  return [...needs.values()];
}
