import type { Inquiry, Lookup } from '../../graph/inquiry.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
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
import { readError } from './attach-error.ts';
import type { AttachError } from './attach-error.ts';

/** A volume that should be on a node and is not, seen from the pod that waits for it or from the attachment itself. */
export interface AttachTrouble {
  readonly ask: Inquiry;
  readonly node: string;
  /** The name of the PersistentVolume; empty for an inline one. */
  readonly volumeName: string;
  readonly volume: Lookup<Volume> | undefined;
  readonly driver: string | undefined;
  /** Not found also means: not readable. */
  readonly attachment: Lookup<Attachment>;
  /** What the attacher or the attach-detach controller last said about it. */
  readonly error: AttachError | undefined;
  /** How long it has been tried, as far as the objects tell. */
  readonly waitedSeconds: number;
  /** `pv/data cannot be attached to node-a` */
  readonly lead: string;
  /** The volume of the pod, where a pod waits. */
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
  return {
    ask,
    node,
    volumeName,
    volume,
    attachment,
    use,
    driver: driver ?? object?.spec?.attacher,
    error: errorOn(object) ?? errorSaid(use, object),
    waitedSeconds: secondsSince(since, ask.now),
    lead: `pv/${volumeName} cannot be attached to ${node}`,
  };
}

/** The same for `why va/NAME`; nothing while it is attached or being detached. */
function troubleOf(a: ObjectCase<'VolumeAttachment'>): readonly AttachTrouble[] {
  const { object, ask } = a;
  if (a.isTerminating || object.status?.attached === true || !object.spec?.nodeName) return [];
  const { nodeName, attacher, source } = object.spec;
  const volumeName = source?.persistentVolumeName ?? '';
  return [
    {
      ask,
      node: nodeName,
      volumeName,
      use: undefined,
      volume: volumeOfAttachment(a),
      driver: attacher,
      attachment: { state: 'found', object },
      error: errorOn(object),
      waitedSeconds: a.ageSeconds,
      lead: `${volumeName ? `pv/${volumeName}` : 'an inline volume'} cannot be attached to ${nodeName}`,
    },
  ];
}

function errorOn(attachment: Attachment | undefined): AttachError | undefined {
  const said = attachment?.status?.attached === true ? undefined : attachment?.status?.attachError;
  return attachment && said?.message
    ? readError(
        said.message,
        said.errorCode,
        field(attachment, 'status.attachError.message', said.message, said.time),
        'object',
      )
    : undefined;
}

const attachFailed =
  /AttachVolume\.(?:Attach|NewAttacher|FindAttachablePluginBySpec) failed for volume "[^"]*"\s*:?\s*([^]*)/;

/** What the attach-detach controller said on the pod; a word from before the attachment was made is about an earlier one. */
function errorSaid(use: VolumeUse, attachment: Attachment | undefined): AttachError | undefined {
  const made = parseTime(attachment?.metadata.creationTimestamp) ?? 0;
  const event = use.attachEvents.findLast(
    (candidate) => attachFailed.test(messageOf(candidate)) && lastSeen(candidate) >= made,
  );
  const text = event && attachFailed.exec(messageOf(event))?.[1];
  return event && text ? readError(text, undefined, eventSaid(use.p.pod, event), 'event') : undefined;
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

/** An error on the attachment is object state; one in an event only is hearsay. */
export function confidenceOf({ error }: AttachTrouble): Confidence {
  return error?.from === 'object' ? 'certain' : 'likely';
}
