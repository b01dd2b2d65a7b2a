import { matchesTopologyTerms } from '../../kube/selectors.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { failure, provisionerOf } from './provisioner.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { chooseOtherNode } from './node-plugin-fix.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { csiDriverOf, selectedNodeField, selectedNodeRule, topologyKeysOf } from './topology.ts';
import { topologyNotAllowedTexts } from '../lib/driver-error/sentences/provisioner.ts';

/**
 * external-provisioner GenerateAccessibilityRequirements: the topology of the selected node must be among those that it
 * may choose from.
 */
const refusal = topologyNotAllowedTexts;

export const provisionTopologyNotAllowed = selectedNodeRule('provision-topology-not-allowed', explainPlace);

/**
 * The refusal states why the scheduler's choice failed, even if the scheduler has reported something else since then.
 */
export const provisionTopologyNotAllowedOfSchedule = claimRule({
  cause: 'provision-topology-not-allowed',
  stage: 'schedule',
  severity: 'blocking',
  explain(c) {
    const driver = csiDriverOf(c);
    return driver !== undefined && c.selectedNode !== undefined && isPlaceRefused(c)
      ? explainPlace(c, driver, c.selectedNode)
      : undefined;
  },
});

/** Whether the provisioner has refused the place of the selected node. */
export function isPlaceRefused(c: PresentClaim): boolean {
  return c.selectedNode !== undefined && !c.isBound && refuses(c.selectedNode, failure(c, refusal));
}

function explainPlace(c: PresentClaim, driver: string, name: string): Explanation | undefined {
  const said = failure(c, refusal);
  if (!isRestricted(c)) return refuses(name, said) ? explainUnknownPlace(c, driver, name, said) : undefined;
  const topology = topologyOf(c, driver, name);
  const isProven = topology !== undefined && isExcluded(c, topology);
  if (!isProven && !(said && (isTranslated(c) || !topology))) return undefined;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${c.class.name}/${name}`,
    summary:
      `The scheduler chose ${name} for ${claimText(c)}, and allowedTopologies of StorageClass ` +
      `"${c.class.name}" exclude the place that ${driver} gives that ` +
      `node${isProven ? ` (${placeText(topology)})` : ''}.`,
    evidence: [
      selectedNodeField(c, name),
      ...(c.storageClassObject ? [field(c.storageClassObject, 'allowedTopologies')] : []),
      ...(isProven ? topologyEvidence(topology, driver) : []),
      ...saidOnClaim(c, said),
    ],
    fix: [...(isProven ? [allowPlace(c, topology)] : []), chooseOtherNode(c, name)],
  };
}

/** Whether the provisioner refused this very node, and not one that was selected before it. */
function refuses(node: string, said: EventMatch | undefined): said is EventMatch {
  return said !== undefined && said.match[0].includes(`"${node}"`);
}

/**
 * Without allowedTopologies the provisioner may choose from the places of all nodes that have the driver, as far as it
 * knows them.
 */
function explainUnknownPlace(c: PresentClaim, driver: string, name: string, said: EventMatch): Explanation {
  const topology = topologyOf(c, driver, name);
  const [first, ...more] = saidOnClaim(c, said);
  return {
    confidence: 'likely',
    about: `${driver}/${name}`,
    summary:
      `The scheduler chose ${name} for ${claimText(c)}, and the provisioner of ${driver} refuses its ` +
      `place${topology ? ` (${placeText(topology)})` : ''}: it is not one of the places from ` +
      'which it may choose.',
    evidence: [
      selectedNodeField(c, name),
      ...(topology ? topologyEvidence(topology, driver) : []),
      ...(first ? [first] : []),
      ...more,
    ],
    fix: [chooseOtherNode(c, name)],
  };
}

/** The class restricts topologies, or could not be read. */
function isRestricted(c: PresentClaim): boolean {
  return (c.storageClassObject?.allowedTopologies ?? []).length > 0 || c.storageClass?.state === 'unknown';
}

/** Where the driver places the node: its keys, and the labels of the node for them. */
interface NodeTopology {
  readonly registered: CsiNode;
  readonly keys: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

function topologyOf(c: PresentClaim, driver: string, name: string): NodeTopology | undefined {
  const registered = c.ask.get('CSINode', undefined, name, `which topology keys ${driver} has on ${name}`);
  const node = c.ask.get('Node', undefined, name, `in which topology ${name} lies`);
  if (registered.state !== 'found' || node.state !== 'found') return undefined;
  const keys = topologyKeysOf(registered.object, driver);
  return keys.length > 0 ? { registered: registered.object, keys, labels: labelsFor(node.object, keys) } : undefined;
}

function placeText({ keys, labels }: NodeTopology): string {
  return keys.map((key) => `${key}=${labels[key] ?? ''}`).join(', ');
}

/** One more term, in the keys of the driver: the terms of a class are alternatives. */
function allowPlace(c: PresentClaim, topology: NodeTopology): Fix {
  const term = {
    matchLabelExpressions: topology.keys.map((key) => ({ key, values: [topology.labels[key] ?? ''] })),
  };
  const allowedTopologies = [...(c.storageClassObject?.allowedTopologies ?? []), term];
  return recreateClass(c, `so that it allows ${placeText(topology)} too`, { allowedTopologies });
}

/** Only the driver's own keys count, so a term on any other label can never hold. */
function labelsFor({ metadata: { labels = {} } }: Node, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** The terms of a class with an in-tree name are translated first, which is not repeated here. */
function isTranslated(c: PresentClaim): boolean {
  return provisionerOf(c)?.inTree !== undefined;
}

function isExcluded(c: PresentClaim, { labels }: NodeTopology): boolean {
  const terms = c.storageClassObject?.allowedTopologies ?? [];
  return !isTranslated(c) && terms.length > 0 && !matchesTopologyTerms(terms, labels);
}

function topologyEvidence({ registered, keys, labels }: NodeTopology, driver: string): Evidence[] {
  return keys.map((key) => note(registered, `${driver} has ${key}=${labels[key] ?? 'not set'}`));
}
