import { absent, field, note, shellWord } from '../../facts/evidence.ts';
import { podsAtAttachment } from '../../journey/attachment-stages.ts';
import { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Explanation } from '../lib/rule.ts';
import { uniqueNameOf } from '../../facts/volume/volume-use.ts';
import { restartFix } from '../../facts/driver/controller-fixes.ts';
import { restartUnseen, startUnseen } from '../../facts/driver/controller-health.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { Attachment, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { whyStillAttached } from '../attach/detach-reason.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { sentence } from '../lib/sentence.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { nameSome } from './claim-holders.ts';
import { dataFirst } from './data-first.ts';
import type { keepFirst } from './data-first.ts';
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
  /** A wait that ends without help, so far as can be seen. */
  readonly isWait: boolean;
  /** One or two full sentences. */
  readonly words: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/**
 * What the rules of attachments find, else what can be seen. A proven leftover counts at once, anything else after a
 * moment.
 */
export function reasonOfAttachment(
  v: VolumeSubject,
  attachment: Attachment,
  waited: number,
  guard: typeof keepFirst = dataFirst,
): AttachmentReason {
  const state = stateOf(v, attachment);
  const isEarly = waited < detachSeconds && !attachment.status?.detachError;
  const explanation = whyStillAttached(v.ask, attachment);
  if (explanation && (!isEarly || isLeftOverAtOnce(explanation)))
    return reasonFrom(v, explanation, state.evidence, guard);
  if (waited > forceSeconds && isLeftOver(v, attachment)) return leftOverReason(v, attachment, state.evidence, guard);
  const pods = podsAt(v, attachment);
  const isWait = isEarly || (pods.length === 0 && isDetaching(v, attachment));
  return {
    isWait,
    words: isWait ? `${state.words} This usually takes less than a minute.` : `${state.words}${podWords(pods)}`,
    evidence: [...state.evidence, ...pods.slice(0, 3).map((pod) => note(pod, 'uses the volume on that node'))],
    fix: isWait ? [waitForDetach()] : guard(v.object, detachFixes(v, attachment, pods, waited)),
  };
}

/** The detach has only just begun, however long ago the volume was released: it may have been in use until then. */
function isDetaching({ now }: VolumeSubject, { metadata, status }: Attachment): boolean {
  const began = parseTime(metadata.deletionTimestamp);
  return began !== undefined && (now - began) / 1000 < detachSeconds && !status?.detachError;
}

/** What the attachment needs to be used or removed does not exist: no waiting ends that. */
function isLeftOverAtOnce({ evidence, severity }: Explanation): boolean {
  return (
    severity !== 'info' &&
    evidence.some(
      ({ object, path = '', value }) =>
        (['Node', 'CSIDriver'].includes(object.kind) && value === 'does not exist') || path === 'spec.attachRequired',
    )
  );
}

/** The explanation of the attachment, as sentences about the volume. */
function reasonFrom(
  v: VolumeSubject,
  { summary, evidence, fix }: Explanation,
  state: readonly Evidence[],
  guard: typeof keepFirst,
): AttachmentReason {
  const hasNode = evidence.some(({ object }) => object.kind === 'Node');
  const own = `pv/${v.name} `;
  const words = summary.startsWith(own) ? `It ${summary.slice(own.length)}` : summary.replace(/^the /, 'The ');
  return {
    isWait: false,
    words: sentence(words),
    evidence: [...evidence, ...(hasNode ? [] : state.filter(({ object }) => object.kind === 'Node'))],
    fix: guard(v.object, fix),
  };
}

