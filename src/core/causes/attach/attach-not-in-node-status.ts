import type { Attachment, Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { lastSeen } from '../../graph/events.ts';
import { ageText } from '../../kube/time.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { isUnlisted } from '../../journey/pod-attach.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { explainOver } from './attach-retry.ts';
import { volumeStart } from './attach-rpc.ts';
import { firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** After a failed attach the controller tries again within this time, and only then lists the volume. */
const retryMs = 360_000;

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

function explainUnlisted(trouble: AttachTrouble): Explanation | undefined {
  const { ask, use, attachment, node } = trouble;
  if (!use || attachment.state !== 'found' || !isAttachedAndUnlisted(use, attachment.object)) return undefined;
  const lookup = ask.get('Node', undefined, node);
  if (lookup.state !== 'found' || staleManagerLease(ask)) return undefined;
  const over = explainBackOff(trouble, use, attachment.object);
  if (over) return over;
  return {
    about: `node ${node}`,
    summary:
      `${volumeStart(trouble)} is attached to ${node}, but status.volumesAttached of the node does not list ` +
      'it, and the kubelet waits for that. ' +
      'The attach-detach controller in the kube-controller-manager has to write it.',
    evidence: evidenceOf(use, attachment.object, lookup.object),
    fix: fixesFor(),
  };
}

export function isAttachedAndUnlisted(use: VolumeUse, attachment: Attachment): boolean {
  return (
    attachment.metadata.deletionTimestamp === undefined &&
    attachment.status?.attached === true &&
    isUnlisted(use, attachment)
  );
}

/** The attacher succeeded after the controller had given up: the controller learns of it at its next try. */
function explainBackOff(trouble: AttachTrouble, use: VolumeUse, attachment: Attachment): Explanation | undefined {
  const failed = use.attachEvents.findLast(({ reason }) => reason === 'FailedAttachVolume');
  const now = trouble.ask.now;
  if (!failed || now - lastSeen(failed) > retryMs) return undefined;
  return explainOver(
    trouble,
    `${volumeStart(trouble)} is attached to ${trouble.node} now. ` +
      `The controller reported an error ${ageText(lastSeen(failed), now)} ago and has not tried again since.`,
    [field(attachment, 'status.attached', true), eventSaid(use.p.pod, failed)],
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

const account = 'system:serviceaccount:kube-system:attachdetach-controller';

function fixesFor(): Fix[] {
  return [
    steps(
      'Check whether the attach-detach controller may write the status of nodes. ' +
        'If the first line prints "no", the default role binding is missing: the second line creates it again. ' +
        'The kubelet then mounts the volume within about 2 minutes.',
      [
        `kubectl auth can-i patch nodes --subresource=status --as=${account}`,
        'kubectl create clusterrolebinding system:controller:attachdetach-controller ' +
          '--clusterrole=system:controller:attachdetach-controller ' +
          '--serviceaccount=kube-system:attachdetach-controller',
      ],
    ),
    steps(
      'If it prints "yes", a webhook or a hanging controller holds the update: ' +
        'the log of the kube-controller-manager names it. ' +
        'Correct the webhook, or restart the kube-controller-manager.',
      ['kubectl -n kube-system logs -l component=kube-controller-manager --tail=200 | grep -i volumesAttached'],
    ),
  ];
}
