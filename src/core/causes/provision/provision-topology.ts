import { findDriver } from '../../facts/driver/drivers.ts';
import { someScope } from '../../graph/inquiry.ts';
import { absent, eventSaid, field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-case.ts';
import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { matchesTopologyTerms } from '../../kube/selectors.ts';
import { failure, hasFailed, provisionerOf } from './provisioner.ts';
import { remakeClass } from './remake-class.ts';
import { unregisteredPluginAnywhere, unregisteredPluginOn } from './unregistered-plugin.ts';

/*
 * The order of external-provisioner GenerateAccessibilityRequirements: the CSINode of the chosen node, its topology
 * keys, the labels for them, the allowed topologies; without a chosen node the topologies of all nodes.
 */

function onChosenNode(
  cause: string,
  explain: (c: PresentClaim, driver: string, node: string) => Explanation | undefined,
): ClaimRule {
  return claimRule({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain(c) {
      const driver = csiDriverOf(c);
      return driver === undefined || c.selectedNode === undefined ? undefined : explain(c, driver, c.selectedNode);
    },
  });
}

export const provisionCsinodeNotFound = onChosenNode('provision-csinode-not-found', (c, driver, node) => {
  const said = failure(
    c,
    /failed to get selected CSINode (\S+):|error getting CSINode for selected node "([^"]+)"|failed to get target node: |(?:csi)?nodes?(?:\.storage\.k8s\.io)? "([^"]+)" not found/,
  );
  const lookup = c.ask.get('CSINode', undefined, node, `whether the kubelet of ${node} has registered its drivers`);
  if (lookup.state === 'found' || (lookup.state === 'unknown' && !said)) return undefined;
  const keys = topologyKeysElsewhere(c, driver);
  return {
    confidence: lookup.state === 'missing' && (keys.length > 0 || said) ? 'certain' : 'likely',
    about: node,
    summary: `node ${node} was chosen for the claim and has no CSINode object, so the provisioner cannot tell where the volume belongs`,
    evidence: [
      selectedNode(c, node),
      ...(lookup.state === 'missing' ? [absent('CSINode', node)] : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      fix(
        'see whether the node is still there and its kubelet runs: it makes the object itself',
        `kubectl get node,csinode ${shellWord(node)}`,
      ),
      chooseAgain(c, 'if the node is gone for good'),
    ],
  };
});

export const provisionTopologyKeyMissing = onChosenNode('provision-topology-key-missing', (c, driver, node) => {
  const said = failure(c, /no topology key found (?:for node|on CSINode) (\S+)/);
  const lookup = c.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`);
  const entry = lookup.state === 'found' ? entryOf(lookup.object, driver) : undefined;
  if (lookup.state === 'missing' || (entry?.topologyKeys ?? []).length > 0) return undefined;
  // A driver that knows no topology anywhere needs no keys.
  const others = topologyKeysElsewhere(c, driver);
  if (!said && (lookup.state === 'unknown' || others.length === 0)) return undefined;
  const isProven = lookup.state === 'found' && (others.length > 0 || said !== undefined);
  const plugin = lookup.state === 'found' && !entry ? unregisteredPluginOn(c, driver, node) : undefined;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${node}`,
    summary: `node ${node} was chosen for the claim, but ${driver} ${lookup.state === 'found' && entry ? 'has no topology keys there' : 'is not registered there'}, so the provisioner cannot tell where the volume belongs${plugin ? `: ${plugin.words}` : ''}`,
    evidence: [
      selectedNode(c, node),
      ...(lookup.state === 'found'
        ? [
            entry
              ? field(lookup.object, `spec.drivers[${driver}].topologyKeys`, 'none')
              : field(lookup.object, 'spec.drivers', driversText(lookup.object)),
          ]
        : []),
      ...others
        .slice(0, 2)
        .map((other) => note(other, `${driver} has ${(entryOf(other, driver)?.topologyKeys ?? []).join(', ')}`)),
      ...(plugin?.evidence ?? []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      ...(plugin?.fix ?? []),
      fix(
        `see what runs on ${node}, and make the node plugin of ${driver} run there, or keep the pod off such nodes`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
      chooseAgain(c, 'then, if the claim stays'),
    ],
  };
});

export const provisionTopologyLabelMissing = onChosenNode('provision-topology-label-missing', (c, driver, name) => {
  const said = failure(c, /topology labels from selected node .* does not match topology keys from CSINode/s);
  const registered = c.ask.get('CSINode', undefined, name, `which topology keys ${driver} has on ${name}`);
  const keys = registered.state === 'found' ? (entryOf(registered.object, driver)?.topologyKeys ?? []) : [];
  const node =
    keys.length > 0 || said
      ? c.ask.get('Node', undefined, name, `whether ${name} bears the topology labels of ${driver}`)
      : undefined;
  const absentKeys =
    node?.state === 'found' ? keys.filter((key) => node.object.metadata.labels?.[key] === undefined) : [];
  if (absentKeys.length === 0 && !(said && (node?.state !== 'found' || registered.state !== 'found'))) return undefined;
  const isProven = absentKeys.length > 0;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${driver}/${name}`,
    summary: isProven
      ? `node ${name} lacks the label ${absentKeys.join(', ')}, by which ${driver} tells where a volume belongs`
      : `node ${name} lacks topology labels by which ${driver} tells where a volume belongs`,
    evidence: [
      selectedNode(c, name),
      ...(registered.state === 'found'
        ? [field(registered.object, `spec.drivers[${driver}].topologyKeys`, keys.join(', '))]
        : []),
      ...(node?.state === 'found' ? absentKeys.map((key) => field(node.object, `metadata.labels[${key}]`)) : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      fix(
        `look at the labels, restart the node plugin of ${driver} on ${name}, so that the kubelet writes them again, and stop whatever strips them`,
        `kubectl get node ${shellWord(name)} --show-labels`,
      ),
    ],
  };
});

export const provisionTopologyNotAllowed = onChosenNode('provision-topology-not-allowed', (c, driver, name) => {
  const storageClass = c.storageClassObject;
  const said = failure(
    c,
    /selected node .* topology .* is not in allowed topologies|topology .* from selected node .* is not in requisite/s,
  );
  const terms = storageClass?.allowedTopologies ?? [];
  if (terms.length === 0 && !(said && c.storageClass?.state === 'unknown')) return undefined;
  const registered = c.ask.get('CSINode', undefined, name, `which topology keys ${driver} has on ${name}`);
  const node = c.ask.get('Node', undefined, name, `in which topology ${name} lies`);
  const keys = registered.state === 'found' ? (entryOf(registered.object, driver)?.topologyKeys ?? []) : [];
  const labels =
    node.state === 'found'
      ? Object.fromEntries(
          keys.flatMap((key) =>
            node.object.metadata.labels?.[key] === undefined ? [] : [[key, node.object.metadata.labels[key]]],
          ),
        )
      : undefined;
  // Only the driver's own keys count, so a term on any other label can never hold.
  const isTranslated = provisionerOf(c)?.inTree !== undefined;
  const isProven =
    !isTranslated &&
    labels !== undefined &&
    keys.length > 0 &&
    terms.length > 0 &&
    !matchesTopologyTerms(terms, labels);
  if (!isProven && !(said && (isTranslated || labels === undefined || keys.length === 0))) return undefined;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: `${c.class.name}/${name}`,
    summary: `node ${name} was chosen for the claim, but class ${c.class.name} does not allow the topology that ${driver} gives it`,
    evidence: [
      selectedNode(c, name),
      ...(storageClass ? [field(storageClass, 'allowedTopologies')] : []),
      ...(registered.state === 'found' && isProven && labels
        ? keys.map((key) => note(registered.object, `${driver} has ${key}=${labels[key] ?? 'not set'}`))
        : []),
      ...(said ? [eventSaid(c.claim, said.event)] : []),
    ],
    fix: [
      fix(
        `see which keys ${driver} has on the node, and which values the node has for them`,
        `kubectl get node,csinode ${shellWord(name)} -o yaml`,
      ),
      remakeClass(c.class.name, `with allowedTopologies in those keys and values`),
    ],
  };
});

export const provisionNoTopology = claimRule({
  cause: 'provision-no-topology',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const driver = csiDriverOf(c);
    if (driver === undefined) return undefined;
    const said = failure(c, /no available topology found|topologyKeys .* were not found on any nodes/s);
    // The place is chosen before the driver is called: who failed otherwise had one.
    if (!said && (c.selectedNode !== undefined || hasFailed(c))) return undefined;
    const terms = c.storageClassObject?.allowedTopologies ?? [];
    if (terms.length > 0 && !said) return undefined;
    if (!said && hasPlace(c, driver) !== false) return undefined;
    const { nodes } = findDriver(c.ask, driver);
    const registered = nodes.items.length === 0 ? [] : nodesWithKeys(c, driver);
    const labelled =
      registered.length > 0
        ? c.ask.list('Node', undefined, `which nodes bear the topology labels of ${driver}`)
        : undefined;
    const isLabelled = (): boolean =>
      registered.some((csiNode) => labelled?.items.some((node) => bearsKeys(node, csiNode, driver)));
    if (labelled && c.ask.graph.remember(`labelled for ${driver}`, isLabelled)) return undefined;
    const isEmpty = registered.length === 0 && nodes.complete;
    const isUnlabelled = registered.length > 0 && labelled?.complete === true;
    // A driver without topology has no keys either, and provisions all the same: its volumes tell.
    const hasPlaces = (): boolean =>
      c.ask
        .seen('PersistentVolume')
        .some(
          (volume) =>
            volume.spec?.csi?.driver === driver &&
            (volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).length > 0,
        );
    const isTopological = said !== undefined || isUnlabelled || c.ask.graph.remember(`places of ${driver}`, hasPlaces);
    if (!isTopological || (!isEmpty && !isUnlabelled && !said)) return undefined;
    const seen = c.ask.seen('CSINode');
    const evidence: Evidence[] = isUnlabelled
      ? registered
          .slice(0, 3)
          .map((node) =>
            field(node, `spec.drivers[${driver}].topologyKeys`, (entryOf(node, driver)?.topologyKeys ?? []).join(', ')),
          )
      : seen.slice(0, 3).map((node) => field(node, 'spec.drivers', driversText(node)));
    const plugin = isUnlabelled || registered.length > 0 ? undefined : unregisteredPluginAnywhere(c, driver);
    return {
      confidence: isEmpty || isUnlabelled ? 'certain' : 'likely',
      about: driver,
      summary:
        isUnlabelled || /were not found on any nodes/.test(said?.match[0] ?? '')
          ? `no node bears the topology labels that ${driver} registered, so there is no place for the volume`
          : `${driver} has registered no topology on any node, so the provisioner knows no place for the volume${plugin ? `: ${plugin.words}` : ''}`,
      evidence: [
        ...(said ? [eventSaid(c.claim, said.event)] : [note(c.claim, 'no topology to choose from')]),
        ...evidence,
        ...(plugin?.evidence ?? []),
      ] as [Evidence, ...Evidence[]],
      fix: [
        ...(plugin?.fix ?? []),
        isUnlabelled
          ? fix(
              `look at the labels, and restart the node plugins of ${driver}: the kubelets then write them again`,
              'kubectl get nodes --show-labels',
            )
          : fix(
              `see which drivers are registered, and make the node plugin of ${driver} run and register on the nodes`,
              `kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name,KEYS:.spec.drivers[*].topologyKeys'`,
            ),
      ],
    };
  },
});

