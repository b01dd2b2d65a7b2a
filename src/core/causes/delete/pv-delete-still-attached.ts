import type { EventMatch } from '../../graph/events.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { dataFirst } from './data-first.ts';
import { detachSeconds, findAttachmentFix, reasonOfAttachment, stateOf, waitForDetach } from './still-attached.ts';
import { attachmentsOf, deleteFailure, isToBeDeleted, waitedSeconds } from './volume-deletion.ts';
import { releasedWords } from './volume-words.ts';
import { stillAttachedText } from '../lib/driver-error/sentences/provisioner.ts';

/** external-provisioner canDeleteVolume: it does not even call the driver while an attachment exists. */
export const pvDeleteStillAttached = objectRule('PersistentVolume', {
  cause: 'pv-delete-still-attached',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeDeleted(v) || !v.object.spec?.csi) return undefined;
    const said = deleteFailure(v, stillAttachedText);
    const { items, complete } = attachmentsOf(v);
    const [attachment, ...more] = items;
    // An event from before the attachment went no longer counts.
    if (!attachment && (complete || !said)) return undefined;
    const reason = attachment && reasonOfAttachment(v, attachment, waitedSeconds(v));
    const node = attachment?.spec?.nodeName ?? said?.match[2] ?? '';
    // A detach takes a moment, whether or not the attachment could be read.
    const isEarly = !attachment && waitedSeconds(v) < detachSeconds;
    return {
      ...((reason?.isWait ?? isEarly) && { severity: 'info' }),
      confidence: attachment ? 'certain' : 'likely',
      summary:
        `${releasedWords(v)} and is not deleted while it is attached to ${node}. ${reason?.words ?? unseenWords(said)}`.trimEnd(),
      evidence: [
        field(v.object, 'status.phase'),
        field(v.object, 'spec.persistentVolumeReclaimPolicy'),
        ...(reason?.evidence ?? []),
        ...more.slice(0, 2).flatMap((item) => stateOf(v, item).evidence),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: reason?.fix ?? (isEarly ? [waitForDetach()] : dataFirst(v.object, [findAttachmentFix(v)])),
    };
  },
});

function unseenWords(said: EventMatch | undefined): string {
  return said ? `The provisioner reports "${said.match[0]}"; the attachments could not be read.` : '';
}
