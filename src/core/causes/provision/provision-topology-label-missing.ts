import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { chooseOtherNode, restartPlugin } from './node-plugin-fix.ts';
import { failure } from './provisioner.ts';
import { selectedNodeField, selectedNodeRule, topologyKeysOf } from './topology.ts';

/** external-provisioner GenerateAccessibilityRequirements: the node needs a label for each topology key of the driver. */
export const provisionTopologyLabelMissing = selectedNodeRule('provision-topology-label-missing', (c, driver, name) => {
  const found = findMissingLabels(c, driver, name);
  if (!found) return undefined;
  const { keys } = found;
  const lacks = keys.length > 0 ? `label ${keys.join(', ')},` : 'topology labels,';
  return {
    confidence: keys.length > 0 ? 'certain' : 'likely',
    about: `${driver}/${name}`,
    summary: `Node ${name}, which the scheduler chose for ${claimText(c)}, lacks ${lacks}, which ${driver} uses to place volumes.`,
    evidence: evidenceOf(c, driver, name, found),
    fix: [
      restartPlugin(
        c,
        driver,
        name,
        `The kubelet then writes the label${keys.length > 1 ? 's' : ''} again. If ${keys.length > 1 ? 'they disappear' : 'it disappears'} once more, something else manages the labels of the node and strips ${keys.length > 1 ? 'them' : 'it'}.`,
      ),
      chooseOtherNode(c, name),
    ],
  };
});

interface MissingLabels {
  readonly said: EventMatch | undefined;
  readonly registered: CsiNode | undefined;
  readonly node: Node | undefined;
  /** The keys without a label; empty where only the provisioner reports that some are missing. */
  readonly keys: readonly string[];
}

function findMissingLabels(c: PresentClaim, driver: string, name: string): MissingLabels | undefined {
  const said = failure(c, /topology labels from selected node .* does not match topology keys from CSINode/s);
  const csiNode = c.ask.get('CSINode', undefined, name, `which topology keys ${driver} has on ${name}`);
  const registered = csiNode.state === 'found' ? csiNode.object : undefined;
  const allKeys = registered ? topologyKeysOf(registered, driver) : [];
  const node = allKeys.length > 0 || said ? readNode(c, driver, name) : undefined;
  const keys = node ? allKeys.filter((key) => node.metadata.labels?.[key] === undefined) : [];
  const isOnlyTold = said !== undefined && (!node || !registered);
  return keys.length > 0 || isOnlyTold ? { said, registered, node, keys } : undefined;
}

function readNode(c: PresentClaim, driver: string, name: string): Node | undefined {
  const lookup = c.ask.get('Node', undefined, name, `whether ${name} bears the topology labels of ${driver}`);
  return lookup.state === 'found' ? lookup.object : undefined;
}

function evidenceOf(
  c: PresentClaim,
  driver: string,
  name: string,
  { said, registered, node, keys }: MissingLabels,
): Explanation['evidence'] {
  const registeredKeys = registered ? topologyKeysOf(registered, driver).join(', ') : '';
  return [
    selectedNodeField(c, name),
    ...(registered ? [field(registered, `spec.drivers[${driver}].topologyKeys`, registeredKeys)] : []),
    ...(node ? keys.map((key) => field(node, `metadata.labels[${key}]`)) : []),
    ...saidOnClaim(c, said),
  ];
}
