import { lastSeen } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { parseTime } from '../../kube/time.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { chooseOtherNode, restartKubelet } from './node-plugin-fix.ts';
import { isNewer, retryText } from './overcome-error.ts';
import { failure } from './provisioner.ts';
import { askForNodesWithKeys, selectedNodeField, selectedNodeRule } from './topology.ts';
import { nodeUnknownTexts } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner GenerateAccessibilityRequirements reads the CSINode of the selected node first. */
export const provisionCsinodeNotFound = selectedNodeRule('provision-csinode-not-found', (c, driver, node) => {
  const said = failure(c, nodeUnknownTexts);
  const lookup = c.ask.get('CSINode', undefined, node, `whether the kubelet of ${node} has registered its drivers`);
  if (lookup.state === 'found') return said && tellHistory(c, node, lookup.object, said);
  if (lookup.state === 'unknown' && !said) return undefined;
  const isMissing = lookup.state === 'missing';
  // A driver without topology does not need the object.
  const usesTopology = askForNodesWithKeys(c, driver).length > 0;
  const isGone = isNodeGone(c, node);
  const object = c.ask.seen('Node').find(({ metadata }) => metadata.name === node);
  const isDown = object !== undefined && !isNodeReady(object);
  const state = isGone ? 'which does not exist any more' : 'which has no CSINode object';
  return {
    confidence: isMissing && (usesTopology || said) ? 'certain' : 'likely',
    about: node,
    summary:
      `The scheduler chose ${node} for ${claimText(c)}, ${state}, so the provisioner cannot tell where the ` +
      'volume ' +
      `belongs.${isDown ? ` The node is not Ready: its kubelet writes that object once it runs again.` : ''}`,
    evidence: [
      selectedNodeField(c, node),
      ...(isMissing ? [absent('CSINode', node)] : []),
      ...(isGone ? [absent('Node', node)] : []),
      ...(isDown
        ? [field(object, 'status.conditions[Ready]', conditionOf(object.status?.conditions, 'Ready')?.status ?? '')]
        : []),
      ...saidOnClaim(c, said),
    ],
    fix: isDown ? advise(c, node, isGone).toReversed() : advise(c, node, isGone),
  };
});

function isNodeGone(c: PresentClaim, node: string): boolean {
  return c.ask.get('Node', undefined, node, `whether node ${node} is still there`).state === 'missing';
}

function advise(c: PresentClaim, node: string, isGone: boolean): Fix[] {
  if (isGone) return [chooseOtherNode(c, node, 'gone')];
  const object = c.ask.seen('Node').find(({ metadata }) => metadata.name === node);
  // Where the node was not read, it may be gone: a kubelet that does not exist cannot be restarted.
  const isUnread = c.ask.get('Node', undefined, node, `whether node ${node} is still there`).state === 'unknown';
  if (isUnread)
    return [
      chooseOtherNode(c, node, 'unknown'),
      restartKubelet(
        node,
        object,
        'It creates the CSINode and registers the drivers again, and the claim is retried.',
        'Or, if the node exists, restart',
      ),
    ];
  return [
    restartKubelet(node, object, 'It creates the CSINode and registers the drivers again, and the claim is retried.'),
    chooseOtherNode(c, node),
  ];
}

/** The object was created after the provisioner last missed it. */
function tellHistory(c: PresentClaim, node: string, object: CsiNode, said: EventMatch): Explanation | undefined {
  const seen = lastSeen(said.event);
  if (!isNewer(c, parseTime(object.metadata.creationTimestamp), seen)) return undefined;
  return {
    severity: 'info',
    summary: `${node} has its CSINode object since the provisioner last missed it for ${claimText(c)}. ${retryText(c, seen)}`,
    evidence: [field(object, 'metadata.creationTimestamp'), eventSaid(c.claim, said.event)],
    fix: [],
  };
}

function isNodeReady({ status }: Node): boolean {
  return (conditionOf(status?.conditions, 'Ready')?.status ?? 'True') === 'True';
}