/** Whether some node can be the place of the volume, which nearly always the first one can; undefined as long as nobody has looked. */
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
  return node.state === 'found' && bearsKeys(node.object, registered, driver);
}

function bearsKeys(node: Node, registered: CsiNode, driver: string): boolean {
  return (entryOf(registered, driver)?.topologyKeys ?? []).every((key) => node.metadata.labels?.[key] !== undefined);
}

function csiDriverOf(c: PresentClaim): string | undefined {
  const provisioner = provisionerOf(c);
  return provisioner?.isCsi ? provisioner.name : undefined;
}

function entryOf(
  node: CsiNode,
  driver: string,
): NonNullable<NonNullable<CsiNode['spec']>['drivers']>[number] | undefined {
  return node.spec?.drivers?.find(({ name }) => name === driver);
}

function topologyKeysElsewhere(c: PresentClaim, driver: string): readonly CsiNode[] {
  return findDriver(c.ask, driver).nodes.items.length === 0 ? [] : nodesWithKeys(c, driver);
}

/** Looked for once in a snapshot, however many claims ask. */
function nodesWithKeys(c: PresentClaim, driver: string): readonly CsiNode[] {
  return (
    c.ask.graph
      .group('CSINode', `topology of ${driver}`, (node) =>
        (entryOf(node, driver)?.topologyKeys ?? []).length > 0 ? [''] : [],
      )
      .get('') ?? []
  );
}

function driversText(node: CsiNode): string {
  return (node.spec?.drivers ?? []).map(({ name }) => name ?? '').join(', ') || 'none';
}

function selectedNode(c: PresentClaim, node: string): Evidence {
  const annotation = selectedNodeAnnotations.find((name) => c.annotation(name)) ?? '';
  return field(c.claim, `metadata.annotations[${annotation}]`, node);
}

function chooseAgain(c: PresentClaim, when: string): Fix {
  return fix(
    `${when}, let the scheduler choose again`,
    `kubectl ${inNamespace(c.namespace)}annotate pvc ${shellWord(c.name)} ${selectedNodeAnnotations[0]}-`,
  );
}