function leftOverReason(
  v: VolumeSubject,
  attachment: Attachment,
  state: readonly Evidence[],
  guard: typeof keepFirst,
): AttachmentReason {
  const node = attachment.spec?.nodeName ?? '';
  return {
    isWait: false,
    words:
      `The attachment is left over: no pod on ${node} uses the volume, the kubelet there does not have it ` +
      'mounted, and the attach-detach controller has not removed it.',
    evidence: [...state, note(v.object, `no pod on ${node} uses it, nor does status.volumesInUse of the node name it`)],
    fix: guard(v.object, [
      steps(
        `Delete the VolumeAttachment: the attacher then detaches the volume from ${node}.`,
        [saveCommand(attachment), kubectl('delete', attachment)],
        'disruptive',
      ),
    ]),
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

/** Pods on the node that still use the volume. */
function podsAt(v: VolumeSubject, attachment: Attachment): readonly Pod[] {
  return podsAtAttachment(new ObjectCase<'VolumeAttachment'>(v.ask, attachment))?.items ?? [];
}

function podWords(pods: readonly Pod[]): string {
  if (pods.length === 0) return '';
  const names = nameSome(pods.map(({ metadata }) => `pod/${metadata.name} in namespace ${metadata.namespace ?? ''}`));
  return ` ${names} still ${pods.length === 1 ? 'uses' : 'use'} it there.`;
}

/** What the attachment and its node show themselves. */
export function stateOf(
  v: VolumeSubject,
  attachment: Attachment,
): { readonly words: string; readonly evidence: readonly [Evidence, ...Evidence[]] } {
  const { metadata, spec, status } = attachment;
  const name = spec?.nodeName ?? '';
  const node = name === '' ? undefined : v.ask.get('Node', undefined, name, `whether node ${name} still exists`);
  const first = field(attachment, 'spec.nodeName');
  const leaving = metadata.deletionTimestamp === undefined ? [] : [field(attachment, 'metadata.deletionTimestamp')];
  const refusal = status?.detachError?.message;
  if (node?.state === 'missing')
    return {
      words: `${name} no longer exists, so the attachment is left over.`,
      evidence: [first, absent('Node', name), ...leaving],
    };
  if (refusal)
    return {
      words: `It cannot be detached: ${quoteWords(parseDriverError(refusal).words)}.`,
      evidence: [first, ...leaving, field(attachment, 'status.detachError.message', refusal, status.detachError?.time)],
    };
  return {
    words:
      leaving.length > 0
        ? 'The attacher has not finished the detach yet.'
        : 'The attach-detach controller has not begun to detach it.',
    evidence: [first, field(attachment, 'status.attached', status?.attached ?? 'not set'), ...leaving],
  };
}

export function waitForDetach(): Fix {
  return steps('Wait: the volume is deleted automatically when it is detached.', []);
}

function detachFixes(v: VolumeSubject, attachment: Attachment, pods: readonly Pod[], waited: number): Fix[] {
  const { metadata, spec } = attachment;
  const [pod] = pods;
  if (pod) return [stopPodFix(pod, (what) => `Free the volume: ${what}. It is then detached.`)];
  if (metadata.deletionTimestamp === undefined && waited > forceSeconds)
    return [
      steps(
        `Make sure that no pod on ${spec?.nodeName ?? 'the node'} uses the volume, then delete the ` +
          'VolumeAttachment: the attach-detach controller would have removed it within 6 minutes. The ' +
          'attacher then detaches the volume.',
        [saveCommand(attachment), kubectl('delete', attachment)],
        'disruptive',
      ),
    ];
  if (metadata.deletionTimestamp === undefined || spec?.attacher === undefined)
    return [
      steps(
        'Wait for the attach-detach controller: it detaches a volume that no pod uses, by force 6 minutes after the last pod.',
        [],
      ),
    ];
  const controller = findController(v.ask, spec.attacher, 'attacher');
  const attacher = controller.leader ?? controller.pods.items[0];
  const then = 'A fresh attacher tries the detach again at once.';
  if (attacher) return [restartFix(attacher, controller.workload, then)];
  const who = `the attacher of ${spec.attacher}`;
  return [controller.lease.state === 'fresh' ? restartUnseen(who, then) : startUnseen(who)];
}

/** For attachments that could not be read. */
export function findAttachmentFix(v: VolumeSubject): Fix {
  return steps(
    'Find the attachment and what keeps it: the volume goes automatically after it. PLACEHOLDER_ATTACHMENT is the name in the first line.',
    [`kubectl get volumeattachments | grep -e ${shellWord(v.name)}`, 'kubectl csi why va/PLACEHOLDER_ATTACHMENT'],
  );
}
