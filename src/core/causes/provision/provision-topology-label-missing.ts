import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import type { Fix } from '../../report/report.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { chooseOtherNode, restartPlugin } from './node-plugin-fix.ts';
import { failure } from './provisioner.ts';
import { selectedNodeField, selectedNodeRule, topologyKeysOf } from './topology.ts';
import { topologyLabelMissingText } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * external-provisioner GenerateAccessibilityRequirements: the node needs a label for each topology key of the driver.
 */
export const provisionTopologyLabelMissing = selectedNodeRule('provision-topology-label-missing', (c, driver, name) => {
  const found = findMissingLabels(c, driver, name);
  if (!found) return undefined;
  const { keys, told } = found;
  return {
    confidence: keys.length > 0 ? 'certain' : 'likely',
    about: `${driver}/${name}`,
    summary: summaryOf(c, driver, name, found),
    evidence: evidenceOf(c, driver, name, found),
    fix: keys.length > 0 || told.length === 0 ? restore(c, driver, name, keys) : compare(c, driver, name, found),
  };
});

function summaryOf(c: PresentClaim, driver: string, name: string, { keys, told, isLabelled }: MissingLabels): string {
  const chosen = `which the scheduler chose for ${claimText(c)}`;
  if (keys.length > 0)
    return `Node ${name}, ${chosen}, lacks ${plural(keys, 'label')} ${keys.join(', ')}, which ${driver} uses to place volumes.`;
  if (isLabelled)
    return (
      `The provisioner reports that node ${name}, ${chosen}, lacks topology labels of ${driver}. The node ` +
      `has all of them now (${told.join(', ')}): external-provisioner up to 6.1 keeps the labels that it ` +
      'read first until it is restarted.'
    );
  if (told.length === 0)
    return `Node ${name}, ${chosen}, lacks topology labels, which ${driver} uses to place volumes.`;
  return (
    `The provisioner reports that node ${name}, ${chosen}, lacks at least one of the labels by which ` +
    `${driver} places volumes (${told.join(', ')}).`
  );
}

function restore(c: PresentClaim, driver: string, name: string, keys: readonly string[]): Fix[] {
  const then =
    keys.length > 1
      ? 'The kubelet then writes the labels again. If they disappear once more, something else manages the ' +
        'labels of the node and strips them.'
      : 'The kubelet then writes the label again. If it disappears once more, something else manages the labels of the node and strips it.';
  return [restartPlugin(c, driver, name, then), chooseOtherNode(c, name)];
}

/**
 * The labels were not read, or are there: the kubelet may have to write them, or the provisioner to read them again.
 */
function compare(c: PresentClaim, driver: string, name: string, { told, isLabelled }: MissingLabels): Fix[] {
  const read = 'It then reads the labels of the node again, and the claim is retried at once.';
  if (isLabelled) return [restartProvisioner(c, driver, `Restart the provisioner of ${driver}. ${read}`)];
  const {
    text,
    command,
    commands = command === undefined ? [] : [command],
    risk,
  } = restartPlugin(c, driver, name, 'The kubelet then writes the label again.');
  return [
    steps(
      `Find the missing label: the first line shows each as a column. ${text}`,
      [`kubectl get node ${shellWord(name)} -L ${told.map(shellWord).join(',')}`, ...commands],
      risk,
    ),
    restartProvisioner(
      c,
      driver,
      `If none of them is missing, restart the provisioner of ${driver}: up to version 6.1 it keeps the labels that it read first. ${read}`,
    ),
  ];
}

function restartProvisioner(c: PresentClaim, driver: string, text: string): Fix {
  const { leader, pods, workload } = findController(c.ask, driver, 'provisioner');
  const pod = leader ?? pods.items[0];
  if (pod && (workload || ownerOf(pod)))
    return steps(text, [restartFix(pod, workload, '').command ?? ''], 'disruptive');
  return steps(
    `${text} PLACEHOLDER_NAMESPACE and PLACEHOLDER_POD are in the list.`,
    [
      'kubectl get pods -A -o ' +
        "custom-columns='NAMESPACE:.metadata.namespace,POD:.metadata.name,CONTAINERS:.spec.containers[*].name' " +
        '| grep -i provisioner',
      'kubectl -n PLACEHOLDER_NAMESPACE delete pod PLACEHOLDER_POD',
    ],
    'disruptive',
  );
}

function plural(keys: readonly string[], noun: string): string {
  return keys.length > 1 ? `the ${noun}s` : noun;
}

interface MissingLabels {
  readonly said: EventMatch | undefined;
  readonly registered: CsiNode | undefined;
  readonly node: Node | undefined;
  /** The keys without a label; empty where only the provisioner reports that some are missing. */
  readonly keys: readonly string[];
  /** The keys that the driver registered, or that the provisioner names. */
  readonly told: readonly string[];
  /** The provisioner reports a missing label, and the node has them all. */
  readonly isLabelled: boolean;
}

function findMissingLabels(c: PresentClaim, driver: string, name: string): MissingLabels | undefined {
  const said = failure(c, topologyLabelMissingText);
  const csiNode = c.ask.get('CSINode', undefined, name, `which topology keys ${driver} has on ${name}`);
  const registered = csiNode.state === 'found' ? csiNode.object : undefined;
  const allKeys = registered ? topologyKeysOf(registered, driver) : [];
  const node = allKeys.length > 0 || said ? readNode(c, driver, name) : undefined;
  const keys = node ? allKeys.filter((key) => node.metadata.labels?.[key] === undefined) : [];
  if (keys.length === 0 && said === undefined) return undefined;
  const named = (said?.match[1] ?? '').split(/\s+/).filter((key) => /^[\w./-]+$/.test(key) && key !== '...');
  const told = allKeys.length > 0 ? allKeys : named;
  const isLabelled = node !== undefined && registered !== undefined && allKeys.length > 0 && keys.length === 0;
  return { said, registered, node, keys, told, isLabelled };
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
