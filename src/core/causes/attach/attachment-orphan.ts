import { findDriver } from '../../facts/driver/drivers.ts';
import type { Lookup } from '../../graph/inquiry.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { attacherHealth, isTouched, missingLease } from './attacher-health.ts';
import { detachEvidence, detachRules, isLeaving, nodeOf } from './detach-case.ts';

import { detachErrorOf, releaseFix } from './detach-stuck.ts';
import { csiNodeMissingText, driverNotOnNodeText, volumeMissingText } from './error-texts.ts';

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';

/** external-attacher csiDetach reads the volume to learn its handle and its secret; without it nothing can be asked of the driver. */
export const vaPvMissing = detachRules('va-pv-missing', 'blocking', (detach) => {
  const { volume, volumeName, attachment, node, seenFrom, driver } = detach;
  if (volumeName === '' || volume?.state === 'found' || (seenFrom !== 'attachment' && !isLeaving(detach)))
    return undefined;
  const error = detachErrorOf(detach);
  const said = error && volumeMissingText.test(error.raw) ? error : undefined;
  const attachError = attachment.status?.attachError;
  const isSaid =
    said !== undefined || (attachError?.message !== undefined && volumeMissingText.test(attachError.message));
  if (volume?.state !== 'missing' && !isSaid) return undefined;
  const evidence: Evidence[] = [
    ...(volume?.state === 'missing' ? [absent('PersistentVolume', volumeName)] : []),
    ...(said ? [said.evidence] : []),
    ...(attachError?.message && !said
      ? [field(attachment, 'status.attachError.message', attachError.message, attachError.time)]
      : []),
    field(attachment, 'spec.source.persistentVolumeName'),
    ...detachEvidence(detach),
  ];
  const isAttached = attachment.status?.attached === true || isLeaving(detach);
  return {
    confidence: volume?.state === 'missing' ? 'certain' : 'likely',
    summary: `the attachment to ${node} names pv/${volumeName}, which does not exist: ${isAttached ? 'without it the volume cannot be detached' : 'it can never be attached'}`,
    evidence: evidence as [Evidence, ...Evidence[]],
    fix: [
      fix(
        `make the PersistentVolume ${volumeName} again with the same driver and volumeHandle (policy Retain), so that ${driver ?? 'the driver'} can finish, and delete it afterwards`,
        `kubectl get volumeattachment ${shellWord(attachment.metadata.name)} -o yaml`,
      ),
      isTouched(attachment.metadata)
        ? releaseFix(attachment.metadata.name)
        : fix(
            'or delete the attachment: nobody has attached anything through it',
            `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
            'disruptive',
          ),
    ],
  };
});

/** external-attacher getNodeID: the id comes from the CSINode object, or from the mark that the attacher left when it attached. */
export const vaNodeGoneNoNodeId = detachRules('va-node-gone-no-nodeid', 'blocking', (detach) => {
  const { ask, attachment, node, driver, lead } = detach;
  if (
    !isLeaving(detach) ||
    node === '' ||
    attachment.metadata.annotations?.[nodeIdAnnotation] ||
    (attachment.metadata.finalizers ?? []).length === 0
  )
    return undefined;
  const error = detachErrorOf(detach);
  const said =
    error &&
    (csiNodeMissingText.test(error.raw) ||
      driverNotOnNodeText.test(error.raw) ||
      /nodes? "[^"]+" not found/.test(error.raw))
      ? error
      : undefined;
  const csiNode: Lookup<CsiNode> = ask.get(
    'CSINode',
    undefined,
    node,
    `by what id ${driver ?? 'the driver'} knows ${node}`,
  );
  if (csiNode.state === 'found' && csiNode.object.spec?.drivers?.some(({ name, nodeID }) => name === driver && nodeID))
    return undefined;
  const lookup = nodeOf(detach);
  if (csiNode.state === 'unknown' && lookup.state !== 'missing' && !said) return undefined;
  const evidence: Evidence[] = [
    ...(lookup.state === 'missing' ? [absent('Node', node)] : []),
    ...(csiNode.state === 'missing' ? [absent('CSINode', node)] : []),
    ...(csiNode.state === 'found'
      ? [
          field(
            csiNode.object,
            'spec.drivers',
            (csiNode.object.spec?.drivers ?? []).map(({ name }) => name).join(', ') || 'none',
          ),
        ]
      : []),
    field(attachment, `metadata.annotations[${nodeIdAnnotation}]`, 'not set'),
    ...(said ? [said.evidence] : []),
    ...detachEvidence(detach),
  ];
  return {
    confidence: csiNode.state === 'unknown' && lookup.state !== 'missing' ? 'likely' : 'certain',
    about: `node ${node}`,
    summary: `${lead}: ${lookup.state === 'missing' ? 'the node does not exist any more' : csiNode.state === 'found' ? `${driver ?? 'the driver'} is not registered there any more` : 'the node has no CSINode object any more'}, and the attachment does not say by what id the storage knows it`,
    evidence: evidence as [Evidence, ...Evidence[]],
    fix: [
      fix(
        'tell the attacher the id that the storage has for the machine: it then detaches by itself',
        `kubectl annotate volumeattachment ${shellWord(attachment.metadata.name)} ${nodeIdAnnotation}=NODE-ID`,
      ),
      releaseFix(attachment.metadata.name),
    ],
  };
});

/** external-attacher syncDetach alone takes the finalizer away, and the driver was removed with its attacher. */
export const vaOrphanDriverGone = detachRules('va-orphan-driver-gone', 'blocking', (detach) => {
  const { ask, driver, attachment, lead } = detach;
  if (driver === undefined || !isTouched(attachment.metadata)) return undefined;
  const traces = findDriver(ask, driver);
  if (traces.object.state !== 'missing') return undefined;
  const { nodes } = traces;
  if (nodes.items.length > 0) return undefined;
  const health = attacherHealth(ask, driver);
  const { lease, pods } = health.controller;
  if (lease.object || pods.items.length > 0 || health.state === 'alive' || health.state === 'dead') return undefined;
  const isProven = health.state === 'absent' && nodes.complete;
  return {
    confidence: isProven ? 'certain' : 'likely',
    about: driver,
    summary: `${lead}: ${driver} is not installed any more, and only its attacher can finish the attachment`,
    evidence: [
      absent('CSIDriver', driver),
      ...missingLease(health),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...detachEvidence(detach),
    ],
    fix: [
      fix(
        `install ${driver} again, let it detach its volumes, and remove it only then`,
        'kubectl get volumeattachments,csidrivers',
      ),
      releaseFix(attachment.metadata.name),
    ],
  };
});

const staySeconds = 600;

/** adc removes such attachments by itself (seen on 1.36.4): one that stays was overlooked. */
export const vaOrphanAttachRequiredFalse = objectRule('VolumeAttachment', {
  cause: 'va-orphan-attachrequired-false',
  stage: 'attach',
  severity: 'warning',
  explain(a) {
    const driver = a.object.spec?.attacher;
    if (driver === undefined || a.ageSeconds < staySeconds) return undefined;
    const object = a.ask.get('CSIDriver', undefined, driver, `whether ${driver} attaches its volumes`);
    if (
      object.state !== 'found' ||
      object.object.spec?.attachRequired !== false ||
      a.secondsSince(object.object.metadata.creationTimestamp) < staySeconds
    )
      return undefined;
    const made = parseTime(a.object.metadata.creationTimestamp);
    return {
      ...(a.object.status?.attached === true && !a.isTerminating ? {} : { severity: 'blocking' as const }),
      summary: `the attachment is left over${made === undefined ? '' : ` for ${ageText(made, a.now)}`}: ${driver} attaches nothing since its CSIDriver object says attachRequired: false`,
      evidence: [
        field(object.object, 'spec.attachRequired', false),
        field(a.object, 'status.attached', a.object.status?.attached ?? false),
      ],
      fix: [
        fix(
          'delete the attachment when no pod on the node uses the volume',
          `kubectl delete volumeattachment ${shellWord(a.name)}`,
          'disruptive',
        ),
      ],
    };
  },
});
