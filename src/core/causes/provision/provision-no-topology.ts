import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { EventMatch } from '../../graph/events.ts';
import { someScope } from '../../graph/inquiry.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { findDriver } from '../../facts/driver/drivers.ts';
import { findPluginSets, registrarOf } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { eventSaid, field, fix, note } from '../../facts/evidence.ts';
import { sentence } from '../lib/sentence.ts';
import { admitPlugin, registerPlugin, restartPlugin } from './node-plugin-fix.ts';
import { claimRule } from '../lib/rule.ts';
import { dataSourceOf, isPopulated } from './data-source.ts';
import { failure, hasFailed } from './provisioner.ts';
import { csiDriverOf, driversText, hasLabelsFor, nodesWithKeys, topologyKeysOf } from './topology.ts';
import { refusedPlugin } from './refused-plugin.ts';
import { unregisteredPluginAnywhere } from './unregistered-plugin.ts';
import { noTopologyTexts, topologyKeysMissingText } from '../lib/driver-error/sentences/provisioner.ts';

const mostShown = 3;

/** external-provisioner GenerateAccessibilityRequirements, without a selected node: the topologies of all nodes. */
export const provisionNoTopology = claimRule({
  cause: 'provision-no-topology',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const driver = csiDriverOf(c);
    if (driver === undefined) return undefined;
    const said = failure(c, noTopologyTexts);
    if (!said && !mayLackPlace(c, driver)) return undefined;
    const lack = findLack(c, driver, said);
    if (!lack) return undefined;
    const plugin =
      lack.registered.length > 0 ? undefined : (refusedPlugin(c, driver) ?? unregisteredPluginAnywhere(c, driver));
    return {
      confidence: lack.isUnlabelled || lack.isUnregistered ? 'certain' : 'likely',
      about: driver,
      summary:
        lack.isUnlabelled || topologyKeysMissingText.test(said?.match[0] ?? '')
          ? `No node has all the topology labels that ${driver} registered${missingText(c, driver, lack)}, ` +
            'so there is no place for its volumes.'
          : `${lack.isUnregistered ? `${driver} has registered no topology on any node, so the provisioner knows no place for its volumes.` : `The provisioner finds no node on which ${driver} has registered a topology, so it knows no place for the volume.`}${plugin ? ` ${sentence(plugin.words)}` : ''}`,
      evidence: [
        said ? eventSaid(c.claim, said.event) : note(c.claim, 'no topology to choose from'),
        ...nodeEvidence(c, driver, lack),
        ...(plugin?.evidence ?? []),
      ],
      fix: advise(c, driver, lack.isUnlabelled, plugin?.fix ?? []),
    };
  },
});

/** Without a refusal: the place is chosen before the driver is called, so a claim that failed otherwise had one. */
function mayLackPlace(c: PresentClaim, driver: string): boolean {
  if (c.selectedNode !== undefined || hasFailed(c) || isLeftToPopulator(c)) return false;
  if ((c.storageClassObject?.allowedTopologies ?? []).length > 0) return false;
  return hasPlace(c, driver) === false;
}

/** The provisioner does not touch such a claim, so it looks for no place either (prepareProvision). */
function isLeftToPopulator(c: PresentClaim): boolean {
  const source = dataSourceOf(c);
  return source !== undefined && isPopulated(source);
}

/**
 * Whether some node can take the volume, which nearly always the first one can; undefined as long as it has not been
 * read.
 */
function hasPlace(c: PresentClaim, driver: string): boolean | undefined {
  if (findDriver(c.ask, driver).object.state === 'unknown' && c.ask.isUnasked('CSIDriver', { name: driver }))
    return undefined;
  c.ask.some('CSINode', `on which nodes ${driver} is registered`);
  if (c.ask.isUnasked('CSINode', someScope)) return undefined;
  const [registered] = nodesWithKeys(c, driver);
  if (!registered) return false;
  const { name } = registered.metadata;
  const node = c.ask.get('Node', undefined, name, `which nodes bear the topology labels of ${driver}`);
  if (node.state === 'unknown' && c.ask.isUnasked('Node', { name })) return undefined;
  return node.state === 'found' && hasLabelsFor(node.object, registered, driver);
}

/** Why the provisioner finds no place. */
interface Lack {
  /** Nodes on which the driver has topology keys. */
  readonly registered: readonly CsiNode[];
  /** All nodes were read, and the driver has keys on none. */
  readonly isUnregistered: boolean;
  /** The driver has keys, and no node has the labels for them. */
  readonly isUnlabelled: boolean;
}

