import { eventSaid, field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { findAttachmentFix, reasonOfAttachment, stateOf, waitWhileDetaching } from './still-attached.ts';
import type { AttachmentReason } from './still-attached.ts';
import { attachmentsOf, deleteFailure, isToBeDeleted, stillAttached, waitedSeconds } from './volume-deletion.ts';

/** external-provisioner canDeleteVolume: it does not even call the driver while an attachment exists. */
export const pvDeleteStillAttached = objectRule('PersistentVolume', {
  cause: 'pv-delete-still-attached',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeDeleted(v) || !v.object.spec?.csi) return undefined;
    const said = deleteFailure(v, stillAttached);
    const { items, complete } = attachmentsOf(v);
    const [attachment, ...more] = items;
    // An event from before the attachment went no longer counts.
    if (!attachment && (complete || !said)) return undefined;
    const reason = attachment && reasonOfAttachment(v, attachment, waitedSeconds(v));
    return {
      ...waitWhileDetaching(waitedSeconds(v), attachment),
      confidence: attachment ? 'certain' : 'likely',
      summary: `pv/${v.name} cannot be deleted while it is attached${reasonWords(reason, said?.match[2])}`,
      evidence: [
        field(v.object, 'status.phase'),
        ...(reason?.evidence ?? []),
        ...more.slice(0, 2).flatMap((item) => stateOf(v, item).evidence),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: reason?.fix ?? [findAttachmentFix(v)],
    };
  },
});

function reasonWords(reason: AttachmentReason | undefined, node: string | undefined): string {
  if (!reason) return `: its provisioner still sees it on node ${node ?? ''}`;
  return `${reason.isOfVolume ? ', and' : ':'} ${reason.words}`;
}
