import { note } from '../../facts/evidence.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { startUnseen } from '../../facts/driver/controller-health.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Attachment } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { troubleOf } from './controller-trouble.ts';
import type { SidecarTrouble } from './controller-trouble.ts';
import { isAtRisk, keepFirst } from './data-first.ts';
import { removeFinalizerFix } from './finalizer-fixes.ts';
import { attacherPrefix, deletionEvidence } from './finalizers.ts';
import { detachSeconds, findAttachmentFix, reasonOfAttachment, stateOf } from './still-attached.ts';
import { attachmentsOf, deleterOf, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

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
  const { isWait, words, evidence, fix } = reasonOfAttachment(v, attachment, secondsTerminating(v), keepFirst);
  const node = attachment.spec?.nodeName ?? '';
  return {
    ...(isWait && { severity: 'info' }),
    summary: `${deletedVolumeWords(v)} and stays until it is detached from ${node}. ${words.replace(`It is not detached from ${node}. `, '')}`,
    evidence: [
      ...deletionEvidence(v.object),
      ...evidence,
      ...more.slice(0, 2).flatMap((item) => stateOf(v, item).evidence),
    ],
    fix,
  };
}

/**
 * The attachments could not be read: the finalizer is the only evidence, since it stays as long as an attachment does.
 */
function explainUnseen(v: VolumeSubject, finalizer: string): Explanation {
  return {
    confidence: 'likely',
    summary:
      `${deletedVolumeWords(v)} and still has finalizer ${finalizer}, so most likely it is still attached to a ` +
      'node. The attachments could not be read.',
    evidence: deletionEvidence(v.object),
    fix: [findAttachmentFix(v)],
  };
}

/** No attachment is left: then it is the attacher that does not remove its finalizer. */
function explainAttacher(v: VolumeSubject, finalizer: string): Explanation {
  const driver = deleterOf(v.object) ?? finalizer.slice(attacherPrefix.length);
  const controller = findController(v.ask, driver, 'attacher');
  const trouble = troubleOf(controller, v.now);
  const who = `The attacher of ${driver}, which has to remove finalizer ${finalizer},`;
  return {
    confidence: trouble?.confidence ?? 'likely',
    ...(trouble && { about: driver }),
    summary: `${deletedVolumeWords(v)} and is no longer attached anywhere. ${who} ${trouble ? trouble.words : 'has not done so'}.`,
    evidence: [
      ...deletionEvidence(v.object),
      note(v.object, 'no VolumeAttachment names it'),
      ...(trouble?.evidence ?? []),
    ],
    fix: attacherFixes(v, finalizer, controller, trouble),
  };
}

/** By hand the finalizer is removed only where no attacher exists that could do it. */
function attacherFixes(
  v: VolumeSubject,
  finalizer: string,
  controller: DriverController,
  trouble: SidecarTrouble | undefined,
): Fix[] {
  const pod = controller.leader ?? controller.pods.items[0];
  const restart = pod
    ? restartFix(pod, controller.workload, 'A fresh attacher removes the finalizer, and the volume goes.')
    : startUnseen(`the attacher of ${controller.driver}`);
  const repair = keepFirst(v.object, trouble?.fix ?? [restart]);
  if (trouble?.kind !== 'unseen') return repair;
  const atRisk = isAtRisk(v.object) ? v.object : undefined;
  const when = 'the driver was uninstalled for good and the volume is attached nowhere in the backend';
  return [...repair, removeFinalizerFix(v.object, finalizer, atRisk, when)];
}
