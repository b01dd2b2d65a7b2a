import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { Attachment, KubeEvent, Volume } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Confidence, Evidence, Severity } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { volumeOfAttachment } from '../../journey/attachment-stages.ts';
import { absent, eventSaid, field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { pendingUses, waitsSince } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { saysNoAnswer, saysTimeout } from '../lib/driver-error/senses/time.ts';
import { attachFailedText } from '../lib/driver-error/wrappings.ts';
import { claimText } from '../lib/sentence.ts';
import { sentenceStart, volumeWords } from '../mount/told-volume.ts';
import { readError } from './attach-error.ts';
import type { AttachError } from './attach-error.ts';

/** A volume that should be attached to a node and is not, seen from the waiting pod or from the attachment itself. */
export interface AttachTrouble {
  readonly ask: Inquiry;
  readonly node: string;
  /** The name of the PersistentVolume; empty for an inline one. */
  readonly volumeName: string;
  readonly volume: Lookup<Volume> | undefined;
  readonly driver: string | undefined;
  readonly attachment: Lookup<Attachment>;
  /** The kubelet tried to attach the volume itself, as it does where the controller is not to do it. */
  readonly kubeletEvent: Evidence | undefined;
  /** The latest error of the attacher or the attach-detach controller. */
  readonly error: AttachError | undefined;
  /** What was reported before the latest error and says more than a timeout. */
  readonly earlier: AttachError | undefined;
  /** How long the attach has been tried; infinite where no object shows it. */
  readonly waitedSeconds: number;
  /** `the volume of pvc/data`, seen from the pod; `pv/pvc-1 (pvc/data in namespace shop)`, seen from the attachment. */
  readonly volumeText: string;
  /** Without a full stop: `The volume of pvc/data cannot be attached to node-a for pod/web`. */
  readonly lead: string;
  /** The volume as the waiting pod uses it; undefined when seen from the attachment. */
  readonly use: VolumeUse | undefined;
}

type ExplainTrouble = (trouble: AttachTrouble) => Explanation | undefined;

/** One cause on both subjects: the pod that waits, and the attachment. */
export function attachRules(cause: string, severity: Severity, explain: ExplainTrouble): readonly Rule[] {
  return [
    podRule({ cause, stage: 'attach', severity, explain: (p) => firstOf(troublesOf(p), explain) }),
    objectRule('VolumeAttachment', {
      cause,
      stage: 'attach',
      severity,
      explain: (a) => firstOf(troubleOf(a), explain),
    }),
  ];
}

export function firstOf<T>(
  items: readonly T[],
  explain: (item: T) => Explanation | undefined,
): Explanation | undefined {
  for (const item of items) {
    const explanation = explain(item);
    if (explanation) return explanation;
  }
  return undefined;
}

const byPod = new WeakMap<PodCase, readonly AttachTrouble[]>();

export function troublesOf(p: PodCase): readonly AttachTrouble[] {
  let troubles = byPod.get(p);
  if (!troubles) {
    troubles = pendingUses(p).map((use) => troubleOfUse(p, use));
    byPod.set(p, troubles);
  }
  return troubles;
}

function troubleOfUse(p: PodCase, use: VolumeUse): AttachTrouble {
  const { node, volumeName, volume, driver, ask } = use;
  const attachment = use.attachment ?? { state: 'unknown' };
  const object = attachment.state === 'found' ? attachment.object : undefined;
  const since = parseTime(object?.metadata.creationTimestamp ?? waitsSince(p));
  // An attachment that is attached by now has outlived every error: the controller only has not tried again.
  const inEvents = object?.status?.attached === true ? [] : errorsInEvents(use, object);
  const error = errorInStatus(object) ?? inEvents.at(-1);
  return {
    ask,
    node,
    volumeName,
    volume,
    attachment,
    use,
    driver: driver ?? object?.spec?.attacher,
    error,
    kubeletEvent: kubeletEventOf(use),
    earlier: inEvents.findLast((each) => each.words !== error?.words && !saysTimeout(each) && !saysNoAnswer(each)),
    waitedSeconds: secondsSince(since, ask.now),
    volumeText: volumeWords(use),
    lead: `${sentenceStart(volumeWords(use))} cannot be attached to ${node} for pod/${p.pod.metadata.name}`,
  };
}

/** The same for `why va/NAME`; empty while the volume is attached or being detached. */
function troubleOf(a: ObjectCase<'VolumeAttachment'>): readonly AttachTrouble[] {
  const { object, ask } = a;
  if (a.isTerminating || object.status?.attached === true || !object.spec?.nodeName) return [];
  const { nodeName, attacher, source } = object.spec;
  const volumeName = source?.persistentVolumeName ?? '';
  const volume = volumeOfAttachment(a);
  const volumeText = attachedText(volumeName, volume);
  return [
    {
      ask,
      node: nodeName,
      volumeName,
      use: undefined,
      volume,
      driver: attacher,
      attachment: { state: 'found', object },
      error: errorInStatus(object),
      kubeletEvent: undefined,
      earlier: undefined,
      waitedSeconds: a.ageSeconds,
      volumeText,
      lead: `${sentenceStart(volumeText)} cannot be attached to ${nodeName}`,
    },
  ];
}

/** The volume of an attachment within a sentence, with the claim that it belongs to. */
function attachedText(volumeName: string, volume: Lookup<Volume> | undefined): string {
  if (volumeName === '') return 'an inline volume';
  const claim = volume?.state === 'found' ? volume.object.spec?.claimRef : undefined;
  return claim?.name && claim.namespace
    ? `pv/${volumeName} (${claimText({ namespace: claim.namespace, name: claim.name })})`
    : `pv/${volumeName}`;
}

function errorInStatus(attachment: Attachment | undefined): AttachError | undefined {
  const error = attachment?.status?.attached === true ? undefined : attachment?.status?.attachError;
  return attachment && error?.message
    ? readError(
        error.message,
        error.errorCode,
        field(attachment, 'status.attachError.message', error.message, error.time),
        'object',
      )
    : undefined;
}

/**
 * From the attach-detach controller's events on the pod, the latest last; one from before the attachment was created is
 * about an earlier attachment.
 */
function errorsInEvents(use: VolumeUse, attachment: Attachment | undefined): AttachError[] {
  const created = parseTime(attachment?.metadata.creationTimestamp) ?? 0;
  return use.attachEvents
    .filter((event) => lastSeen(event) >= created)
    .flatMap((event) => {
      const text = attachFailedText.exec(messageOf(event))?.[1];
      return text ? [readError(text, undefined, eventSaid(use.p.pod, event), 'event')] : [];
    });
}

function kubeletEventOf(use: VolumeUse): Evidence | undefined {
  const last = use.attachEvents.findLast(isAttachFailure);
  return last && isFromKubelet(last) ? eventSaid(use.p.pod, last) : undefined;
}

function isAttachFailure(event: KubeEvent): boolean {
  return attachFailedText.test(messageOf(event));
}

function isFromKubelet(event: KubeEvent): boolean {
  return componentOf(event) === 'kubelet';
}

function secondsSince(time: number | undefined, now: number): number {
  return time === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (now - time) / 1000);
}

/** The attachment as evidence, or that there is none. */
export function attachmentEvidence({ attachment, volume, driver, node }: AttachTrouble): Evidence[] {
  if (attachment.state === 'found')
    return [field(attachment.object, 'status.attached', attachment.object.status?.attached ?? false)];
  const handle = volume?.state === 'found' ? volume.object.spec?.csi?.volumeHandle : undefined;
  return attachment.state === 'missing' && handle && driver
    ? [absent('VolumeAttachment', attachmentName(handle, driver, node))]
    : [];
}

/** No evidence, no finding: a list of evidence whose parts are all optional counts only if one is there. */
export function someEvidence(evidence: readonly Evidence[]): Explanation['evidence'] | undefined {
  const [first, ...more] = evidence;
  return first && [first, ...more];
}

/** The PersistentVolume itself, where it was read and exists. */
export function volumeObjectOf({ volume }: Pick<AttachTrouble, 'volume'>): Volume | undefined {
  return volume?.state === 'found' ? volume.object : undefined;
}

/** An error in the attachment's status is proof; one in an event may be out of date. */
export function confidenceOf({ error }: AttachTrouble): Confidence {
  return error?.from === 'object' ? 'certain' : 'likely';
}
