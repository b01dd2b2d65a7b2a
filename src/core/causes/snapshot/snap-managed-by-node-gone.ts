import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { managedByLabel } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { ruleForBoth } from './snapshot-rule.ts';

/** Distributed snapshotting: the sidecar on the node of the volume, and no other, handles the content (getManagedByNode). */
function explain(s: SnapshotCase): Explanation | undefined {
  const { content } = s;
  const node = content?.metadata.labels?.[managedByLabel];
  const driver = content?.spec?.driver;
  if (!content || !node || (content.status?.readyToUse === true && content.metadata.deletionTimestamp === undefined))
    return undefined;
  const name = content.metadata.name;
  const label = field(content, `metadata.labels[${managedByLabel}]`, node);
  const lookup = s.ask.get(
    'Node',
    undefined,
    node,
    `whether node ${node}, which handles volumesnapshotcontent/${name}, still exists`,
  );
  const look = fix(
    'if the node or the driver comes back, nothing else is needed',
    `kubectl get node ${shellWord(node)}`,
  );
  const drop = fix(
    'data-loss: if the node is gone for good, see that nothing is left of the snapshot on the storage, then drop the finalizers of the content by hand',
    `kubectl patch volumesnapshotcontent ${shellWord(name)} --type=merge -p ${shellWord('{"metadata":{"finalizers":null}}')}`,
    'data-loss',
  );
  if (lookup.state === 'missing') {
    return {
      about: node,
      summary: `only node ${node} may handle volumesnapshotcontent/${name}, and that node does not exist any more`,
      evidence: [label, absent('Node', node)],
      fix: [look, drop],
    };
  }
  const csiNode =
    lookup.state === 'found' && driver
      ? s.ask.get('CSINode', undefined, node, `whether ${driver} is registered on ${node}`)
      : undefined;
  const isRegistered =
    csiNode?.state === 'found' && csiNode.object.spec?.drivers?.some((entry) => entry.name === driver);
  if (csiNode?.state !== 'found' || isRegistered) return undefined;
  return {
    about: node,
    summary: `only node ${node} may handle volumesnapshotcontent/${name}, and ${driver ?? 'the driver'} is not registered there any more`,
    evidence: [
      label,
      field(
        csiNode.object,
        'spec.drivers',
        (csiNode.object.spec?.drivers ?? []).map((entry) => entry.name ?? '').join(', ') || 'none',
      ),
    ],
    fix: [
      fix(
        `bring the driver back on ${node}`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
      drop,
    ],
  };
}

export const snapManagedByNodeGone = ruleForBoth({ cause: 'snap-managed-by-node-gone', severity: 'blocking', explain });
export const snapManagedByNodeGoneOnDelete = ruleForBoth({
  cause: 'snap-managed-by-node-gone',
  severity: 'blocking',
  stage: 'delete',
  explain,
});
