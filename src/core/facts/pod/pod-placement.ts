import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import { isPresent } from '../claim/claim-case.ts';
import type { PresentClaim } from '../claim/claim-case.ts';
import { eventSaid, field } from '../evidence.ts';
import type { NodeFit } from '../node/node-fit.ts';
import { isOfScheduler } from './pod-case.ts';
import type { PodCase } from './pod-case.ts';
import { isUnderstood, reasonsLike } from './scheduling-message.ts';
import type { SchedulingReason } from './scheduling-message.ts';

const mostNamed = 4;

/** Whether the scheduler gives this reason; undefined when it gives none, or its message is not fully understood. */
export function blames(p: PodCase, pattern: RegExp): boolean | undefined {
  const message = p.schedulingMessage;
  if (!message || message.reasons.length === 0) return undefined;
  if (reasonsLike(message, pattern).length > 0) return true;
  return isUnderstood(message) ? false : undefined;
}

/** The scheduler's message about the pod, quoted. */
export function schedulerSaid(p: PodCase): Evidence[] {
  const condition = p.scheduledCondition;
  if (condition?.status === 'False' && condition.message)
    return [field(p.pod, 'status.conditions[PodScheduled].message', condition.message, condition.lastTransitionTime)];
  const said = newestMatch(p.events.items.filter(isOfScheduler), 'FailedScheduling', /[^]*/);
  return said ? [eventSaid(p.pod, said.event)] : [];
}

/** The scheduler's reasons other than volumes: `1 Insufficient cpu`. */
export function otherReasonsText(p: PodCase): string {
  return tellReasons((p.schedulingMessage?.reasons ?? []).filter((reason) => !reason.isStorage));
}

export function tellReasons(reasons: readonly SchedulingReason[]): string {
  return reasons.map(({ nodes, text }) => `${nodes === undefined ? '' : `${nodes} `}${text}`).join(', ');
}

/** Claims of the pod that wait for the scheduler to choose a node. */
export function delayedClaims(p: PodCase): PresentClaim[] {
  return p.claims
    .filter(isPresent)
    .filter((claim) => !claim.isBound && !claim.isLost && !claim.namesVolume && claim.isDelayed === true);
}

export function nameNodes(nodes: readonly { readonly node: Node }[]): string {
  return nameAll(nodes.map(({ node }) => node.metadata.name));
}

/** `a, b and c`; a long list ends with the number of the others. */
export function nameAll(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? 'none';
  const shown = names.length > mostNamed ? names.slice(0, mostNamed - 1) : names.slice(0, -1);
  return `${shown.join(', ')} and ${names.length > mostNamed ? `${names.length - shown.length} more` : names.at(-1)}`;
}

/** `node-a is cordoned, node-b and node-c have …`: why the pod's own constraints exclude nodes. */
export function tellRefusals(fits: readonly NodeFit[]): string {
  const byText = new Map<string, NodeFit[]>();
  for (const fit of fits) if (fit.refusal) byText.set(fit.refusal.text, [...(byText.get(fit.refusal.text) ?? []), fit]);
  const told = [...byText].map(
    ([text, members]) => `${nameNodes(members)} ${members.length > 1 ? plural(text) : text}`,
  );
  return told.length > mostNamed ? `${told.slice(0, mostNamed - 1).join(', ')} and so on` : told.join(', ');
}

function plural(text: string): string {
  return text
    .replace(/^is /, 'are ')
    .replace(/^has |(?<=and )has /g, 'have ')
    .replace(/^does /, 'do ');
}

/** One line of evidence for each node that the pod's own constraints exclude, up to a few nodes. */
export function refusalEvidence(fits: readonly NodeFit[]): Evidence[] {
  return fits.flatMap((fit) => (fit.refusal ? [fit.refusal.evidence] : [])).slice(0, mostNamed + 1);
}

/** A pod and its claim that are blocked by the same pod print as one finding. */
export function aboutPod(p: PodCase): string {
  return `pod/${p.pod.metadata.namespace ?? ''}/${p.pod.metadata.name}`;
}
