import type { CsiNode } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { ruleForBoth } from './snapshot-rule.ts';

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
  if (lookup.state === 'missing') return explainNodeGone(content, node);
  const csiNode = lookup.state === 'found' ? findCsiNodeWithoutDriver(s, content, node) : undefined;
  return csiNode && explainUnregistered(content, node, csiNode);
}

function isDone({ status, metadata }: SnapshotContent): boolean {
  return status?.readyToUse === true && metadata.deletionTimestamp === undefined;
}

function explainNodeGone(content: SnapshotContent, node: string): Explanation {
  const { name } = content.metadata;
  return {
    about: node,
    summary: `only node ${node} may handle volumesnapshotcontent/${name}, and that node does not exist any more`,
    evidence: [field(content, `metadata.labels[${managedByLabel}]`, node), absent('Node', node)],
    fix: [
      fix('if the node or the driver comes back, nothing else is needed', `kubectl get node ${shellWord(node)}`),
      dropFinalizers(name),
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

function explainUnregistered(content: SnapshotContent, node: string, csiNode: CsiNode): Explanation {
  const { name } = content.metadata;
  const drivers = (csiNode.spec?.drivers ?? []).map((entry) => entry.name ?? '').join(', ');
  return {
    about: node,
    summary: `only node ${node} may handle volumesnapshotcontent/${name}, and ${content.spec?.driver ?? 'the driver'} is not registered there any more`,
    evidence: [
      field(content, `metadata.labels[${managedByLabel}]`, node),
      field(csiNode, 'spec.drivers', drivers || 'none'),
    ],
    fix: [
      fix(
        `bring the driver back on ${node}`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
      dropFinalizers(name),
    ],
  };
}

function dropFinalizers(contentName: string): Fix {
  return fix(
    'data-loss: if the node is gone for good, see that nothing is left of the snapshot on the storage, then drop the finalizers of the content by hand',
    `kubectl patch volumesnapshotcontent ${shellWord(contentName)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
    'data-loss',
  );
}
