import { refOf } from '../../graph/inquiry.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { RelatedVolume } from './related-objects.ts';
import { stepsOfClaim } from './claim-steps.ts';
import type { FactBook } from './fact.ts';
import type { Subject } from './object-facts.ts';
import { reckon } from './reckoning.ts';
import type { Reckoning, Step } from './reckoning.ts';

/** Where the time of a claim went, with the first pod that uses it. */
export function accountOfClaim(related: RelatedVolume, book: FactBook, now: number): Reckoning | undefined {
  const claim = related.claim?.claim;
  const started = parseTime(claim?.metadata.creationTimestamp);
  if (!claim || started === undefined) return undefined;
  if (claim.metadata.deletionTimestamp !== undefined) return accountOfDeletion(claim, book, now);
  const pod = related.pods[0]?.pod;
  const reckoning = reckon(started, now, refOf(claim), stepsOfClaim(related, book));
  return pod ? { ...reckoning, account: { ...reckoning.account, pod: refOf(pod) } } : reckoning;
}

/** For an object that is being deleted, only the deletion counts. */
function accountOfDeletion(object: Subject, book: FactBook, now: number): Reckoning | undefined {
  const requested = book.get(`deletion/${object.kind}/${object.metadata.name}`);
  if (!requested) return undefined;
  const finalizers = object.metadata.finalizers ?? [];
  const waitsFor = finalizers.length > 0 ? `${finalizers.join(', ')} to be removed` : 'it to go';
  return reckon(requested.at, now, refOf(object), [{ stage: 'delete', waitsFor, isDone: false }]);
}

export function accountOfAttachment(attachment: Attachment, book: FactBook, now: number): Reckoning | undefined {
  if (attachment.metadata.deletionTimestamp !== undefined) return accountOfDeletion(attachment, book, now);
  const started = parseTime(attachment.metadata.creationTimestamp);
  if (started === undefined) return undefined;
  const { source, nodeName = '', attacher = 'the driver' } = attachment.spec ?? {};
  const attach: Step = {
    stage: 'attach',
    waitsFor: `the attacher of ${attacher}`,
    isDone: attachment.status?.attached === true,
    end: book.get(`attached/${source?.persistentVolumeName ?? ''}/${nodeName}`),
  };
  return reckon(started, now, refOf(attachment), [attach]);
}

/** A volume without a claim: only its deletion takes time. */
export function accountOfVolume(volume: Volume, book: FactBook, now: number): Reckoning | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return accountOfDeletion(volume, book, now);
  const released = parseTime(volume.status?.lastPhaseTransitionTime);
  const isToBeDeleted = volume.status?.phase === 'Released' && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  if (released === undefined || !isToBeDeleted) return undefined;
  return reckon(released, now, refOf(volume), [
    { stage: 'reclaim', waitsFor: `the provisioner of ${volume.spec.csi?.driver ?? 'the volume'}`, isDone: false },
  ]);
}

/** The controller creates the content, then the driver takes the snapshot and reports when it can be used. */
export function accountOfSnapshot(s: SnapshotCase, book: FactBook, now: number): Reckoning | undefined {
  const subject = s.snapshot ?? s.content;
  const started = parseTime(subject?.metadata.creationTimestamp);
  if (!subject || started === undefined) return undefined;
  if (subject.metadata.deletionTimestamp !== undefined) return accountOfDeletion(subject, book, now);
  const steps = stepsOfSnapshot(s, book);
  const own = s.isPreProvisioned ? steps.filter(({ stage }) => stage === 'ready') : steps;
  return reckon(started, now, refOf(subject), own);
}

function stepsOfSnapshot(s: SnapshotCase, book: FactBook): Step[] {
  const { snapshot, content, driver = 'the driver' } = s;
  const isTaken = content?.status?.snapshotHandle !== undefined || snapshot?.status?.creationTime !== undefined;
  const ready =
    book.get(`snapshot-ready/${snapshot?.metadata.name ?? ''}`) ??
    (content && book.get(`content-ready/${content.metadata.name}`));
  return [
    {
      stage: 'content',
      waitsFor: 'the snapshot controller',
      isDone: content !== undefined,
      end: content && book.get(`created/VolumeSnapshotContent/${content.metadata.name}`),
    },
    {
      stage: 'take',
      waitsFor: `the snapshotter of ${driver}`,
      isDone: isTaken,
      end: book.get(`taken/${snapshot?.metadata.name ?? content?.metadata.name ?? ''}`),
    },
    { stage: 'ready', waitsFor: `the snapshotter of ${driver}`, isDone: s.isReady, end: ready },
  ];
}
