import type { Inquiry, Listing, Lookup } from '../../graph/inquiry.ts';
import type { Attachment, Node, Pod, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix, Severity } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { podsAtAttachment, volumeOfAttachment } from '../../journey/attachment-stages.ts';
import { field } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf, isTerminated } from '../../facts/pod/pod-state.ts';
import { waitsSince } from '../../journey/pod-attach.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import { uniqueNameOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { volumeWords } from '../mount/told-volume.ts';
import { dropAttacherFinalizer, onAttachment } from './attachment-commands.ts';
import { readError } from './attach-error.ts';
import type { AttachError } from './attach-error.ts';
import { firstOf, troublesOf, volumeObjectOf } from './attach-trouble.ts';
import { saysAttachedElsewhere } from '../lib/driver-error/senses/use.ts';

/**
 * A volume that should be detached from a node and is not, seen from the attachment or from a pod that waits for the
 * volume.
 */
export interface DetachCase {
  readonly ask: Inquiry;
  readonly attachment: Attachment;
  readonly node: string;
  readonly volumeName: string;
  readonly volume: Lookup<Volume> | undefined;
  readonly driver: string | undefined;
  /** Seen from the attachment itself, or from a pod that waits on the same node or on another one. */
  readonly seenFrom: 'attachment' | 'same node' | 'other node';
  /**
   * Since the attachment was deleted, else since the pod was scheduled (or the attachment created); infinite when
   * neither is known.
   */
  readonly waitedSeconds: number;
  /** Pods on that node that use the volume and have not ended; undefined if that is not known. */
  readonly holders: Listing<Pod> | undefined;
  /** Without a full stop: `pod/web-1 on node-b waits for the volume of pvc/data, which is still attached to node-a`. */
  readonly lead: string;
}

type ExplainDetach = (detach: DetachCase) => Explanation | undefined;

/** One cause on both subjects: the attachment that does not go, and the pod that waits for that. */
export function detachRules(cause: string, severity: Severity, explain: ExplainDetach): readonly Rule[] {
  return [
    podRule({ cause, stage: 'attach', severity, explain: (p) => firstOf(detachesBefore(p), explain) }),
    objectRule('VolumeAttachment', { cause, stage: 'attach', severity, explain: (a) => firstOf(detachOf(a), explain) }),
  ];
}

const byPod = new WeakMap<PodCase, readonly DetachCase[]>();

/** What has to be detached before the pod can have its volumes. */
export function detachesBefore(p: PodCase): readonly DetachCase[] {
  let cases = byPod.get(p);
  if (!cases) {
    cases = troublesOf(p).flatMap(({ attachment, error, use }) => {
      if (!use) return [];
      const own = attachment.state === 'found' ? attachment.object : undefined;
      const leaving = own?.metadata.deletionTimestamp === undefined ? [] : [own];
      // Once the controller has created the attachment, it believes that no other node holds the volume. Other
      // attachments then count only if the driver says so, or if their detach failed: the controller forgets such a
      // volume and tries the new node (seen on v1.37.1).
      const mayBeHeld = own === undefined || (error !== undefined && saysAttachedElsewhere(error));
      const others = use.isExclusive
        ? use.otherAttachments.items.filter((other) => mayBeHeld || (error !== undefined && hasFailedToLeave(other)))
        : [];
      return [...leaving, ...others].map((candidate) =>
        caseOfPod(p, use, candidate, candidate === own ? 'same node' : 'other node'),
      );
    });
    byPod.set(p, cases);
  }
  return cases;
}

function hasFailedToLeave({ metadata, status }: Attachment): boolean {
  return metadata.deletionTimestamp !== undefined && status?.detachError !== undefined;
}

function caseOfPod(p: PodCase, use: VolumeUse, attachment: Attachment, seenFrom: DetachCase['seenFrom']): DetachCase {
  const node = attachment.spec?.nodeName ?? '';
  const pods = use.claim && p.ask.podsUsing(use.claim);
  const label = `pod/${p.pod.metadata.name}`;
  return {
    ask: p.ask,
    attachment,
    node,
    seenFrom,
    volumeName: use.volumeName,
    volume: use.volume,
    driver: attachment.spec?.attacher ?? use.driver,
    waitedSeconds: waited(p.ask.now, attachment.metadata.deletionTimestamp ?? waitsSince(p)),
    holders: pods && {
      items: pods.items.filter(
        (pod) => pod.spec?.nodeName === node && pod.metadata.uid !== p.pod.metadata.uid && !isTerminated(pod),
      ),
      complete: pods.complete,
    },
    lead:
      seenFrom === 'same node'
        ? `${label} waits for ${volumeWords(use)}, which is being detached from its node ${node}`
        : `${label} on ${use.node} waits for ${volumeWords(use)}, which is still attached to ${node}`,
  };
}

