import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { Node } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import { createCommand, kubectl, steps } from '../lib/steps.ts';
import { awaitDetach, onAttachment, saveAttachment } from './attachment-commands.ts';
import type { AttachError } from './attach-error.ts';
import { someEvidence } from './attach-trouble.ts';
import { isTouched } from './attacher-health.ts';
import { detachErrorOf, detachEvidence, detachRules, isLeaving, releaseFixes } from './detach-case.ts';
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
    summary:
      `VolumeAttachment ${attachment.metadata.name} to ${node} names pv/${volumeName}, which does not exist. ` +
      `${isAttached ? 'Without it the attacher cannot detach the volume.' : 'It can never be attached.'}`,
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

function fixesFor(detach: DetachCase): Fix[] {
  const { attachment, node, ask } = detach;
  if (!isTouched(attachment.metadata))
    return isLeaving(detach)
      ? [
          steps(
            'Start or repair the controller that set finalizer ' +
              `${(attachment.metadata.finalizers ?? []).join(', ') || 'on it'}: ` +
              'the attachment is being deleted and waits only for that.',
            [],
          ),
        ]
      : [
          steps(
            'Save and delete the attachment: it has no finalizer, so no attacher has attached anything through it.',
            [saveAttachment(attachment), onAttachment('delete', attachment)],
          ),
        ];
  const handle = handleInStatus(detach);
  const where =
    handle === undefined
      ? 'PLACEHOLDER_HANDLE is the id of the volume in the storage.'
      : `Its handle is in the status of ${node}.`;
  const inUse = handle !== undefined && isInUse(ask.graph.find('Node', undefined, node), detach.driver, handle);
  return [
    steps(
      'Recreate the volume with policy Retain for as long as the detach takes, so that the attacher can ' +
        'finish: the attachment then goes within about 5 minutes, and the volume object is deleted again; ' +
        `Retain keeps the data. ${where}${inUse ? ` Stop what uses it on ${node} first: its kubelet lists it as in use.` : ''}`,
      [
        createCommand(volumeManifest(detach, handle ?? 'PLACEHOLDER_HANDLE')),
        isLeaving(detach) ? awaitDetach(attachment) : onAttachment('delete', attachment),
        kubectl('delete', { kind: 'PersistentVolume', metadata: { name: detach.volumeName } }),
      ],
      'disruptive',
    ),
    ...releaseFixes(detach),
  ];
}

/** The name of the attachment is a hash of the handle, so a handle in the status of the node can be recognised. */
function handleInStatus({ ask, node, driver, attachment }: DetachCase): string | undefined {
  const status = ask.graph.find('Node', undefined, node)?.status;
  const prefix = `kubernetes.io/csi/${driver ?? ''}^`;
  return [...(status?.volumesInUse ?? []), ...(status?.volumesAttached ?? []).map(({ name }) => name ?? '')]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .find((handle) => attachmentName(handle, driver ?? '', node) === attachment.metadata.name);
}

function isInUse(node: Node | undefined, driver: string | undefined, handle: string): boolean {
  return node?.status?.volumesInUse?.includes(`kubernetes.io/csi/${driver ?? ''}^${handle}`) === true;
}

/** Its class exists nowhere, so that no claim binds it. */
function volumeManifest({ volumeName, driver }: DetachCase, volumeHandle: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'detach-only',
      csi: { driver: driver ?? 'PLACEHOLDER_DRIVER', volumeHandle },
    },
  };
}