function findLack(c: PresentClaim, driver: string, said: EventMatch | undefined): Lack | undefined {
  const { nodes } = findDriver(c.ask, driver);
  const registered = nodes.items.length === 0 ? [] : nodesWithKeys(c, driver);
  if (registered.length > 0) {
    const why = `which nodes bear the topology labels of ${driver}`;
    const labelled = c.ask.list('Node', undefined, why);
    const isLabelled = (): boolean =>
      registered.some((csiNode) => labelled.items.some((node) => hasLabelsFor(node, csiNode, driver)));
    if (c.ask.graph.remember(`labelled for ${driver}`, isLabelled)) return undefined;
    const isUnlabelled = labelled.complete;
    return isUnlabelled || said ? { registered, isUnregistered: false, isUnlabelled } : undefined;
  }
  const isLacking = said !== undefined || (nodes.complete && usesTopology(c, driver));
  return isLacking ? { registered, isUnregistered: nodes.complete, isUnlabelled: false } : undefined;
}

/** A driver without topology has no keys either, and provisions all the same: its volumes show which kind it is. */
function usesTopology(c: PresentClaim, driver: string): boolean {
  const hasBoundPlaces = (): boolean =>
    c.ask
      .seen('PersistentVolume')
      .some(
        ({ spec }) => spec?.csi?.driver === driver && (spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).length > 0,
      );
  return c.ask.graph.remember(`places of ${driver}`, hasBoundPlaces);
}

/** The keys that no node has as a label; drivers that register every label of a node fail over one that was removed. */
function missingText(c: PresentClaim, driver: string, { registered, isUnlabelled }: Lack): string {
  const nodes = c.ask.seen('Node');
  if (!isUnlabelled || nodes.length === 0) return '';
  const keys = [...new Set(registered.flatMap((node) => topologyKeysOf(node, driver)))];
  const missing = keys.filter((key) => nodes.every(({ metadata }) => metadata.labels?.[key] === undefined));
  return missing.length === 0 || missing.length === keys.length
    ? ''
    : ` (none has ${missing.slice(0, mostShown).join(', ')}${missing.length > mostShown ? ', …' : ''})`;
}

/** A DaemonSet with a registrar that selects no node, where no set names the driver. */
function idleSet(c: PresentClaim): DaemonSet | undefined {
  const [set, ...more] = c.ask
    .seen('DaemonSet')
    .filter(
      ({ spec, status }) => registrarOf(spec?.template?.spec) !== undefined && status?.desiredNumberScheduled === 0,
    );
  return more.length === 0 ? set : undefined;
}

function nodeEvidence(c: PresentClaim, driver: string, { registered, isUnlabelled }: Lack): Evidence[] {
  if (!isUnlabelled)
    return c.ask
      .seen('CSINode')
      .slice(0, mostShown)
      .map((node) => field(node, 'spec.drivers', driversText(node)));
  return registered
    .slice(0, mostShown)
    .map((node) => field(node, `spec.drivers[${driver}].topologyKeys`, topologyKeysOf(node, driver).join(', ')));
}

function advise(c: PresentClaim, driver: string, isUnlabelled: boolean, pluginFix: readonly Fix[]): Fix[] {
  if (isUnlabelled)
    return [
      restartPlugin(
        c,
        driver,
        undefined,
        'The kubelets then write the labels again, and claims are retried. If the same labels go missing again, ' +
          'something else sets and removes them: let the driver register only labels that stay.',
      ),
    ];
  if (pluginFix.length > 0) return [...pluginFix];
  const {
    items: [set],
    complete,
  } = findPluginSets(c.ask, driver);
  const then = `Its pods then register ${driver} on the nodes, and claims are retried automatically.`;
  const admitted = c.ask
    .seen('Node')
    .map((node) => admitPlugin(set, node, then, c.ask.seen('Node')))
    .find((fixes) => fixes.length > 0);
  if (admitted) return admitted;
  if (!set && !complete) return [registerPlugin(driver, then)];
  const idle = set ? undefined : idleSet(c);
  const selected = Object.entries(idle?.spec?.template?.spec?.nodeSelector ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  if (idle && selected.length > 0)
    return [
      steps(
        `If daemonset/${idle.metadata.name} is the node plugin of ${driver}, give the nodes that should ` +
          `run it the label that it selects (${selected.join(', ')}); no node has it. ${then}`,
        c.ask
          .seen('Node')
          .slice(0, mostShown)
          .map((node) => kubectl('label', node, selected.map(shellWord).join(' '))),
      ),
    ];
  return set
    ? [restartPlugin(c, driver, undefined, then)]
    : [fix(`Install the node plugin of ${driver} (its DaemonSet with node-driver-registrar). ${then}`)];
}