function detachOf(a: ObjectCase<'VolumeAttachment'>): readonly DetachCase[] {
  const { object, ask } = a;
  const { nodeName = '', attacher, source } = object.spec ?? {};
  const volumeName = source?.persistentVolumeName ?? '';
  return [
    {
      ask,
      attachment: object,
      node: nodeName,
      volumeName,
      seenFrom: 'attachment',
      volume: volumeOfAttachment(a),
      driver: attacher,
      waitedSeconds: waited(ask.now, object.metadata.deletionTimestamp ?? object.metadata.creationTimestamp),
      get holders() {
        return podsAtAttachment(a);
      },
      lead:
        `${volumeName ? `pv/${volumeName}` : 'An inline volume'} ` +
        `${a.isTerminating ? 'is not detached from' : 'stays attached to'} ${nodeName}`,
    },
  ];
}

function waited(now: number, since: string | undefined): number {
  const time = parseTime(since);
  return time === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (now - time) / 1000);
}

export function isLeaving({ attachment }: DetachCase): boolean {
  return attachment.metadata.deletionTimestamp !== undefined;
}

export function nodeOf({ ask, node }: DetachCase): Lookup<Node> {
  return node === '' ? { state: 'unknown' } : ask.get('Node', undefined, node, `whether node ${node} is alive`);
}

export function isNodeReady(node: Node): boolean {
  return conditionOf(node.status?.conditions, 'Ready')?.status === 'True';
}

/** Pods that keep using the volume: not being deleted. */
export function stayingHolders({ holders }: DetachCase): readonly Pod[] {
  return (holders?.items ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
}

export function leavingHolders({ holders }: DetachCase): readonly Pod[] {
  return (holders?.items ?? []).filter((pod) => pod.metadata.deletionTimestamp !== undefined);
}

/** The name under which the kubelet of the node still reports the volume as mounted. */
export function nameInUse(detach: DetachCase, node: Node): string | undefined {
  const volume = volumeObjectOf(detach);
  const name = volume && uniqueNameOf(volume);
  return name !== undefined && node.status?.volumesInUse?.includes(name) ? name : undefined;
}

/** Which attachment it is about, and since when it is being deleted. */
export function detachEvidence({ attachment }: DetachCase): [Evidence, ...Evidence[]] {
  const attached = field(attachment, 'status.attached', attachment.status?.attached ?? false);
  return attachment.metadata.deletionTimestamp === undefined
    ? [attached, field(attachment, 'spec.nodeName')]
    : [field(attachment, 'metadata.deletionTimestamp'), attached];
}

/** external-attacher saveDetachError: the error of the last detach call; it writes no event. */
export function detachErrorOf({ attachment }: DetachCase): AttachError | undefined {
  const error = attachment.status?.detachError;
  return error?.message
    ? readError(
        error.message,
        error.errorCode,
        field(attachment, 'status.detachError.message', error.message, error.time),
        'object',
      )
    : undefined;
}

/** A volume that is to be deleted is kept first, since its deletion finishes when the attachment is gone. */
export function retainCommands(detach: DetachCase): string[] {
  const volume = volumeObjectOf(detach);
  const isDoomed = volume?.metadata.deletionTimestamp !== undefined || volume?.status?.phase === 'Released';
  return volume && isDoomed ? [patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })] : [];
}

/**
 * The last resort: the attachment goes without the attacher. A volume that is to be deleted is kept first, since the
 * deletion then finishes. Empty where the attachment has no finalizer of an attacher.
 */
export function releaseFixes(detach: DetachCase): Fix[] {
  const { attachment, node } = detach;
  const drop = dropAttacherFinalizer(attachment);
  if (drop === undefined) return [];
  const retain = retainCommands(detach);
  return [
    steps(
      `Only when the storage itself shows that the volume is detached from ${node}: ` +
        'remove the finalizer of the attacher by hand. ' +
        'A volume that is still attached there may be written to from two nodes.',
      [...retain, ...(isLeaving(detach) ? [] : [onAttachment('delete', attachment, '--wait=false')]), drop],
      'data-loss',
    ),
  ];
}

export function taintOutOfService(node: Node): NonNullable<NonNullable<Node['spec']>['taints']>[number] | undefined {
  return node.spec?.taints?.find(({ key }) => key === 'node.kubernetes.io/out-of-service');
}
