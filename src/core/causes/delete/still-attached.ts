import { absent, field, fix, note, shellWord } from '../../facts/evidence.ts';
import { podsAtAttachment } from '../../journey/attachment-stages.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Explanation } from '../lib/rule.ts';
import { uniqueNameOf } from '../../facts/volume/volume-use.ts';
import { findController, logsFix } from '../../facts/driver/drivers.ts';
import type { Attachment } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { whyStillAttached } from '../attach/detach-reason.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/**
 * A pod that is deleted together with its claim needs a moment to unmount and detach: until then the attachment is a
 * wait, not a fault.
 */
export const detachSeconds = 60;
/** The attach-detach controller detaches by force after this time (maxWaitForUnmountDuration). */
const forceSeconds = 360;

/** Why an attachment of a volume that is to be deleted stays. */
export interface AttachmentReason {
  readonly words: string;
  /** The words continue a sentence about the volume itself, not one about its attachment. */
  readonly isOfVolume: boolean;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

export function waitWhileDetaching(waited: number, attachment: Attachment | undefined): { readonly severity?: 'info' } {
  return isDetaching(waited, attachment) ? { severity: 'info' } : {};
}

function isDetaching(waited: number, attachment: Attachment | undefined): boolean {
  return waited < detachSeconds && !attachment?.status?.detachError;
}

/** What the rules of attachments find, else what can be seen. */
export function reasonOfAttachment(v: VolumeSubject, attachment: Attachment, waited: number): AttachmentReason {
  const state = stateOf(v, attachment);
  const explanation = isDetaching(waited, attachment) ? undefined : whyStillAttached(v.ask, attachment);
  if (explanation) return reasonFrom(v, attachment, explanation, state.evidence);
  if (waited > forceSeconds && isLeftOver(v, attachment)) return leftOverReason(v, attachment, state.evidence);
  return { words: state.words, isOfVolume: false, evidence: state.evidence, fix: detachFixes(v, attachment) };
}

/** The explanation of the attachment, worded for the volume. */
function reasonFrom(
  v: VolumeSubject,
  attachment: Attachment,
  { summary, evidence, fix }: Explanation,
  state: readonly Evidence[],
): AttachmentReason {
  const own = `pv/${v.name} `;
  const isOfVolume = summary.startsWith(own);
  const hasNode = evidence.some(({ object }) => object.kind === 'Node');
  return {
    isOfVolume,
    words: isOfVolume
      ? summary.slice(own.length)
      : summary.replace(/^the attachment /, `volumeattachment/${attachment.metadata.name} `),
    evidence: [...evidence, ...(hasNode ? [] : state.filter(({ object }) => object.kind === 'Node'))],
    fix,
  };
}

function leftOverReason(v: VolumeSubject, attachment: Attachment, state: readonly Evidence[]): AttachmentReason {
  const node = attachment.spec?.nodeName ?? '';
  return {
    isOfVolume: false,
    words: `${placeOf(attachment)} is left over, since no pod there uses it, the kubelet does not have it mounted, and nobody detaches it`,
    evidence: [...state, note(v.object, `no pod on ${node} uses it, nor does status.volumesInUse of the node name it`)],
    fix: [
      fix(
        'delete the attachment: the attacher then detaches the volume, and the volume goes by itself',
        `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
        'disruptive',
      ),
    ],
  };
}

/** The node is healthy, and nothing on it needs the volume any more. */
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

function placeOf({ metadata, spec }: Attachment): string {
  return `volumeattachment/${metadata.name} to node ${spec?.nodeName || 'unknown'}`;
}

/** What the attachment and its node show by themselves. */
export function stateOf(
  v: VolumeSubject,
  attachment: Attachment,
): { readonly words: string; readonly evidence: readonly [Evidence, ...Evidence[]] } {
  const { metadata, spec, status } = attachment;
  const name = spec?.nodeName ?? '';
  const node = name === '' ? undefined : v.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  const place = placeOf(attachment);
  const first = field(attachment, 'spec.nodeName');
  const leaving = metadata.deletionTimestamp === undefined ? [] : [field(attachment, 'metadata.deletionTimestamp')];
  const refusal = status?.detachError?.message;
  if (node?.state === 'missing')
    return {
      words: `${place}, which no longer exists, is left over`,
      evidence: [first, absent('Node', name), ...leaving],
    };
  if (refusal)
    return {
      words: `${place} cannot be detached: ${refusal}`,
      evidence: [first, ...leaving, field(attachment, 'status.detachError.message', refusal, status.detachError?.time)],
    };
  return {
    words: `${place} ${leaving.length > 0 ? 'is not detached yet' : 'is there, and nobody detaches it'}`,
    evidence: [first, field(attachment, 'status.attached', status?.attached ?? 'not set'), ...leaving],
  };
}

/** A call that hangs shows only in the attacher's log. */
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

/** For attachments that could not be read. */
export function findAttachmentFix(v: VolumeSubject): Fix {
  return fix('find the attachment and see why it stays', `kubectl get volumeattachments | grep ${shellWord(v.name)}`);
}
