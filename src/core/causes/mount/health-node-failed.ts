import { eventSaid, field, note } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, hasMountedVolumes, isReady } from '../../facts/pod/pod-state.ts';
import { newestMatch } from '../../graph/events.ts';
import type { Condition, Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { failedNodeText } from '../lib/driver-error/sentences/health-monitor.ts';

/**
 * The node of a running pod no longer reports, and its volumes stay attached there (external-health-monitor
 * node_watcher).
 */
export const healthNodeFailed = podRule({
  cause: 'health-node-failed',
  stage: 'mount',
  severity: 'warning',
  explain(p) {
    const failed = findFailedNode(p);
    if (!failed) return undefined;
    const { name } = failed.node.metadata;
    return {
      about: name,
      summary:
        `pod/${p.pod.metadata.name} in namespace ${p.pod.metadata.namespace ?? ''} runs on ${name}, which is not ` +
        'ready. Its volumes stay there until the node is back or taken out of service.',
      evidence: evidenceOf(p, failed),
      fix: [steps(`Start the machine of ${name}, or its kubelet. The pod then continues automatically.`, [])],
    };
  },
});

interface FailedNode {
  readonly node: Node;
  readonly ready: Condition;
}

function findFailedNode(p: PodCase): FailedNode | undefined {
  const { pod } = p;
  const name = pod.spec?.nodeName;
  // The node controller removes the Ready condition from pods of such a node, so pods that have it need no question.
  if (!name || p.claims.length === 0 || !hasMountedVolumes(pod) || isReady(pod)) return undefined;
  const node = p.ask.get('Node', undefined, name, `whether node ${name}, where pod/${pod.metadata.name} runs, is up`);
  if (node.state !== 'found') return undefined;
  const ready = conditionOf(node.object.status?.conditions, 'Ready');
  return ready && ready.status !== 'True' ? { node: node.object, ready } : undefined;
}

function evidenceOf(p: PodCase, { node, ready }: FailedNode): Explanation['evidence'] {
  const state = `${ready.status ?? ''}: ${ready.reason ?? ''}`;
  return [
    field(node, 'status.conditions[Ready]', state, ready.lastTransitionTime),
    note(p.pod, `uses ${p.claims.map((claim) => `pvc/${claim.name}`).join(', ')}`),
    ...monitorEvidence(p),
  ];
}

/** What the health monitor reports on the first claim that it mentions. */
function monitorEvidence(p: PodCase): Evidence[] {
  for (const { claim } of p.claims) {
    const uid = claim?.metadata.uid;
    const events = uid === undefined ? [] : p.ask.graph.eventsAbout(uid);
    const report = newestMatch(events, 'NodeFailed', failedNodeText);
    if (claim && report) return [eventSaid(claim, report.event)];
  }
  return [];
}
