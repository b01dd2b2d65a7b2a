import { findController, logsFix } from '../../facts/driver/drivers.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { readError, shortWords } from './attach-error.ts';
import type { AttachError } from './attach-error.ts';
import { firstOf } from './attach-trouble.ts';
import { attacherHealth, isTouched } from './attacher-health.ts';
import {
  detachesBefore,
  detachEvidence,
  detachRules,
  isInUse,
  isLeaving,
  isNodeReady,
  leavingHolders,
  nodeOf,
  stayingHolders,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { beingDeletedText } from './error-texts.ts';

const patienceSeconds = 120;
const startSeconds = 20;

export function detachErrorOf({ attachment }: DetachCase): AttachError | undefined {
  const said = attachment.status?.detachError;
  return said?.message
    ? readError(
        said.message,
        said.errorCode,
        field(attachment, 'status.detachError.message', said.message, said.time),
        'object',
      )
    : undefined;
}

/** og verifyVolumeIsSafeToDetach: while the kubelet lists the volume as in use the controller waits, and says so only in its log. */
export const detachVolumeInUse = detachRules('detach-volume-in-use', 'blocking', (detach) => {
  const { node, lead, waitedSeconds, seenFrom, ask } = detach;
  if (seenFrom === 'same node' || isLeaving(detach) || stayingHolders(detach).length > 0) return undefined;
  const lookup = nodeOf(detach);
  if (lookup.state !== 'found' || !isNodeReady(lookup.object)) return undefined;
  const name = isInUse(detach, lookup.object);
  if (name === undefined) return undefined;
  const [leaving] = leavingHolders(detach);
  // The deletion time of a pod is when its grace period ends.
  const overdue = leaving
    ? (ask.now - (parseTime(leaving.metadata.deletionTimestamp) ?? ask.now)) / 1000
    : waitedSeconds;
  if (overdue <= (leaving ? 60 : patienceSeconds) || (!leaving && !detach.holders?.complete)) return undefined;
  const namespace = leaving?.metadata.namespace;
  return {
    summary: `${lead}: the kubelet there has not unmounted it${leaving ? `; pod/${leaving.metadata.name} should have ended ${ageText(ask.now - overdue * 1000, ask.now)} ago and has not` : ', though no pod there uses it any more'}`,
    evidence: [
      field(lookup.object, 'status.volumesInUse', name),
      ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
      ...detachEvidence(detach),
    ],
    fix: [
      leaving
        ? fix(
            'see what keeps the old pod from ending',
            `kubectl ${inNamespace(namespace)}describe pod ${shellWord(leaving.metadata.name)}`,
          )
        : fix(
            'read what the kubelet says about unmounting (no event is written for it)',
            `kubectl get --raw ${shellWord(`/api/v1/nodes/${node}/proxy/logs/kubelet.log`)}`,
          ),
      fix(
        `see whether the node plugin of ${detach.driver ?? 'the driver'} runs on ${node}: without it nothing can be unmounted`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
    ],
  };
});

/** external-attacher saveDetachError: the call is repeated for ever, and no event is written. */
export const detachRpcError = detachRules('detach-rpc-error', 'blocking', (detach) => {
  const error = detachErrorOf(detach);
  const { driver, lead, ask, attachment } = detach;
  if (!isLeaving(detach) || !error) return undefined;
  const isGone = error.code === 'NotFound' || /\b404\b|not found|does not exist|not attached/i.test(error.words);
  return {
    summary: `${lead}: ${driver ?? 'the driver'} cannot detach it${error.code ? ` (${error.code})` : ''}: ${shortWords(error)}`,
    evidence: [error.evidence, ...detachEvidence(detach)],
    fix: [
      ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'), 'driver')]),
      fix(
        isGone
          ? 'the storage says that it is gone already: a driver should call that success, so look for a newer version of it'
          : 'act on the words of the driver: the attacher tries again by itself',
        undefined,
      ),
      releaseFix(attachment.metadata.name),
    ],
  };
});

/** The last resort, and never the first. */
export function releaseFix(attachment: string): ReturnType<typeof fix> {
  return fix(
    'data-loss: only when the storage itself shows that the volume is detached from the node, set the attachment free',
    `kubectl patch volumeattachment ${shellWord(attachment)} --type merge -p '{"metadata":{"finalizers":null}}'`,
    'data-loss',
  );
}

/** csi_attacher.go Detach deletes the attachment and waits; only the attacher can take its finalizer away. */
export const detachAttacherNotRunning = detachRules('detach-attacher-not-running', 'blocking', (detach) => {
  const { ask, driver, lead, waitedSeconds, attachment } = detach;
  if (
    !isLeaving(detach) ||
    driver === undefined ||
    !isTouched(attachment.metadata) ||
    detachErrorOf(detach) ||
    waitedSeconds < startSeconds
  )
    return undefined;
  const health = attacherHealth(ask, driver);
  if (health.state === 'alive' || (health.state !== 'dead' && waitedSeconds < patienceSeconds)) return undefined;
  const words =
    health.state === 'dead'
      ? health.words
      : health.state === 'absent'
        ? 'was not found running'
        : `has not answered, and whether it runs could not be read (lease ${health.controller.lease.name})`;
  return {
    confidence: health.state === 'dead' ? 'certain' : health.state === 'absent' ? 'likely' : 'possible',
    about: driver,
    summary: `${lead}: the attacher of ${driver} ${words}`,
    evidence: [
      ...detachEvidence(detach),
      field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ')),
      ...health.evidence,
    ],
    fix: [
      ...health.fix,
      fix('leave the finalizer alone: without the attacher nobody knows whether the volume is off the node', undefined),
    ],
  };
});

/** csi_attacher.go verifyAttachmentStatus: an attachment that is being deleted is never used again, a new one must be made after it. */
export const vaTerminatingBlocksAttach = podRule({
  cause: 'va-terminating-blocks-attach',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return firstOf(detachesBefore(p), (detach): Explanation | undefined => {
      if (detach.seenFrom !== 'same node') return undefined;
      const { attachment, lead, waitedSeconds, ask, driver } = detach;
      const said = p.events.items
        .filter(
          (event) => event.reason === 'FailedAttachVolume' && beingDeletedText.test(event.message ?? event.note ?? ''),
        )
        .at(-1);
      if (waitedSeconds < patienceSeconds && !said) return undefined;
      return {
        summary: `${lead}: the attachment has been going away for ${ageText(ask.now - waitedSeconds * 1000, ask.now)}, and until it is gone no new one can be made`,
        evidence: [
          ...detachEvidence(detach),
          field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', ') || 'none'),
          ...(said ? [note(p.pod, said.message ?? said.note ?? '')] : []),
        ],
        fix: [
          fix(
            'find out what holds the detach',
            `kubectl get volumeattachment ${shellWord(attachment.metadata.name)} -o yaml`,
          ),
          ...(driver === undefined ? [] : [logsFix(findController(ask, driver, 'attacher'))]),
        ],
      };
    });
  },
});
