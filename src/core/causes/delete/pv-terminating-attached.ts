import { note } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Attachment } from '../../kube/kinds.ts';
import { attacherPrefix, deletionEvidence, removeFinalizerFix } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import { detachSeconds, findAttachmentFix, reasonOfAttachment, stateOf, waitWhileDetaching } from './still-attached.ts';
import { attachmentsOf, deleterOf, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/**
 * external-attacher removes its finalizer from a volume when no attachment names it any more
 * (SyncNewOrUpdatedPersistentVolume).
 */
export const pvTerminatingAttached = objectRule('PersistentVolume', {
  cause: 'pv-terminating-attached',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const finalizer = v.finalizers.find((name) => name.startsWith(attacherPrefix));
    if (!v.isTerminating || finalizer === undefined || v.object.status?.phase === 'Bound') return undefined;
    const { items, complete } = attachmentsOf(v);
    const [attachment, ...more] = items;
    if (attachment) return explainAttachment(v, attachment, more);
    if (secondsTerminating(v) < detachSeconds) return undefined;
    return complete ? explainAttacher(v, finalizer) : explainUnseen(v, finalizer);
  },
});

function explainAttachment(v: VolumeSubject, attachment: Attachment, more: readonly Attachment[]): Explanation {
  const waited = secondsTerminating(v);
  const { words, isOfVolume, evidence, fix } = reasonOfAttachment(v, attachment, waited);
  return {
    ...waitWhileDetaching(waited, attachment),
    summary: `pv/${v.name} is being deleted and ${isOfVolume ? words : `is still attached: ${words}`}`,
    evidence: [
      ...deletionEvidence(v.object),
      ...evidence,
      ...more.slice(0, 2).flatMap((item) => stateOf(v, item).evidence),
    ],
    fix,
  };
}

/** The attachments could not be read: the finalizer alone tells, since it stays as long as an attachment does. */
function explainUnseen(v: VolumeSubject, finalizer: string): Explanation {
  return {
    confidence: 'likely',
    summary: `pv/${v.name} is being deleted and still has ${finalizer}, so most likely it is still attached to a node; its attachments could not be read`,
    evidence: deletionEvidence(v.object),
    fix: [findAttachmentFix(v)],
  };
}

/** No attachment is left: then it is the attacher that does not remove its finalizer. */
function explainAttacher(v: VolumeSubject, finalizer: string): Explanation {
  const driver = deleterOf(v.object) ?? finalizer.slice(attacherPrefix.length);
  const controller = findController(v.ask, driver, 'attacher');
  const trouble = troubleOf(controller, v.now);
  return {
    confidence: trouble?.confidence ?? 'likely',
    ...(trouble && { about: driver }),
    summary: trouble
      ? `pv/${v.name} is being deleted and no longer attached anywhere, but the attacher of ${driver} ${trouble.words}, so nobody takes ${finalizer} off`
      : `pv/${v.name} is being deleted and no longer attached anywhere, yet the attacher of ${driver} has not taken ${finalizer} off`,
    evidence: [
      ...deletionEvidence(v.object),
      note(v.object, 'no VolumeAttachment names it'),
      ...(trouble?.evidence ?? []),
    ],
    fix: [
      ...(trouble?.fix ?? [logsFix(controller)]),
      removeFinalizerFix(
        v.object,
        finalizer,
        'only if the driver is gone for good and the volume is attached nowhere in the backend, take the finalizer off by hand',
      ),
    ],
  };
}
