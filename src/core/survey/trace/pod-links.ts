import { refOf } from '../../graph/inquiry.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import {
  conditionOf,
  containerStatusesOf,
  hasMountedVolumes,
  isReady,
  isTerminated,
} from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { LinkState, TraceLink } from '../../report/trace.ts';

/** `total` also counts pods without a link of their own. */
export function podLinks(pods: readonly Pod[], total: number): TraceLink[] {
  const links = pods.map(podLink);
  const left = total - pods.length;
  if (left <= 0) return links;
  return [...links, { role: 'pod', state: 'ok', summary: `and ${left} more ${left === 1 ? 'pod' : 'pods'}` }];
}

function podLink(pod: Pod): TraceLink {
  const node = pod.spec?.nodeName;
  const word = podWord(pod);
  const others = new Set(claimNamesOf(pod)).size;
  return {
    role: 'pod',
    object: refOf(pod),
    state: podState(pod),
    summary: node ? `${word} on ${node}` : `${word}, has no node yet`,
    ...(others > 1 && { notes: [`uses ${others} claims`] }),
  };
}

function podState(pod: Pod): LinkState {
  const waiting = containerStatusesOf(pod).find(({ state }) =>
    /Error|BackOff|^ErrImage/.test(state?.waiting?.reason ?? ''),
  );
  if (pod.status?.phase === 'Failed' || waiting) return 'failed';
  if (pod.metadata.deletionTimestamp !== undefined) return 'pending';
  return isTerminated(pod) || (hasMountedVolumes(pod) && pod.spec?.nodeName) ? 'ok' : 'pending';
}

/** The word in kubectl's STATUS column, and whether a running pod is ready. */
function podWord(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = containerStatusesOf(pod).find(({ state }) => state?.waiting?.reason)?.state?.waiting?.reason;
  const word = waiting ?? pod.status?.reason ?? pod.status?.phase ?? 'Unknown';
  if (word !== 'Running') return word;
  return isReady(pod) || conditionOf(pod.status?.conditions, 'Ready') === undefined ? word : 'Running, not ready,';
}
