import { resourceOf } from '../kube/resources.ts';
import { scopeKey } from '../kube/snapshot.ts';
import type { Unread } from '../report/report.ts';
import type { Need } from '../kube/snapshot.ts';
import type { ClusterGraph } from './cluster-graph.ts';
import type { Unanswered } from './inquiry.ts';

/** What a collector should read next: each open question once, without those that were asked already. */
export function needsOf(unanswered: readonly Unanswered[]): Need[] {
  const needs = new Map<string, Need>();
  for (const { kind, scope, needed, wasAsked } of unanswered)
    if (!wasAsked) needs.set(scopeKey(kind, scope), { kind, scope, needed });
  return [...needs.values()];
}

/** The open questions as a report lists them. */
export function describeUnread(unanswered: readonly Omit<Unanswered, 'wasAsked'>[]): Unread[] {
  const byText = new Map(unanswered.map((question) => [`${question.kind}/${question.needed}`, question]));
  return [...byText.values()].map((unanswered) => ({
    resource: resourceOf(unanswered.kind).name,
    verb: unanswered.scope.name === undefined ? 'list' : 'get',
    reason: reasonOf(unanswered),
    needed: unanswered.needed,
    ...(unanswered.observation.message !== undefined && { message: unanswered.observation.message }),
  }));
}

function reasonOf({ observation }: Pick<Unanswered, 'observation'>): Unread['reason'] {
  switch (observation.state) {
    case 'denied':
      return 'forbidden';
    case 'failed':
      return 'failed';
    case 'absentApi':
      return 'absent';
    default:
      return observation.message === undefined ? 'not read' : 'not in the dump';
  }
}

/** The sources that were asked how full volumes are and did not answer, as a report lists what could not be read. */
function unreadUsage({ snapshot: { usage } }: ClusterGraph, needed: string): Unread[] {
  return (usage?.attempts ?? []).flatMap(({ source, state, message }): Unread[] =>
    state === 'answered'
      ? []
      : [
          {
            resource: `volume usage from ${source}`,
            verb: 'get',
            reason: state === 'denied' ? 'forbidden' : 'failed',
            needed,
            ...(message !== undefined && { message }),
          },
        ],
  );
}

/** Claims that no source has measured although one was asked: they may be full. */
export function unmeasuredUsage(graph: ClusterGraph, claims: readonly string[]): Unread[] {
  const { usage } = graph.snapshot;
  if (usage === undefined || claims.length === 0) return [];
  const shown = claims.slice(0, 5).join(', ');
  const more = claims.length > 5 ? ` and ${claims.length - 5} more` : '';
  const needed = `whether ${shown}${more} ${claims.length === 1 ? 'is' : 'are'} full`;
  const refused = unreadUsage(graph, needed);
  if (refused.length > 0) return refused;
  return [
    {
      resource: 'volume usage',
      verb: 'get',
      reason: 'not read',
      needed,
      message:
        'the sources that answered have no figures for them: a kubelet measures a volume only while a container ' +
        'of its pod runs, and only where the driver reports usage',
    },
  ];
}
