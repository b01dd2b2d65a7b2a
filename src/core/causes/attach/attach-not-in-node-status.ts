import type { Attachment, Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { isUnlisted } from '../../journey/pod-attach.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/**
 * operation_generator.go GenerateVerifyControllerAttachedVolumeFunc: the kubelet waits in silence for the node's status
 * to list the volume.
 */
export const attachNotInNodeStatus = podRule({
  cause: 'attach-not-in-node-status',
  stage: 'attach',
  severity: 'blocking',
  explain: (p) => firstOf(troublesOf(p), explainUnlisted),
});

function explainUnlisted({ ask, use, attachment, node, volumeName }: AttachTrouble): Explanation | undefined {
  if (!use || attachment.state !== 'found' || !isAttachedAndUnlisted(use, attachment.object)) return undefined;
  const lookup = ask.get('Node', undefined, node);
  if (lookup.state !== 'found') return undefined;
  return {
    about: `node ${node}`,
    summary: `pv/${volumeName} is attached to ${node}, but the node's status does not list it, and the kubelet waits for that: the kube-controller-manager cannot write the status of the node`,
    evidence: evidenceOf(use, attachment.object, lookup.object),
    fix: fixesFor(),
  };
}

function isAttachedAndUnlisted(use: VolumeUse, attachment: Attachment): boolean {
  return (
    attachment.metadata.deletionTimestamp === undefined &&
    attachment.status?.attached === true &&
    isUnlisted(use, attachment)
  );
}

function evidenceOf(use: VolumeUse, attachment: Attachment, node: Node): Explanation['evidence'] {
  const { volumesAttached = [], volumesInUse = [] } = node.status ?? {};
  return [
    field(attachment, 'status.attached', true),
    field(node, 'status.volumesAttached', volumesAttached.map(({ name }) => name).join(', ') || 'none'),
    ...(volumesInUse.includes(use.uniqueName ?? '') ? [field(node, 'status.volumesInUse', use.uniqueName)] : []),
  ];
}

function fixesFor(): Fix[] {
  return [
    fix(
      'see that the kube-controller-manager runs and may patch nodes/status',
      'kubectl auth can-i patch nodes --subresource=status --as=system:serviceaccount:kube-system:attachdetach-controller',
    ),
    fix(
      'see that no webhook stands in the way',
      'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations',
    ),
  ];
}
