import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import { attachController, attacher, provisioner, volumeController } from './components.ts';
import type { Fact } from './fact.ts';
import { owns, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites, writeFact } from './object-facts.ts';

/** `claimName` is the claim that the trace is about, where the volume is bound to it. */
export function volumeFacts(volume: Volume, claimName: string | undefined): (Fact | undefined)[] {
  const name = labelOf(volume);
  const by = volume.metadata.annotations?.[provisionedByAnnotation];
  // lastPhaseTransitionTime is more exact than the time of the write.
  const hasPhaseTime = volume.status?.lastPhaseTransitionTime !== undefined;
  const covered = hasPhaseTime ? writesOf(volume).filter(({ subresource }) => subresource === 'status') : [];
  return [
    createdFact(
      volume,
      by === undefined ? { what: `${name} was created` } : { what: `created ${name}`, by: provisioner },
    ),
    phaseFact(volume, claimName),
    deletionFact(volume),
    ...otherWrites(volume, covered),
  ];
}

function phaseFact(volume: Volume, claimName: string | undefined): Fact | undefined {
  const { phase, lastPhaseTransitionTime, message } = volume.status ?? {};
  if (phase === undefined) return undefined;
  const name = labelOf(volume);
  const own =
    phase === 'Bound' && claimName !== undefined
      ? { key: `bound/${claimName}`, what: `bound pvc/${claimName} to ${name}` }
      : { key: `phase/${volume.metadata.name}`, what: `${name} became ${phase}` };
  return factAt(volume, lastPhaseTransitionTime, {
    ...own,
    component: volumeController,
    source: 'status.lastPhaseTransitionTime',
    ...(message && { said: message }),
    ...(phase === 'Failed' && { isTrouble: true }),
  });
}

export function attachmentFacts(attachment: Attachment): (Fact | undefined)[] {
  const { volume, node } = labelsOf(attachment);
  const writes = writesOf(attachment);
  const covered = writes.filter((write) => isAttachedWrite(write) || isTakenUpWrite(write));
  return [
    createdFact(attachment, { what: `requested the attachment of ${volume} to ${node}`, by: attachController }),
    // Without managed fields an attachment only shows that it is attached, not since when.
    ...writes.map((write) =>
      isAttachedWrite(write) ? attachedFact(attachment, write) : takenUpFact(attachment, write),
    ),
    errorFact(attachment, 'attach'),
    errorFact(attachment, 'detach'),
    deletionFact(attachment, `${volume} is to be detached from ${node}`),
    ...otherWrites(attachment, covered),
  ];
}

interface AttachmentLabels {
  readonly volume: string;
  readonly node: string;
  /** Part of the keys of its facts. */
  readonly key: string;
}

function labelsOf({ spec }: Attachment): AttachmentLabels {
  const { nodeName: node = 'no node', source } = spec ?? {};
  const name = source?.persistentVolumeName;
  return { volume: name === undefined ? 'the inline volume' : `pv/${name}`, node, key: `${name ?? ''}/${node}` };
}

/** Servers before 1.22 record no subresource. */
function isAttachedWrite(write: Write): boolean {
  return owns(write, 'status', 'attached');
}

function isTakenUpWrite(write: Write): boolean {
  return !isAttachedWrite(write) && write.subresource === '' && owns(write, 'metadata', 'finalizers');
}

function attachedFact(attachment: Attachment, write: Write): Fact | undefined {
  if (attachment.status?.attached !== true) return undefined;
  const { volume, node, key } = labelsOf(attachment);
  const isAlone = write.fields.every(
    ([head, field]) => head === 'status' && (field === 'attached' || field === 'attachmentMetadata'),
  );
  return writeFact(attachment, write, {
    key: `attached/${key}`,
    what: `attached ${volume} to ${node}`,
    by: attacher,
    certainty: isAlone ? 'exact' : 'latest',
  });
}

/** The attacher sets its finalizer before it calls the driver. */
function takenUpFact(attachment: Attachment, write: Write): Fact | undefined {
  if (!isTakenUpWrite(write)) return undefined;
  const { volume, node, key } = labelsOf(attachment);
  return writeFact(attachment, write, {
    key: `taken-up/${key}`,
    what: `took up the attachment of ${volume} to ${node}`,
    by: attacher,
    isMinor: true,
  });
}

function errorFact(attachment: Attachment, operation: 'attach' | 'detach'): Fact | undefined {
  const error = attachment.status?.[`${operation}Error`];
  if (error?.message === undefined) return undefined;
  const { volume, node, key } = labelsOf(attachment);
  const code = error.errorCode === undefined ? '' : ` (gRPC code ${error.errorCode})`;
  return factAt(attachment, error.time, {
    key: `${operation}-error/${key}`,
    component: attacher,
    what: `last failed to ${operation} ${volume} ${operation === 'attach' ? 'to' : 'from'} ${node}${code}`,
    said: error.message,
    isTrouble: true,
    source: `status.${operation}Error.time`,
  });
}
