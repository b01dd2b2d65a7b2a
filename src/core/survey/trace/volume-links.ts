import { refOf } from '../../graph/inquiry.ts';
import { handleOf } from '../../facts/volume/volume-use.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { Attachment, Claim, Volume } from '../../kube/kinds.ts';
import type { LinkState, TraceLink } from '../../report/trace.ts';
import type { RelatedVolume } from './related-objects.ts';
import type { Place } from './places.ts';

export function claimLink(c: ClaimCase): TraceLink {
  const { claim } = c;
  if (!claim) {
    const object = { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name };
    return c.lookup.state === 'missing'
      ? { role: 'claim', object, state: 'missing', summary: 'does not exist' }
      : { role: 'claim', object, state: 'unknown', summary: 'could not be read' };
  }
  const size = claim.status?.capacity?.['storage'];
  const wants = [size ?? c.request, ...(claim.spec?.accessModes ?? [])].filter(Boolean).join(' ');
  const notes = [...growthNotes(c, size), ...finalizerNotes(claim)];
  return {
    role: 'claim',
    object: refOf(claim),
    state: claimState(c, claim),
    summary: [isTerminating(claim) ? 'Terminating' : (claim.status?.phase ?? 'no phase yet'), wants]
      .filter(Boolean)
      .join(', '),
    ...(notes.length > 0 && { notes }),
  };
}

function claimState(c: ClaimCase, claim: Claim): LinkState {
  if (c.isLost) return 'failed';
  return c.isBound && !isTerminating(claim) ? 'ok' : 'pending';
}

function growthNotes({ isBound, request }: ClaimCase, size: string | undefined): string[] {
  const isDifferent = size !== undefined && request !== undefined && size !== request;
  return isBound && isDifferent ? [`asks for ${request}, has ${size}`] : [];
}

function isTerminating({ metadata }: Claim | Volume | Attachment): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** What holds an object that is being deleted. */
function finalizerNotes(object: Claim | Volume | Attachment): string[] {
  const { finalizers = [] } = object.metadata;
  return isTerminating(object) && finalizers.length > 0 ? [`held by ${finalizers.join(', ')}`] : [];
}

export function classLink(c: ClaimCase): TraceLink[] {
  const { storageClass } = c;
  if (!c.claim) return [];
  if (!storageClass)
    return [
      {
        role: 'class',
        state: 'unneeded',
        summary: c.class.source === 'none' ? 'none is set' : 'none is wanted: only an existing volume will do',
      },
    ];
  const object = { kind: 'StorageClass', name: c.class.name };
  if (storageClass.state === 'unknown')
    return [{ role: 'class', object, state: 'unknown', summary: 'could not be read' }];
  // A bound claim no longer needs its class, and static volumes use only its name.
  if (storageClass.state === 'missing')
    return [{ role: 'class', object, state: c.isBound ? 'unneeded' : 'missing', summary: 'does not exist' }];
  const { provisioner, volumeBindingMode = 'Immediate', reclaimPolicy = 'Delete' } = storageClass.object;
  return [
    {
      role: 'class',
      object: refOf(storageClass.object),
      state: 'ok',
      summary: `${provisioner ?? 'no provisioner'}, ${volumeBindingMode}, ${reclaimPolicy}`,
    },
  ];
}

export function volumeLink({ volume, claim }: RelatedVolume): TraceLink[] {
  if (!volume) return claim?.claim ? [{ role: 'volume', state: 'pending', summary: 'none yet' }] : [];
  if (volume.state !== 'found')
    return [
      {
        role: 'volume',
        ...(claim?.volumeName && { object: { kind: 'PersistentVolume', name: claim.volumeName } }),
        state: volume.state,
        summary: volume.state === 'missing' ? 'does not exist' : 'could not be read',
      },
    ];
  const { object } = volume;
  const handle = handleOf(object);
  const { phase = 'no phase', message } = object.status ?? {};
  const notes = [...(handle ? [`handle ${handle}`] : []), ...(message ? [message] : []), ...finalizerNotes(object)];
  return [
    {
      role: 'volume',
      object: refOf(object),
      state: volumeState(object),
      summary: [object.metadata.deletionTimestamp ? 'Terminating' : phase, object.spec?.capacity?.['storage']]
        .filter(Boolean)
        .join(', '),
      ...(notes.length > 0 && { notes }),
    },
  ];
}

function volumeState(volume: Volume): LinkState {
  if (volume.status?.phase === 'Failed') return 'failed';
  return volume.status?.phase === 'Bound' && !isTerminating(volume) ? 'ok' : 'pending';
}

export function attachmentLink({ claim, volume }: RelatedVolume, { attachment, node }: Place): TraceLink[] {
  if (claim && !claim.isBound) return [];
  if (!attachment)
    return volume?.state === 'found'
      ? [{ role: 'attachment', state: 'unneeded', summary: 'this volume is not attached, only mounted' }]
      : [];
  if (attachment.state === 'unknown')
    return [{ role: 'attachment', state: 'unknown', summary: `whether it is attached to ${node} could not be read` }];
  if (attachment.state === 'missing') return [{ role: 'attachment', state: 'pending', summary: `none to ${node} yet` }];
  const { object } = attachment;
  const { state, summary, error } = judgeAttachment(object, node);
  const notes = [...(error ? [error] : []), ...finalizerNotes(object)];
  return [
    {
      role: 'attachment',
      object: refOf(object),
      state: error ? 'failed' : state,
      summary,
      ...(notes.length > 0 && { notes }),
    },
  ];
}

interface AttachmentJudgement extends Pick<TraceLink, 'state' | 'summary'> {
  readonly error: string | undefined;
}

function judgeAttachment(attachment: Attachment, node: string): AttachmentJudgement {
  const { attached, attachError, detachError } = attachment.status ?? {};
  if (isTerminating(attachment))
    return { state: 'pending', summary: `is being detached from ${node}`, error: detachError?.message };
  if (attached === true) return { state: 'ok', summary: `attached to ${node}`, error: undefined };
  return { state: 'pending', summary: `not attached to ${node} yet`, error: attachError?.message };
}
