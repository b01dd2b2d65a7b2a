import { diagnose } from '../../core/engine/diagnose.ts';
import type { Diagnosis } from '../../core/engine/diagnose.ts';
import { graphOf } from '../../core/graph/cluster-graph.ts';
import { Inquiry } from '../../core/graph/inquiry.ts';
import type { Unanswered } from '../../core/graph/inquiry.ts';
import { namespacePresence } from '../../core/graph/namespace-presence.ts';
import { needsOf } from '../../core/graph/unread.ts';
import { resourceOf, shortNameOf } from '../../core/kube/resources.ts';
import type { TargetRef } from '../../core/kube/selection.ts';
import { scopeKey } from '../../core/kube/snapshot.ts';
import type { Need, Snapshot, Source } from '../../core/kube/snapshot.ts';
import type { WaitState, Wish } from '../../core/report/wait.ts';
import { assessGoal } from './goal.ts';
import { judgeProspect } from './prospect.ts';
import type { WaitSubject } from './plan.ts';

/** The answer of one look at the cluster. */
export interface WaitAnswer {
  readonly takenAt: string;
  readonly source: Source;
  readonly states: readonly WaitState[];
  /** Why the objects that --all or a selector chooses could not be listed. */
  readonly unlisted?: { readonly message: string; readonly isRefused: boolean };
  readonly needs: readonly Need[];
  /** Set when what is waited for is absent because its namespace is: similar names. */
  readonly noNamespace?: readonly string[];
  /** The report on some of the targets, as `why` gives it. */
  readonly explain: (targets: readonly TargetRef[]) => Diagnosis;
  /** What it was given from. */
  readonly snapshot: Snapshot;
}

export interface WaitQuestion {
  readonly subject: WaitSubject;
  /** Absent: everywhere. */
  readonly namespace: string | undefined;
  /** Targets that have reached their goal already. */
  readonly isDone: (target: TargetRef) => boolean;
  /** The objects that existed when a wait for deletion began; later ones of the same name do not count. */
  readonly uids: ReadonlyMap<string, Wish>;
}

export function targetKey({ kind, namespace, name }: TargetRef): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** Goals and verdicts from one snapshot; only targets that have not reached their goal are diagnosed. */
export function askWait(snapshot: Snapshot, question: WaitQuestion): WaitAnswer {
  const graph = graphOf(snapshot);
  const search = new Inquiry(graph);
  const wishes = wishesOf(search, question).filter(({ target }) => !question.isDone(target));
  const unanswered: Unanswered[] = [...search.unanswered];
  const assessed = wishes.map((wish) => {
    const ask = new Inquiry(graph);
    const goal = assessGoal(ask, wish);
    unanswered.push(...ask.unanswered);
    return { wish, goal };
  });
  const open = assessed.filter(({ goal }) => goal.state !== 'reached' || goal.isDoubtful);
  const diagnosis = diagnose(snapshot, { targets: open.map(({ wish }) => wish.target) });
  const items = new Map(diagnosis.report.items.map((item) => [targetKey(item.target as TargetRef), item]));
  const unlisted = unlistedOf(search);
  const states = assessed.map(({ wish, goal }) => judgeProspect(wish, goal, items.get(targetKey(wish.target))));
  const place = new Inquiry(graph);
  const noNamespace = noNamespaceOf(place, question, states);
  unanswered.push(...place.unanswered);
  return {
    takenAt: snapshot.takenAt,
    source: snapshot.source,
    states,
    ...(unlisted && { unlisted }),
    ...(noNamespace && { noNamespace }),
    needs: [
      ...new Map(
        [...needsOf(unanswered), ...diagnosis.needs].map((need) => [scopeKey(need.kind, need.scope), need]),
      ).values(),
    ],
    explain: (targets) => diagnose(snapshot, { targets }),
    snapshot,
  };
}

/** What is absent, or has yet to appear, may be waited for in a misspelt namespace. */
function noNamespaceOf(
  place: Inquiry,
  { subject, namespace }: WaitQuestion,
  states: readonly WaitState[],
): readonly string[] | undefined {
  const isAbsent =
    subject.type === 'named'
      ? states.some(({ prospect, wish }) => prospect === 'absent' && wish.target.namespace !== undefined)
      : states.length === 0 && subject.goal !== 'deleted' && resourceOf(subject.kind).namespaced;
  if (!isAbsent || namespace === undefined) return undefined;
  const presence = namespacePresence(place, namespace);
  return presence.state === 'missing' ? presence.near : undefined;
}

function wishesOf(search: Inquiry, { subject, namespace, uids }: WaitQuestion): Wish[] {
  if (subject.type === 'named') {
    return subject.targets.map(({ kind, name, goal }) => {
      const target: TargetRef = {
        kind,
        name,
        ...(resourceOf(kind).namespaced && { namespace: namespace ?? 'default' }),
      };
      return uids.get(targetKey(target)) ?? { target, goal };
    });
  }
  // A wait for deletion is about the objects that existed when it began.
  if (subject.goal === 'deleted' && uids.size > 0) return [...uids.values()];
  const { kind, goal, labelSelector } = subject;
  const place = resourceOf(kind).namespaced ? namespace : undefined;
  const needed = `which ${resourceOf(kind).name} exist`;
  const { items } = labelSelector
    ? search.listLabelled(kind, place, labelSelector, needed)
    : search.list(kind, place, needed);
  return items.map(({ metadata }) => ({
    target: { kind, name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) },
    goal,
  }));
}

function unlistedOf(search: Inquiry): WaitAnswer['unlisted'] {
  const [first] = search.unanswered;
  if (first === undefined) return undefined;
  const { state, message } = first.observation;
  return {
    message: `${first.needed} could not be read${message === undefined ? '' : `: ${message}`}`,
    isRefused: state === 'denied',
  };
}

/** What is certainly needed, and is read in the first round. */
export function seedsOf({ subject, namespace }: WaitQuestion): Need[] {
  if (subject.type === 'chosen') return [];
  return subject.targets.map(({ kind, name, goal }) => ({
    kind,
    scope: { ...(resourceOf(kind).namespaced && { namespace: namespace ?? 'default' }), name },
    needed: `whether ${shortNameOf(kind)}/${name} is ${goal}`,
  }));
}
