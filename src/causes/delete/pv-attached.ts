import { eventSaid, absent, field, fix, note, shellWord } from '../../journey/evidence.ts';
import { objectRule } from '../../journey/rule.ts';
import type { Explanation } from '../../journey/rule.ts';
import { findController, logsFix } from '../../graph/drivers.ts';
import type { Attachment } from '../../model/kinds.ts';
import type { Evidence, Fix } from '../../model/report.ts';
import { attacherPrefix, deletionEvidence, removeFinalizerFix } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import { attachmentsOf, deleteFailure, deleterOf, isToBeDeleted, stillAttached, waitedSeconds } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** A pod that goes together with its claim needs a moment to unmount and detach: until then the attachment is a wait, not a fault. */
const detachSeconds = 60;

/** external-attacher takes its finalizer off a volume when no attachment names it any more (SyncNewOrUpdatedPersistentVolume). */
export const pvTerminatingAttached = objectRule('PersistentVolume', {
  cause: 'pv-terminating-attached',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const finalizer = v.finalizers.find((name) => name.startsWith(attacherPrefix));
    if (!v.isTerminating || finalizer === undefined || v.object.status?.phase === 'Bound') return undefined;
    const { items, complete } = attachmentsOf(v);
    const waited = v.secondsSince(v.object.metadata.deletionTimestamp);
    const [attachment] = items;
    if (attachment) {
      const state = stateOf(v, attachment);
      return {
        ...patience(waited, attachment),
        summary: `pv/${v.name} is being deleted and is still attached: ${state.words}`,
        evidence: [...deletionEvidence(v.object), ...items.slice(0, 3).flatMap((item) => stateOf(v, item).evidence)],
        fix: detachFixes(attachment),
      };
    }
    if (waited < detachSeconds) return undefined;
    return complete ? explainAttacher(v, finalizer) : explainHidden(v, finalizer);
  },
});

/** The finalizer alone tells: it is there as long as an attachment is. */
function explainHidden(v: VolumeSubject, finalizer: string): Explanation {
  return {
    confidence: 'likely',
    summary: `pv/${v.name} is being deleted and still has ${finalizer}, so most likely it is still attached to a node; its attachments could not be read`,
    evidence: deletionEvidence(v.object),
    fix: [fix('find the attachment and see why it stays', `kubectl get volumeattachments | grep ${shellWord(v.name)}`)],
  };
}

/** No attachment is left: then it is the attacher that does not let go. */
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
    evidence: [...deletionEvidence(v.object), note(v.object, 'no VolumeAttachment names it'), ...(trouble?.evidence ?? [])],
    fix: [
      ...(trouble?.fix ?? [logsFix(controller)]),
      removeFinalizerFix(v.object, finalizer, 'only if the driver is gone for good and the volume is attached nowhere in the backend, take the finalizer off by hand'),
    ],
  };
}

/** external-provisioner canDeleteVolume: it does not even call the driver while an attachment is there. */
export const pvDeleteStillAttached = objectRule('PersistentVolume', {
  cause: 'pv-delete-still-attached',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isToBeDeleted(v) || !v.object.spec?.csi) return undefined;
    const said = deleteFailure(v, stillAttached);
    const { items, complete } = attachmentsOf(v);
    const [attachment] = items;
    // What was said before the attachment went no longer counts.
    if (!attachment && (complete || !said)) return undefined;
    const state = attachment && stateOf(v, attachment);
    return {
      ...patience(waitedSeconds(v), attachment),
      confidence: attachment ? 'certain' : 'likely',
      summary: `pv/${v.name} cannot be deleted while it is attached: ${state?.words ?? `its provisioner still sees it on node ${said?.match[2] ?? ''}`}`,
      evidence: [field(v.object, 'status.phase'), ...items.slice(0, 3).flatMap((item) => stateOf(v, item).evidence), ...(said ? [eventSaid(v.object, said.event)] : [])],
      fix: attachment ? detachFixes(attachment) : [fix('find the attachment and see why it stays', `kubectl get volumeattachments | grep ${shellWord(v.name)}`)],
    };
  },
});

function patience(waited: number, attachment: Attachment | undefined): { readonly severity?: 'info' } {
  return waited < detachSeconds && !attachment?.status?.detachError ? { severity: 'info' } : {};
}

function stateOf(v: VolumeSubject, attachment: Attachment): { readonly words: string; readonly evidence: readonly [Evidence, ...Evidence[]] } {
  const { metadata, spec, status } = attachment;
  const name = spec?.nodeName ?? '';
  const node = name === '' ? undefined : v.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  const where = `volumeattachment/${metadata.name} to node ${name || 'unknown'}`;
  const first = field(attachment, 'spec.nodeName');
  const leaving = metadata.deletionTimestamp === undefined ? [] : [field(attachment, 'metadata.deletionTimestamp')];
  const refusal = status?.detachError?.message;
  if (node?.state === 'missing') return { words: `${where}, which no longer exists, is left over`, evidence: [first, absent('Node', name), ...leaving] };
  if (refusal) return { words: `${where} cannot be detached: ${refusal}`, evidence: [first, ...leaving, field(attachment, 'status.detachError.message', refusal, status.detachError?.time)] };
  return { words: `${where} ${leaving.length > 0 ? 'is not detached yet' : 'is there, and nobody detaches it'}`, evidence: [first, field(attachment, 'status.attached', status?.attached ?? 'not set'), ...leaving] };
}

function detachFixes({ metadata, spec }: Attachment): Fix[] {
  return [
    fix('see why the attachment stays: the volume goes by itself after it', `kubectl csi why va/${shellWord(metadata.name)}`),
    fix('see which pods still use volumes on that node', `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(spec?.nodeName ?? '')}`),
  ];
}
