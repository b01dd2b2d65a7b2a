import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-annotations.ts';
import { flagOf, ownerOf, sidecarOf } from '../../facts/driver/driver-pods.ts';
import { findDriver } from '../../facts/driver/drivers.ts';
import { exclusionOf, findPluginSets } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { changePod } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import type { Explanation } from '../lib/rule.ts';
import type { PluginTrouble } from '../mount/driver-daemonset-pod-unhealthy.ts';
import { controllerOf, failure, hasFailed, waitedSeconds } from './provisioner.ts';
import {
  askForNodesWithKeys,
  driversText,
  registeredDriverOf,
  selectedNodeField,
  selectedNodeRule,
  topologyKeysOf,
} from './topology.ts';
import { unregisteredPluginOn } from './unregistered-plugin.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { bringPlugin, chooseOtherNode, deployPlugin, restartPlugin } from './node-plugin-fix.ts';
import { topologyKeyMissingText } from '../lib/driver-error/sentences/provisioner.ts';

const mostShown = 2;

/**
 * external-provisioner GenerateAccessibilityRequirements: a driver with topology needs its keys on the selected node.
 */
export const provisionTopologyKeyMissing = selectedNodeRule('provision-topology-key-missing', (c, driver, node) => {
  const found = findMissingKeys(c, driver, node);
  if (!found) return undefined;
  const { said, registered, isRegistered, isNowhere, others } = found;
  const isProven = registered !== undefined && (others.length > 0 || said !== undefined);
  const plugin = registered && !isRegistered ? unregisteredPluginOn(c, driver, node) : undefined;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${node}`,
    summary:
      `The scheduler chose ${node} for ${claimText(c)}, and ${driver} ` +
      `${isRegistered ? 'is registered there without topology keys' : `is ${isNowhere ? 'registered on no node' : 'not registered there'}`}, so the ` +
      `provisioner cannot tell where the volume belongs.${plugin ? ` ${sentence(plugin.words)}` : keptOffText(c, driver, node)}`,
    evidence: evidenceOf(c, driver, node, found, plugin),
    fix: advise(c, driver, node, found, plugin),
  };
});

interface MissingKeys {
  readonly said: EventMatch | undefined;
  /** Undefined where it could not be read. */
  readonly registered: CsiNode | undefined;
  /** The driver is known to be on the node, but without keys. */
  readonly isRegistered: boolean;
  /** No kubelet knows the driver. */
  readonly isNowhere: boolean;
  /** Nodes on which the driver has keys. */
  readonly others: readonly CsiNode[];
}

function findMissingKeys(c: PresentClaim, driver: string, node: string): MissingKeys | undefined {
  const said = failure(c, topologyKeyMissingText);
  const lookup = c.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`);
  if (lookup.state === 'missing' || hasKeys(lookup, driver)) return undefined;
  // A driver that has keys on no node needs none.
  const others = askForNodesWithKeys(c, driver);
  const isNowhere = lookup.state === 'found' && isRegisteredNowhere(c, driver);
  if (!said && (lookup.state === 'unknown' || others.length === 0) && !isNowhere) return undefined;
  const registered = lookup.state === 'found' ? lookup.object : undefined;
  const isRegistered = registered !== undefined && registeredDriverOf(registered, driver) !== undefined;
  return { said, registered, isRegistered, isNowhere, others };
}

/** A provisioner that takes longer has met an obstacle. */
const patienceSeconds = 120;

/**
 * All nodes were read, and none has the driver, whose provisioner works with topology. Without topology, a volume is
 * created all the same, so then this explains nothing.
 */
function isRegisteredNowhere(c: PresentClaim, driver: string): boolean {
  if (hasFailed(c) || waitedSeconds(c) < patienceSeconds) return false;
  const { object, nodes } = findDriver(c.ask, driver);
  if (object.state !== 'found' || !nodes.complete || nodes.items.length > 0) return false;
  const { leader, pods } = controllerOf(c, { name: driver, isCsi: true });
  const sidecar = sidecarOf((leader ?? pods.items[0])?.spec, 'provisioner');
  return (
    object.object.spec?.storageCapacity === true ||
    /\bTopology=true\b/i.test(flagOf(sidecar, 'feature-gates') ?? '') ||
    flagOf(sidecar, 'strict-topology') === 'true'
  );
}

