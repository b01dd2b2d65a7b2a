import type { Inquiry } from '../../graph/inquiry.ts';
import type { Attachment } from '../../kube/kinds.ts';
import { assessAttachment } from '../../journey/attachment-stages.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import type { Explanation, ObjectRule, Rule } from '../lib/rule.ts';
import { detachAttacherNotRunning } from './detach-attacher-not-running.ts';
import { detachNodeNotReady } from './detach-node-not-ready.ts';
import { detachRpcError } from './detach-rpc-error.ts';
import { detachVolumeInUse } from './detach-volume-in-use.ts';
import { vaNodeGoneNoNodeId } from './va-node-gone-no-nodeid.ts';
import { vaOrphanAttachRequiredFalse } from './va-orphan-attachrequired-false.ts';
import { vaOrphanDriverGone } from './va-orphan-driver-gone.ts';
import { vaOrphanNodeDeleted } from './va-orphan-node-deleted.ts';

/** In the order of judgement of the attach stage. */
const rules: readonly Rule[] = [
  ...vaNodeGoneNoNodeId,
  ...vaOrphanDriverGone,
  ...vaOrphanNodeDeleted,
  vaOrphanAttachRequiredFalse,
  ...detachNodeNotReady,
  ...detachVolumeInUse,
  ...detachRpcError,
  ...detachAttacherNotRunning,
];
const rulesOfAttachment = rules.filter(
  (rule): rule is ObjectRule<'VolumeAttachment'> => rule.on === 'VolumeAttachment',
);

/** Why an attachment stays, as the diagnosis of the attachment would report it: for what has to wait for its end. */
export function whyStillAttached(ask: Inquiry, attachment: Attachment): Explanation | undefined {
  const a = new ObjectCase<'VolumeAttachment'>(ask, attachment);
  if (assessAttachment(a).state !== 'open') return undefined;
  for (const rule of rulesOfAttachment) {
    const explanation = rule.explain(a);
    if (explanation) return explanation;
  }
  return undefined;
}
