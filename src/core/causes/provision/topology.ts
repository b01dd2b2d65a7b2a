import type { CsiNode, Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-annotations.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { findDriver } from '../../facts/driver/drivers.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import { dataSourceOf, hasReachedDriver, isPopulated } from './data-source.ts';
import { provisionerOf } from './provisioner.ts';

/*
 * The order of external-provisioner GenerateAccessibilityRequirements: the CSINode of the selected node, its topology
 * keys, the labels for them, the allowed topologies; without a selected node the topologies of all nodes.
 */

/** A rule for a claim that has a selected node; the driver is called only after all of these checks. */
export function selectedNodeRule(
  cause: string,
  explain: (c: PresentClaim, driver: string, node: string) => Explanation | undefined,
): ClaimRule {
  return claimRule({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain(c) {
      const driver = csiDriverOf(c);
      if (driver === undefined || c.selectedNode === undefined || hasReachedDriver(c)) return undefined;
      // The provisioner does not touch a claim that a populator has to fill.
      const source = dataSourceOf(c);
      if (source && isPopulated(source)) return undefined;
      return explain(c, driver, c.selectedNode);
    },
  });
}

export function csiDriverOf(c: PresentClaim): string | undefined {
  const provisioner = provisionerOf(c);
  return provisioner?.isCsi ? provisioner.name : undefined;
}

/** What the kubelet registered for the driver on the node. */
type RegisteredDriver = NonNullable<NonNullable<CsiNode['spec']>['drivers']>[number];

export function registeredDriverOf(node: CsiNode, driver: string): RegisteredDriver | undefined {
  return node.spec?.drivers?.find(({ name }) => name === driver);
}

export function topologyKeysOf(node: CsiNode, driver: string): readonly string[] {
  return registeredDriverOf(node, driver)?.topologyKeys ?? [];
}

/** The nodes on which the driver has topology keys; looked for once in a snapshot, however many claims ask. */
export function nodesWithKeys(c: PresentClaim, driver: string): readonly CsiNode[] {
  return (
    c.ask.graph
      .group('CSINode', `topology of ${driver}`, (node) => (topologyKeysOf(node, driver).length > 0 ? [''] : []))
      .get('') ?? []
  );
}

/** The same, after the nodes of the driver have been asked for. */
export function askForNodesWithKeys(c: PresentClaim, driver: string): readonly CsiNode[] {
  return findDriver(c.ask, driver).nodes.items.length === 0 ? [] : nodesWithKeys(c, driver);
}

export function hasLabelsFor(node: Node, registered: CsiNode, driver: string): boolean {
  return topologyKeysOf(registered, driver).every((key) => node.metadata.labels?.[key] !== undefined);
}

export function driversText(node: CsiNode): string {
  return (node.spec?.drivers ?? []).map(({ name }) => name ?? '').join(', ') || 'none';
}

export function selectedNodeField(c: PresentClaim, node: string): Evidence {
  const annotation = selectedNodeAnnotations.find((name) => c.annotation(name)) ?? '';
  return field(c.claim, `metadata.annotations[${annotation}]`, node);
}
