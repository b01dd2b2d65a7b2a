import { deriveGraph, graphOf } from '../graph/cluster-graph.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import type { Verdict } from './verdict.ts';

/** The same objects at the latest time that the dump may be from; undefined where its clock is exact. */
export function latestGraph(graph: ClusterGraph): ClusterGraph | undefined {
  const { snapshot, now, latest } = graph;
  if (latest <= now) return undefined;
  return graph.remember('the latest time', () => {
    const later = { ...snapshot, takenAt: new Date(latest).toISOString() };
    deriveGraph(later, snapshot);
    return graphOf(later);
  });
}

/** A wait that would be over by the latest time that the dump may be from is neither expected nor proven to be stuck. */
export function withoutUnprovenWaits(verdicts: readonly Verdict[], latest: readonly Verdict[]): readonly Verdict[] {
  return verdicts.map((verdict, index) => {
    const then = latest[index]?.status;
    return verdict.status !== 'waiting' || then === 'waiting' || then === 'healthy' ? verdict : doubted(verdict);
  });
}

function doubted(verdict: Verdict): Verdict {
  const { stage, stages, note } = verdict;
  return {
    ...verdict,
    status: 'unknown',
    causes: [],
    stages: stages.map((result) => (result.stage === stage ? { ...result, state: 'unknown' } : result)),
    note: `${note}. Only events show when the dump was taken: for how long this has lasted needs the time, with --at`,
  };
}
