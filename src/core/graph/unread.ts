import { resourceOf } from '../kube/resources.ts';
import { scopeKey } from '../kube/snapshot.ts';
import type { Unread } from '../report/report.ts';
import type { Need } from '../kube/snapshot.ts';
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
