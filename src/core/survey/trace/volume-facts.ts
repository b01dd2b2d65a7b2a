import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import { attachController, attacher, provisioner, volumeController } from './components.ts';
import type { Fact } from './fact.ts';
import { owns, writesOf } from './managed-fields.ts';
import type { Write } from './managed-fields.ts';
import { createdFact, deletionFact, factAt, labelOf, otherWrites, writeFact } from './object-facts.ts';

/** `claimName` is that of the claim the trace is about, where the volume is bound to it. */
export function volumeFacts(volume: Volume, claimName: string | undefined): (Fact | undefined)[] {
  const name = labelOf(volume);
  const { phase, lastPhaseTransitionTime, message } = volume.status ?? {};
  const by = volume.metadata.annotations?.[provisionedByAnnotation];
  const created = createdFact(
    volume,
    by === undefined ? { what: `${name} was created` } : { what: `made ${name}`, by: provisioner },
  );
  const isBound = phase === 'Bound' && claimName !== undefined;
  return [
    created,
    phase === undefined
      ? undefined
      : factAt(volume, lastPhaseTransitionTime, {
          key: isBound ? `bound/${claimName}` : `phase/${volume.metadata.name}`,
          component: volumeController,
          what: isBound ? `bound pvc/${claimName} to ${name}` : `${name} became ${phase}`,
          source: 'status.lastPhaseTransitionTime',
          ...(message && { said: message }),
          ...(phase === 'Failed' && { isTrouble: true }),
        }),
    deletionFact(volume),
    // Of the phase its own time tells more exactly.
    ...otherWrites(
      volume,
      lastPhaseTransitionTime === undefined
        ? []
        : writesOf(volume).filter(({ subresource }) => subresource === 'status'),
    ),
  ];
}

export function attachmentFacts(attachment: Attachment): (Fact | undefined)[] {
  const { attachError, detachError, attached } = attachment.status ?? {};
  const { nodeName = 'no node', source } = attachment.spec ?? {};
  const volume = source?.persistentVolumeName === undefined ? 'the inline volume' : `pv/${source.persistentVolumeName}`;
  const key = `${source?.persistentVolumeName ?? ''}/${nodeName}`;
  const told: Write[] = [];
  const writes = writesOf(attachment).flatMap((write): Fact[] => {
    // Servers before 1.22 keep no subresource.
    if (owns(write, 'status', 'attached')) {
      told.push(write);
      if (attached !== true) return [];
      const isAlone = write.fields.every(
        ([head, field]) => head === 'status' && (field === 'attached' || field === 'attachmentMetadata'),
      );
      return [
        writeFact(attachment, write, {
          key: `attached/${key}`,
          what: `attached ${volume} to ${nodeName}`,
          by: attacher,
          certainty: isAlone ? 'exact' : 'latest',
        }),
      ];
    }
    if (write.subresource === '' && owns(write, 'metadata', 'finalizers')) {
      told.push(write);
      return [
        writeFact(attachment, write, {
          key: `taken-up/${key}`,
          what: `took up the attachment of ${volume} to ${nodeName}`,
          by: attacher,
          isMinor: true,
        }),
      ];
    }
    return [];
  });
  return [
    createdFact(attachment, { what: `asked for ${volume} to be attached to ${nodeName}`, by: attachController }),
    ...writes,
    // Without a record of writes an attachment only tells that it has been done.
    attachError?.message === undefined
      ? undefined
      : factAt(attachment, attachError.time, {
          key: `attach-error/${key}`,
          component: attacher,
          what: `last failed to attach ${volume} to ${nodeName}${codeText(attachError.errorCode)}`,
          said: attachError.message,
          isTrouble: true,
          source: 'status.attachError.time',
        }),
    detachError?.message === undefined
      ? undefined
      : factAt(attachment, detachError.time, {
          key: `detach-error/${key}`,
          component: attacher,
          what: `last failed to detach ${volume} from ${nodeName}${codeText(detachError.errorCode)}`,
          said: detachError.message,
          isTrouble: true,
          source: 'status.detachError.time',
        }),
    deletionFact(attachment, `${volume} is to be detached from ${nodeName}`),
    ...otherWrites(attachment, told),
  ];
}

function codeText(code: number | undefined): string {
  return code === undefined ? '' : ` (gRPC code ${code})`;
}
