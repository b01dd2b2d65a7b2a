import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { AttachError } from './attach-error.ts';
import { someEvidence } from './attach-trouble.ts';
import { isTouched } from './attacher-health.ts';
import { detachErrorOf, detachEvidence, detachRules, isLeaving, releaseFix } from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { volumeMissingText } from '../lib/driver-error/senses/kubernetes.ts';

/**
 * external-attacher csiDetach reads the PersistentVolume for its handle and its secret; without it the driver cannot be
 * called.
 */
export const vaPvMissing = detachRules('va-pv-missing', 'blocking', (detach) => {
  const { volume, volumeName, attachment, node, seenFrom } = detach;
  if (volumeName === '' || volume?.state === 'found' || (seenFrom !== 'attachment' && !isLeaving(detach)))
    return undefined;
  const error = detachErrorOf(detach);
  const said = error && volumeMissingText.test(error.raw) ? error : undefined;
  const isSaid = said !== undefined || volumeMissingText.test(attachment.status?.attachError?.message ?? '');
  if (volume?.state !== 'missing' && !isSaid) return undefined;
  const evidence = someEvidence(evidenceOf(detach, said));
  if (!evidence) return undefined;
  const isAttached = attachment.status?.attached === true || isLeaving(detach);
  return {
    confidence: volume?.state === 'missing' ? 'certain' : 'likely',
    summary: `the attachment to ${node} names pv/${volumeName}, which does not exist: ${isAttached ? 'without it the volume cannot be detached' : 'it can never be attached'}`,
    evidence,
    fix: fixesFor(detach),
  };
});

function evidenceOf(detach: DetachCase, said: AttachError | undefined): Evidence[] {
  const { volume, volumeName, attachment } = detach;
  const attachError = attachment.status?.attachError;
  return [
    ...(volume?.state === 'missing' ? [absent('PersistentVolume', volumeName)] : []),
    ...(said ? [said.evidence] : []),
    ...(attachError?.message && !said
      ? [field(attachment, 'status.attachError.message', attachError.message, attachError.time)]
      : []),
    field(attachment, 'spec.source.persistentVolumeName'),
    ...detachEvidence(detach),
  ];
}

function fixesFor({ volumeName, driver, attachment: { metadata } }: DetachCase): Fix[] {
  return [
    fix(
      `make the PersistentVolume ${volumeName} again with the same driver and volumeHandle (policy Retain), so that ${driver ?? 'the driver'} can finish, and delete it afterwards`,
      `kubectl get volumeattachment ${shellWord(metadata.name)} -o yaml`,
    ),
    isTouched(metadata)
      ? releaseFix(metadata.name)
      : fix(
          'or delete the attachment: nobody has attached anything through it',
          `kubectl delete volumeattachment ${shellWord(metadata.name)}`,
          'disruptive',
        ),
  ];
}
