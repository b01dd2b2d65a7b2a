import { absent, fix, shellWord } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { failure } from './provisioner.ts';
import { askForNodesWithKeys, chooseAgain, selectedNodeField, selectedNodeRule } from './topology.ts';

/** external-provisioner GenerateAccessibilityRequirements reads the CSINode of the selected node first. */
export const provisionCsinodeNotFound = selectedNodeRule('provision-csinode-not-found', (c, driver, node) => {
  const said = failure(
    c,
    /failed to get selected CSINode (\S+):|error getting CSINode for selected node "([^"]+)"|failed to get target node: |(?:csi)?nodes?(?:\.storage\.k8s\.io)? "([^"]+)" not found/,
  );
  const lookup = c.ask.get('CSINode', undefined, node, `whether the kubelet of ${node} has registered its drivers`);
  if (lookup.state === 'found' || (lookup.state === 'unknown' && !said)) return undefined;
  const isMissing = lookup.state === 'missing';
  // A driver without topology does not need the object.
  const usesTopology = askForNodesWithKeys(c, driver).length > 0;
  return {
    confidence: isMissing && (usesTopology || said) ? 'certain' : 'likely',
    about: node,
    summary: `node ${node} was chosen for the claim and has no CSINode object, so the provisioner cannot tell where the volume belongs`,
    evidence: [selectedNodeField(c, node), ...(isMissing ? [absent('CSINode', node)] : []), ...saidOnClaim(c, said)],
    fix: [
      fix(
        'see whether the node is still there and its kubelet runs: it makes the object itself',
        `kubectl get node,csinode ${shellWord(node)}`,
      ),
      chooseAgain(c, 'if the node is gone for good'),
    ],
  };
});
