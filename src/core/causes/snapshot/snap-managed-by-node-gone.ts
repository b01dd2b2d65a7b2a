import type { CsiNode } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { findNodePlugin } from '../../facts/driver/node-plugin.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { admitPlugin, restartPlugin } from '../provision/node-plugin-fix.ts';
import { contentFinalizer } from './content-deletion.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { objectText, ruleForBoth } from './snapshot-rule.ts';

/** Distributed snapshotting: only the csi-snapshotter on the volume's node handles the content (getManagedByNode). */
export const snapManagedByNodeGone = ruleForBoth({ cause: 'snap-managed-by-node-gone', severity: 'blocking', explain });
export const snapManagedByNodeGoneOnDelete = ruleForBoth({
  cause: 'snap-managed-by-node-gone',
  severity: 'blocking',
  stage: 'delete',
  explain,
});

function explain(s: SnapshotCase): Explanation | undefined {
  const { content } = s;
  const node = content?.metadata.labels?.[managedByLabel];
  if (!content || !node || isDone(content)) return undefined;
  const lookup = s.ask.get(
    'Node',
    undefined,
    node,
    `whether node ${node}, which handles volumesnapshotcontent/${content.metadata.name}, still exists`,
  );
  if (lookup.state === 'missing') return explainNodeGone(s, content, node);
  const csiNode = lookup.state === 'found' ? findCsiNodeWithoutDriver(s, content, node) : undefined;
  return csiNode && explainUnregistered(s, content, node, csiNode);
}

function isDone({ status, metadata }: SnapshotContent): boolean {
  return status?.readyToUse === true && metadata.deletionTimestamp === undefined;
}

function explainNodeGone(s: SnapshotCase, content: SnapshotContent, node: string): Explanation {
  return {
    about: node,
    summary: `Only the csi-snapshotter on ${node} may handle ${objectText(content)}, and node ${node} does not exist any more.`,
    evidence: [field(content, `metadata.labels[${managedByLabel}]`, node), absent('Node', node)],
    fix: [
      fix(
        `Restore node ${node} under the same name, with its disks and ${content.spec?.driver ?? 'the driver'}. ` +
          'The csi-snapshotter there then continues automatically.',
      ),
      giveUp(s, content, node),
    ],
  };
}

function findCsiNodeWithoutDriver(s: SnapshotCase, { spec }: SnapshotContent, node: string): CsiNode | undefined {
  const driver = spec?.driver;
  if (!driver) return undefined;
  const csiNode = s.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`);
  if (csiNode.state !== 'found' || csiNode.object.spec?.drivers?.some(({ name }) => name === driver)) return undefined;
  return csiNode.object;
}

function explainUnregistered(s: SnapshotCase, content: SnapshotContent, node: string, csiNode: CsiNode): Explanation {
  const driver = content.spec?.driver ?? 'the driver';
  const drivers = (csiNode.spec?.drivers ?? []).map((entry) => entry.name ?? '').join(', ');
  return {
    about: node,
    summary: `Only the csi-snapshotter on ${node} may handle ${objectText(content)}, and ${driver} is not registered there any more.`,
    evidence: [
      field(content, `metadata.labels[${managedByLabel}]`, node),
      field(csiNode, 'spec.drivers', drivers || 'none'),
    ],
    fix: bringDriver(s, driver, node),
  };
}

function bringDriver(s: SnapshotCase, driver: string, node: string): Fix[] {
  const then = `Once ${driver} is registered on ${node}, the csi-snapshotter there continues automatically.`;
  const { sets } = findNodePlugin(s.ask, driver, node);
  const object = s.ask.get('Node', undefined, node);
  const admit = admitPlugin(sets.items[0], object.state === 'found' ? object.object : undefined, then);
  return admit.length > 0 ? admit : [restartPlugin(s, driver, node, then)];
}

/** What is only on the disks of the node is lost with them; on shared storage the snapshot may be left behind. */
function giveUp(s: SnapshotCase, content: SnapshotContent, node: string): Fix {
  const { snapshot } = s;
  const isLeaving = content.metadata.deletionTimestamp !== undefined;
  return steps(
    `If ${node} is gone for good, give the snapshot up: delete the objects and remove the finalizer that ` +
      'only its csi-snapshotter would remove. What the storage still holds of it has to be removed there.',
    [
      ...(snapshot ? [saveCommand(snapshot)] : []),
      saveCommand(content),
      ...(snapshot && snapshot.metadata.deletionTimestamp === undefined
        ? [kubectl('delete', snapshot, '--wait=false')]
        : []),
      ...(isLeaving ? [] : [kubectl('delete', content, '--wait=false')]),
      releaseCommand(content, [contentFinalizer]),
    ],
    'data-loss',
  );
}
