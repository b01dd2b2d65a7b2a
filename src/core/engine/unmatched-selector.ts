import { graphOf } from '../graph/cluster-graph.ts';
import { needsOf } from '../graph/unread.ts';
import type { Selection } from '../kube/selection.ts';
import { matchesLabelSelector, parseLabelSelector } from '../kube/selectors.ts';
import type { Answer, Scope, Snapshot } from '../kube/snapshot.ts';
import { countClaims } from './targets.ts';

/** What a selector that found nothing stuck was applied to. */
export interface Unmatched extends Answer {
  /** All claims of the namespace or cluster, with any labels. */
  readonly claims: number;
  /** Whether the selector matches a pod, started or not; undefined if that could not be read. */
  readonly matchesPod: boolean | undefined;
}

/** Distinguishes a selector that matches healthy objects from one that matches none. */
export function askUnmatched(snapshot: Snapshot, selection: Selection & { readonly labelSelector: string }): Unmatched {
  const graph = graphOf(snapshot);
  const { namespace, labelSelector } = selection;
  const selector = parseLabelSelector(labelSelector);
  const pods = namespace === undefined ? graph.all('Pod') : graph.inNamespace('Pod', namespace);
  const claims = countClaims(graph, namespace === undefined ? {} : { namespace });
  if (pods.some(({ metadata }) => matchesLabelSelector(selector, metadata.labels ?? {})))
    return { claims, matchesPod: true, needs: [] };
  // One pod is enough to know, and a selector may match thousands.
  const scope: Scope = { ...(namespace !== undefined && { namespace }), labelSelector, first: 1 };
  if (graph.coverage.answers('Pod', scope)) return { claims, matchesPod: false, needs: [] };
  const needs = needsOf([
    {
      kind: 'Pod',
      scope,
      needed: 'whether the selector matches a pod',
      observation: graph.coverage.of('Pod', scope),
      wasAsked: graph.coverage.wasAsked('Pod', scope),
    },
  ]);
  return { claims, matchesPod: undefined, needs };
}
