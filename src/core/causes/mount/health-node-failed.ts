import { newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { conditionOf, hasMountedVolumes, isReady } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';

/** The node of a running pod is gone quiet: its volume stays attached there (external-health-monitor node_watcher). */
export const healthNodeFailed = podRule({
  cause: 'health-node-failed',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const { pod } = p;
    const name = pod.spec?.nodeName;
    // The node controller takes the Ready condition away from pods of such a node: those that have it need no question.
    if (!name || p.claims.length === 0 || !hasMountedVolumes(pod) || isReady(pod)) return undefined;
    const node = p.ask.get('Node', undefined, name, `whether node ${name}, where pod/${pod.metadata.name} runs, is up`);
    if (node.state !== 'found') return undefined;
    const ready = conditionOf(node.object.status?.conditions, 'Ready');
    if (!ready || ready.status === 'True') return undefined;
    return {
      about: name,
      summary: `pod/${pod.metadata.name} runs on ${name}, which is not ready: its volumes stay there until the node is back or given up`,
      evidence: [
        field(
          node.object,
          'status.conditions[Ready]',
          `${ready.status ?? ''}: ${ready.reason ?? ''}`,
          ready.lastTransitionTime,
        ),
        note(pod, `uses ${p.claims.map((claim) => `pvc/${claim.name}`).join(', ')}`),
        ...words(p),
      ],
      fix: [fix('bring the node back', `kubectl describe node ${shellWord(name)}`)],
    };
  },
});

function words(p: PodCase) {
  for (const { claim } of p.claims) {
    const said =
      claim?.metadata.uid === undefined
        ? undefined
        : newestMatch(p.ask.graph.eventsAbout(claim.metadata.uid), 'NodeFailed', /are now on a failed node: (\S+)/);
    if (claim && said) return [eventSaid(claim, said.event)];
  }
  return [];
}