/** What keeps the node plugin off, where only its DaemonSet shows it. */
function keptOffText(c: PresentClaim, driver: string, node: string): string {
  const found = keptOff(c, driver, node);
  if (!found) return '';
  const { set, text } = found;
  const runs = set.status?.desiredNumberScheduled === 0 ? 'runs on no node' : 'does not run there';
  return ` Its daemonset/${set.metadata.name} in namespace ${set.metadata.namespace ?? ''} ${runs}: it ${text}.`;
}

function keptOff(
  c: PresentClaim,
  driver: string,
  node: string,
): { readonly set: DaemonSet; readonly text: string; readonly path: string } | undefined {
  const [set] = findPluginSets(c.ask, driver).items;
  const lookup = c.ask.get('Node', undefined, node, `whether node ${node} is up`);
  const exclusion = set && lookup.state === 'found' ? exclusionOf(set, lookup.object) : undefined;
  return set && exclusion && { set, text: exclusion.text, path: exclusion.path };
}

function hasKeys(lookup: Lookup<CsiNode>, driver: string): boolean {
  return lookup.state === 'found' && topologyKeysOf(lookup.object, driver).length > 0;
}

function evidenceOf(
  c: PresentClaim,
  driver: string,
  node: string,
  { said, registered, isRegistered, others }: MissingKeys,
  plugin: PluginTrouble | undefined,
): Explanation['evidence'] {
  return [
    selectedNodeField(c, node),
    ...(registered ? [registrationField(registered, driver, isRegistered)] : []),
    ...others
      .slice(0, mostShown)
      .map((other) => note(other, `${driver} has ${topologyKeysOf(other, driver).join(', ')}`)),
    ...(plugin?.evidence ?? keptOffEvidence(c, driver, node)),
    ...saidOnClaim(c, said),
  ];
}

function keptOffEvidence(c: PresentClaim, driver: string, node: string): Evidence[] {
  const found = keptOff(c, driver, node);
  if (!found) return [];
  const { set, path } = found;
  const desired = set.status?.desiredNumberScheduled;
  return [...(desired === undefined ? [] : [field(set, 'status.desiredNumberScheduled', desired)]), field(set, path)];
}

function registrationField(registered: CsiNode, driver: string, isRegistered: boolean): Evidence {
  return isRegistered
    ? field(registered, `spec.drivers[${driver}].topologyKeys`, 'none')
    : field(registered, 'spec.drivers', driversText(registered));
}

/**
 * Nothing brings the driver to the node, so the pod goes where it is: only nodes where it is registered have its
 * topology labels.
 */
function followDriver(c: PresentClaim, driver: string, others: readonly CsiNode[]): Fix | undefined {
  const [pod] = c.consumers.items;
  const [key] = others.flatMap((other) => topologyKeysOf(other, driver));
  // A pod that selects its node by name would fit nowhere.
  if (!pod || key === undefined || pod.spec?.nodeSelector?.['kubernetes.io/hostname'] !== undefined) return undefined;
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }],
      },
    },
  };
  const { commands, where, note: more, risk } = changePod(pod, { affinity });
  // The old pod would have its node written into the claim again.
  const last = ownerOf(pod) ? commands.length : commands.length - 1;
  return steps(
    `Let the pod run only where ${driver} is registered ` +
      `(${nameAll(others.map(({ metadata }) => metadata.name))}): ` +
      `require its topology label ${where}, and remove the annotation that holds the claim to its node. ` +
      `The scheduler then chooses again.${more}`,
    [
      ...commands.slice(0, last),
      kubectl('annotate', c.claim, `${selectedNodeAnnotations[0]}-`),
      ...commands.slice(last),
    ],
    risk,
  );
}

/** What is known to keep the driver off the node comes first; otherwise the pod goes where the driver is. */
function advise(
  c: PresentClaim,
  driver: string,
  node: string,
  { isRegistered, isNowhere, others }: MissingKeys,
  plugin: PluginTrouble | undefined,
): Fix[] {
  if (isRegistered)
    return [restartPlugin(c, driver, node, 'It registers again, with its topology keys.'), chooseOtherNode(c, node)];
  const known = [...(plugin?.fix ?? []), ...bringPlugin(c, driver, node)];
  // Another node would do only where the driver is registered.
  if (known.length > 0) return isNowhere ? known : [...known, chooseOtherNode(c, node)];
  // No other node would do: the driver is known to have keys on none.
  if (others.length === 0 && findDriver(c.ask, driver).nodes.complete) return [deployPlugin(driver, node, 'Run')];
  return [followDriver(c, driver, others) ?? chooseOtherNode(c, node), deployPlugin(driver, node)];
}
