import type { ObjectOf, Pod } from '../../../kube/kinds.ts';
import { matchesLabelSelector } from '../../../kube/selectors.ts';
import { field, fix, shellWord } from '../../../facts/evidence.ts';
import type { Evidence, ObjectRef } from '../../../report/report.ts';
import { isReady } from '../../../facts/pod/pod-state.ts';
import { plainRef } from './future.ts';
import type { Departure, Future } from './future.ts';
import { count } from './leave-node.ts';

type Budget = ObjectOf<'PodDisruptionBudget'>;

/** How PodDisruptionBudgets treat the evictions of a drain. */
export function judgeEvictions(f: Future, departures: readonly Departure[], stuck: ReadonlySet<Pod>): void {
  const evicted = departures.filter(({ why }) => why === 'drained').map(({ pod }) => pod);
  if (evicted.length === 0) return;
  const budgets = f.before.list(
    'PodDisruptionBudget',
    undefined,
    'whether a PodDisruptionBudget blocks an eviction',
  ).items;
  const byPod = new Map<Pod, Budget[]>();
  for (const budget of budgets) {
    const covered = evicted.filter((pod) => covers(budget, pod));
    for (const pod of covered) byPod.set(pod, [...(byPod.get(pod) ?? []), budget]);
    if (covered.length > 0) judgeBudget(f, budget, covered, stuck);
  }
  const twice = evicted.filter((pod) => (byPod.get(pod) ?? []).length > 1);
  if (twice.length > 0)
    f.add({
      effect: 'refused',
      severity: 'breaks',
      summary:
        `${count(twice.length, 'pod')} cannot be evicted, because more than one PodDisruptionBudget selects ` +
        `${twice.length === 1 ? 'it' : 'them'}. The drain does not end.`,
      objects: twice.map(plainRef),
      evidence: (byPod.get(twice[0] as Pod) ?? []).map((budget) => field(budget, 'spec.selector')),
      prevention: [fix('Let each pod be selected by one PodDisruptionBudget only.')],
    });
}

/** An empty selector of policy/v1 covers every pod of the namespace. */
function covers({ metadata, spec }: Budget, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace && matchesLabelSelector(spec?.selector, pod.metadata.labels ?? {})
  );
}

function judgeBudget(f: Future, budget: Budget, covered: readonly Pod[], stuck: ReadonlySet<Pod>): void {
  // A pod that is not ready may be evicted while the budget is met (IfHealthyBudget).
  const ready = covered.filter(isReady);
  const { disruptionsAllowed, currentHealthy, desiredHealthy } = budget.status ?? {};
  if (ready.length === 0) return;
  const name = `pdb/${budget.metadata.name} in namespace ${budget.metadata.namespace ?? ''}`;
  const evidence = [
    field(budget, 'status.disruptionsAllowed', disruptionsAllowed),
    field(budget, 'status.currentHealthy', currentHealthy),
    field(budget, 'status.desiredHealthy', desiredHealthy),
  ];
  const objects = [plainRef(budget), ...ready.map(plainRef)];
  if (disruptionsAllowed === undefined) {
    f.add({
      effect: 'refused',
      severity: 'breaks',
      confidence: 'possible',
      summary: `${name} has no status, so it is not known whether ${count(ready.length, 'pod')} can be evicted.`,
      objects,
      evidence,
    });
    return;
  }
  if (disruptionsAllowed > 0) judgeSlowEvictions(f, { name, disruptionsAllowed, ready, objects, evidence }, stuck);
  else refuseEvictions(f, budget, { name, ready, objects, evidence });
}

interface Covered {
  readonly name: string;
  readonly ready: readonly Pod[];
  readonly objects: readonly ObjectRef[];
  readonly evidence: readonly Evidence[];
}

/** Each eviction waits until the pod before it is ready again, which it never is if it cannot start. */
function judgeSlowEvictions(
  f: Future,
  { name, disruptionsAllowed, ready, objects, evidence }: Covered & { readonly disruptionsAllowed: number },
  stuck: ReadonlySet<Pod>,
): void {
  const unable = ready.filter((pod) => stuck.has(pod));
  if (ready.length > disruptionsAllowed && unable.length > 0)
    f.add({
      effect: 'refused',
      severity: 'breaks',
      confidence: 'likely',
      summary:
        `The drain does not end: ${name} allows ${count(disruptionsAllowed, 'eviction')} at a time, ` +
        `${count(ready.length, 'pod')} must leave, and ${unable.length} of them could not start again.`,
      objects,
      evidence,
    });
  else if (ready.length > disruptionsAllowed)
    f.add({
      effect: 'waits',
      severity: 'wait',
      summary:
        `${name} allows ${count(disruptionsAllowed, 'eviction')} at a time: ` +
        `the ${ready.length} pods leave one after the other, each when the one before is ready elsewhere.`,
      objects,
      evidence,
    });
}

function refuseEvictions(f: Future, budget: Budget, { name, ready, objects, evidence }: Covered): void {
  const { currentHealthy, desiredHealthy, expectedPods } = budget.status ?? {};
  const isForGood = desiredHealthy !== undefined && expectedPods !== undefined && desiredHealthy >= expectedPods;
  f.add({
    effect: 'refused',
    severity: 'breaks',
    confidence: isForGood ? 'certain' : 'likely',
    summary: isForGood
      ? `The drain does not end: ${name} never allows an eviction (${desiredHealthy} of ${expectedPods} pods ` +
        `must stay healthy), and it covers ${count(ready.length, 'pod')} that must leave.`
      : `${name} allows no eviction now: ${currentHealthy ?? '?'} of ${desiredHealthy ?? '?'} required pods are ` +
        'healthy. The drain waits until more of them are.',
    objects,
    evidence,
    prevention: [
      fix(
        isForGood
          ? 'Add a replica, or let the budget allow one disruption, for the time of the drain.'
          : 'Repair the pods of this budget first.',
        `kubectl -n ${shellWord(budget.metadata.namespace ?? 'default')} describe pdb ${shellWord(budget.metadata.name)}`,
      ),
    ],
  });
}
