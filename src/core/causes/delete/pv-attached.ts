import { eventSaid, absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { podsAtAttachment } from '../../journey/attachment-stages.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { uniqueNameOf } from '../../facts/volume/volume-use.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Attachment } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { whyStillAttached } from '../attach/detach-reason.ts';
import { attacherPrefix, deletionEvidence, removeFinalizerFix } from './finalizers.ts';
import { troubleOf } from './controller-trouble.ts';
import {
  attachmentsOf,
  deleteFailure,
  deleterOf,
  isToBeDeleted,
  stillAttached,
  waitedSeconds,
} from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** A pod that goes together with its claim needs a moment to unmount and detach: until then the attachment is a wait, not a fault. */
const detachSeconds = 60;
/** The attach-detach controller detaches by force after this time (maxWaitForUnmountDuration). */
const forceSeconds = 360;

interface Stay {
  readonly words: string;
  /** The words go on about the volume itself, else about its attachment. */
  readonly isOfVolume?: boolean;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

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
      const stay = stayOf(v, attachment, waited);
      return {
        ...patience(waited, attachment),
        summary: `pv/${v.name} is being deleted and ${stay.isOfVolume ? stay.words : `is still attached: ${stay.words}`}`,
        evidence: [
          ...deletionEvidence(v.object),
          ...stay.evidence,
          ...items.slice(1, 3).flatMap((item) => stateOf(v, item).evidence),
        ],
        fix: stay.fix,
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
    const stay = attachment && stayOf(v, attachment, waitedSeconds(v));
    return {
      ...patience(waitedSeconds(v), attachment),
      confidence: attachment ? 'certain' : 'likely',
      summary: `pv/${v.name} cannot be deleted while it is attached${stay?.isOfVolume ? ', and' : ':'} ${stay?.words ?? `its provisioner still sees it on node ${said?.match[2] ?? ''}`}`,
      evidence: [
        field(v.object, 'status.phase'),
        ...(stay?.evidence ?? []),
        ...items.slice(1, 3).flatMap((item) => stateOf(v, item).evidence),
        ...(said ? [eventSaid(v.object, said.event)] : []),
      ],
      fix: stay?.fix ?? [
        fix('find the attachment and see why it stays', `kubectl get volumeattachments | grep ${shellWord(v.name)}`),
      ],
    };
  },
});

function patience(waited: number, attachment: Attachment | undefined): { readonly severity?: 'info' } {
  return waited < detachSeconds && !attachment?.status?.detachError ? { severity: 'info' } : {};
}

/** Why the attachment is there: what its own rules know of it, else what can be seen. */
function stayOf(v: VolumeSubject, attachment: Attachment, waited: number): Stay {
  const state = stateOf(v, attachment);
  const node = attachment.spec?.nodeName ?? '';
  const reason =
    waited < detachSeconds && !attachment.status?.detachError ? undefined : whyStillAttached(v.ask, attachment);
  if (reason) {
    const own = `pv/${v.name} `;
    const isOfVolume = reason.summary.startsWith(own);
    const isNodeTold = reason.evidence.some(({ object }) => object.kind === 'Node');
    return {
      isOfVolume,
      words: isOfVolume
        ? reason.summary.slice(own.length)
        : reason.summary.replace(/^the attachment /, `volumeattachment/${attachment.metadata.name} `),
      evidence: [
        ...reason.evidence,
        ...(isNodeTold ? [] : state.evidence.filter(({ object }) => object.kind === 'Node')),
      ],
      fix: reason.fix,
    };
  }
  if (waited > forceSeconds && isLeftOver(v, attachment)) {
    return {
      words: `${whereOf(attachment)} is left over, since no pod there uses it, the kubelet does not have it mounted, and nobody detaches it`,
      evidence: [
        ...state.evidence,
        note(v.object, `no pod on ${node} uses it, nor does status.volumesInUse of the node name it`),
      ],
      fix: [
        fix(
          'delete the attachment: the attacher then detaches the volume, and the volume goes by itself',
          `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
          'disruptive',
        ),
      ],
    };
  }
  return { words: state.words, evidence: state.evidence, fix: detachFixes(v, attachment) };
}

/** The volume is sound on the node's side, only nobody needs it there any more. */
function isLeftOver(v: VolumeSubject, attachment: Attachment): boolean {
  const { nodeName = '' } = attachment.spec ?? {};
  const name = uniqueNameOf(v.object);
  const node = v.ask.get('Node', undefined, nodeName, `whether node ${nodeName} still exists`);
  if (attachment.metadata.deletionTimestamp !== undefined || node.state !== 'found' || name === undefined) return false;
  const pods = podsAtAttachment(new ObjectCase<'VolumeAttachment'>(v.ask, attachment));
  const isReady = conditionOf(node.object.status?.conditions, 'Ready')?.status === 'True';
  return (
    isReady &&
    pods?.complete === true &&
    pods.items.length === 0 &&
    !(node.object.status?.volumesInUse ?? []).includes(name)
  );
}

function whereOf({ metadata, spec }: Attachment): string {
  return `volumeattachment/${metadata.name} to node ${spec?.nodeName || 'unknown'}`;
}

function stateOf(
  v: VolumeSubject,
  attachment: Attachment,
): { readonly words: string; readonly evidence: readonly [Evidence, ...Evidence[]] } {
  const { metadata, spec, status } = attachment;
  const name = spec?.nodeName ?? '';
  const node = name === '' ? undefined : v.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  const where = whereOf(attachment);
  const first = field(attachment, 'spec.nodeName');
  const leaving = metadata.deletionTimestamp === undefined ? [] : [field(attachment, 'metadata.deletionTimestamp')];
  const refusal = status?.detachError?.message;
  if (node?.state === 'missing')
    return {
      words: `${where}, which no longer exists, is left over`,
      evidence: [first, absent('Node', name), ...leaving],
    };
  if (refusal)
    return {
      words: `${where} cannot be detached: ${refusal}`,
      evidence: [first, ...leaving, field(attachment, 'status.detachError.message', refusal, status.detachError?.time)],
    };
  return {
    words: `${where} ${leaving.length > 0 ? 'is not detached yet' : 'is there, and nobody detaches it'}`,
    evidence: [first, field(attachment, 'status.attached', status?.attached ?? 'not set'), ...leaving],
  };
}

/** A call that hangs leaves its traces in the attacher's log only. */
function detachFixes(v: VolumeSubject, { metadata, spec }: Attachment): Fix[] {
  const name = spec?.nodeName ?? '';
  const isGone = v.ask.get('Node', undefined, name, `whether node ${name} still exists`).state === 'missing';
  const isLeaving = metadata.deletionTimestamp !== undefined && spec?.attacher !== undefined;
  return [
    fix(
      'see why the attachment stays: the volume goes by itself after it',
      `kubectl csi why va/${shellWord(metadata.name)}`,
    ),
    ...(isLeaving ? [logsFix(findController(v.ask, spec.attacher, 'attacher'))] : []),
    ...(isGone
      ? []
      : [
          fix(
            'see which pods still use volumes on that node',
            `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(name)}`,
          ),
        ]),
  ];
}
