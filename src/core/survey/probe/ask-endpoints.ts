import { assumptionsOf } from '../../facts/driver/driver-assumptions.ts';
import { surveyEndpoints } from '../../facts/driver/driver-endpoints.ts';
import { ClusterGraph } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { DriverAssumptions } from '../../report/driver-assumptions.ts';
import type { DriverEndpoints, EndpointQuestion } from '../../report/driver-endpoints.ts';
import type { Unread } from '../../report/report.ts';

interface EndpointsAnswer extends DriverEndpoints {
  readonly needs: readonly Need[];
  readonly unread: readonly Unread[];
  /** What the cluster assumes about each driver. */
  readonly assumptions: readonly DriverAssumptions[];
  readonly serverVersion: ClusterGraph['serverVersion'];
}

/** Where the drivers listen, and, only if they will answer for themselves, what the cluster assumes about them. */
export function askEndpoints(
  snapshot: Snapshot,
  question: EndpointQuestion,
  options: { readonly withAssumptions: boolean },
): EndpointsAnswer {
  const ask = new Inquiry(new ClusterGraph(snapshot));
  const endpoints = surveyEndpoints(ask, question);
  // Before the assumptions are read: what they lack is no gap in the list of drivers.
  const unread = describeUnread(ask.unanswered);
  const drivers = [...new Set(endpoints.places.map(({ driver }) => driver))];
  const assumptions = options.withAssumptions ? drivers.map((driver) => assumptionsOf(ask, driver)) : [];
  return { ...endpoints, needs: needsOf(ask.unanswered), unread, assumptions, serverVersion: ask.graph.serverVersion };
}
