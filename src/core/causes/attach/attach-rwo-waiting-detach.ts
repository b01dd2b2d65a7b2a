import { lastSeen } from '../../graph/events.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { eventSaid, field, note, shellWord } from '../../facts/evidence.ts';
import { pendingUses, waitsSince } from '../../journey/pod-attach.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { storageViewOf } from '../lib/storage-view.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import { volumeWords } from '../mount/told-volume.ts';
import { onAttachment } from './attachment-commands.ts';
import { firstOf, volumeObjectOf } from './attach-trouble.ts';
import { restartAttacher } from './attacher-fixes.ts';
import { isTouched } from './attacher-health.ts';
import {
  detachesBefore,
  isLeaving,
  isNodeReady,
  leavingHolders,
  nameInUse,
  nodeOf,
  stayingHolders,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { handleText } from './holding-node.ts';
import { isAttachmentUnseen, otherUsersOf, refusalOf } from './rwo-refusal.ts';
import type { Refusal } from './rwo-refusal.ts';

/** After this time the controller detaches a volume from a node that is not healthy (maxWaitForUnmountDuration). */
const forceSeconds = 360;

/** The pod on the other node is gone or ending, and the volume has still to be detached there. */
export const attachRwoWaitingDetach = podRule({
  cause: 'attach-rwo-waiting-detach',
  stage: 'attach',
  severity: 'info',
  explain(p) {
    return (
      firstOf(detachesBefore(p), (detach) => explainWait(p, detach)) ??
      firstOf(pendingUses(p), (use) => explainWaitUnseen(p, use))
    );
  },
});

function explainWait(p: PodCase, detach: DetachCase): Explanation | undefined {
  if (detach.seenFrom !== 'other node' || stayingHolders(detach).length > 0) return undefined;
  const { attachment, waitedSeconds, lead, ask } = detach;
  const isLate = waitedSeconds > forceSeconds || attachment.status?.detachError !== undefined;
  const state = `${lead}. ${isLate ? lateText(detach) : stateText(detach)}`;
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: detach.holders?.complete || isLeaving(detach) ? 'certain' : 'likely',
    summary: isLate
      ? `${state} A detach takes seconds, six minutes at the most; this one has taken ${ageText(ask.now - waitedSeconds * 1000, ask.now)}.`
      : `${state} This usually takes seconds, six minutes at the most.`,
    evidence: evidenceOf(p, detach),
    fix: isLate ? lateFixes(detach) : [],
  };
}

function stateText(detach: DetachCase): string {
  const [leaving] = leavingHolders(detach);
  if (leaving) return `pod/${leaving.metadata.name} there is being deleted.`;
  return isLeaving(detach) ? 'The attacher has to detach it.' : 'No pod there uses it any more.';
}

/** What has happened to a detach that takes too long. */
function lateText(detach: DetachCase): string {
  const { attachment, ask } = detach;
  const deleted = parseTime(attachment.metadata.deletionTimestamp);
  if (deleted === undefined || !isTouched(attachment.metadata) || attachment.status?.detachError !== undefined)
    return stateText(detach);
  return (
    `Its VolumeAttachment was deleted ${ageText(deleted, ask.now)} ago and keeps the finalizer of the attacher, which ` +
    'has confirmed no detach and reported no error: only its log shows why.'
  );
}

function evidenceOf(p: PodCase, detach: DetachCase): Explanation['evidence'] {
  const { attachment, volumeName } = detach;
  const [leaving] = leavingHolders(detach);
  const use = pendingUses(p).find((candidate) => candidate.volumeName === volumeName);
  const refusal = use && refusalOf(use);
  return [
    field(attachment, isLeaving(detach) ? 'metadata.deletionTimestamp' : 'spec.nodeName'),
    field(attachment, 'status.attached', attachment.status?.attached ?? false),
    ...(isTouched(attachment.metadata) && isLeaving(detach)
      ? [field(attachment, 'metadata.finalizers', (attachment.metadata.finalizers ?? []).join(', '))]
      : []),
    ...unmountedEvidence(detach),
    ...(leaving ? [field(leaving, 'metadata.deletionTimestamp')] : []),
    ...(refusal ? [eventSaid(p.pod, refusal.event)] : []),
  ];
}

/** A node that is ready and does not list the volume as in use has unmounted it: the detach has nothing to wait for. */
function unmountedEvidence(detach: DetachCase): Evidence[] {
  const node = nodeOf(detach);
  if (!isLeaving(detach) || node.state !== 'found' || !isNodeReady(node.object)) return [];
  return nameInUse(detach, node.object) === undefined
    ? [note(node.object, 'is ready and does not list the volume in status.volumesInUse')]
    : [];
}

/** An attachment that is already being deleted is not deleted again: there the attacher has to be woken. */
function lateFixes(detach: DetachCase): Fix[] {
  const { ask, driver } = detach;
  if (isLeaving(detach)) {
    if (driver === undefined) return [];
    return [wakeFix(detach, findController(ask, driver, 'attacher'))];
  }
  const [leaving] = leavingHolders(detach);
  if (leaving)
    return [
      steps(
        `Wait until pod/${leaving.metadata.name} has ended: its volume is detached after that. This shows what keeps it.`,
        [
          `kubectl csi why pod/${shellWord(leaving.metadata.name)} -n ${shellWord(leaving.metadata.namespace ?? 'default')}`,
        ],
      ),
    ];
  return [deleteFix(detach)];
}

/** The log goes with the pod, and where the restart does not help, the storage has to say who has the volume. */
function wakeFix(detach: DetachCase, controller: DriverController): Fix {
  const restart = restartAttacher(controller);
  const volume = volumeObjectOf(detach);
  const view = storageViewOf(detach.driver, volume);
  return {
    ...restart,
    text:
      `${restart.text} If the volume is still attached 5 minutes later, correct what the log names, or ask ` +
      `${view.team} to which machine ${handleText(volume) ?? 'the volume'} is attached.`,
  };
}

/** verifyVolumeIsSafeToDetach: a node that is ready and does not list the volume as in use has unmounted it. */
function deleteFix(detach: DetachCase): Fix {
  const { attachment, node } = detach;
  const lookup = nodeOf(detach);
  const isUnmounted =
    lookup.state === 'found' && isNodeReady(lookup.object) && nameInUse(detach, lookup.object) === undefined;
  if (isUnmounted && detach.holders?.complete)
    return steps(
      `Delete the attachment: ${node} is ready, does not list the volume in volumesInUse, and has no pod that ` +
        'uses it. The attacher then detaches it properly, and it is attached to the new node ' +
        'within about 2 minutes.',
      [onAttachment('delete', attachment)],
    );
  return steps(
    `Make sure that ${node} has the volume no longer mounted (the first line must not list it), then delete ` +
      'the attachment. The attacher detaches it; if it is still mounted, two writers destroy the file system.',
    [
      `kubectl get node ${shellWord(node)} -o jsonpath='{.status.volumesInUse}{"\\n"}'`,
      onAttachment('delete', attachment),
    ],
    'data-loss',
  );
}

/** Only the controller's event shows it: it is written once, and holds as long as the volume is not attached. */
function explainWaitUnseen(p: PodCase, use: VolumeUse): Explanation | undefined {
  const refusal = refusalOf(use);
  if (!refusal || !use.claim?.claim || !isAttachmentUnseen(use)) return undefined;
  const since = parseTime(waitsSince(p)) ?? lastSeen(refusal.event);
  const isLate = (p.now - since) / 1000 > forceSeconds;
  const others = otherUsersOf(p, use.claim);
  const leaving = others.find((pod) => pod.metadata.deletionTimestamp !== undefined);
  if (others.some((pod) => pod.metadata.deletionTimestamp === undefined && pod.spec?.nodeName !== use.node))
    return undefined;
  // Where all pods were read, those that the controller named have ended since.
  const areAllRead = p.ask.podsUsing(use.claim).complete && !isAlone(p);
  const isUsed = refusal.users !== undefined && !leaving && !areAllRead;
  if (isUsed) return explainUsed(p, use, refusal, isLate);
  const late = isLate ? ' A detach takes six minutes at the most, and this one takes longer.' : '';
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: 'likely',
    summary: `pod/${p.pod.metadata.name} on ${use.node} waits for ${volumeWords(use)}, which ${holderWords(leaving)}.${late}`,
    evidence: [eventSaid(p.pod, refusal.event), ...(leaving ? [note(leaving, 'is being deleted')] : [])],
    fix: isLate ? [findHolderFix(use)] : [],
  };
}

/** A file with a single pod of the namespace was most likely written with the name of that pod. */
function isAlone({ ask, pod }: PodCase): boolean {
  const { namespace, uid } = pod.metadata;
  return (
    ask.graph.snapshot.source.type === 'files' &&
    !ask.seen('Pod').some(({ metadata }) => metadata.namespace === namespace && metadata.uid !== uid)
  );
}

function holderWords(leaving: Pod | undefined): string {
  return leaving
    ? `pod/${leaving.metadata.name} on ${leaving.spec?.nodeName ?? 'another node'} still uses while it ends`
    : 'is still attached to another node';
}

/**
 * The controller names pods that use the volume on another node (reportMultiAttachError): nothing is detached before
 * they end.
 */
function explainUsed(p: PodCase, use: VolumeUse, { event, users = '' }: Refusal, isLate: boolean): Explanation {
  const place = `-n ${shellWord(p.pod.metadata.namespace ?? 'default')}`;
  const names = users.split(/,\s*/).map((name) => shellWord(name));
  return {
    severity: isLate ? 'blocking' : 'info',
    confidence: 'likely',
    summary:
      `pod/${p.pod.metadata.name} on ${use.node} waits for ${volumeWords(use)}, which the attach-detach ` +
      `controller reports as in use on another node by ${users}. It is not detached before that pod has ended.`,
    evidence: [eventSaid(p.pod, event)],
    fix: isLate
      ? [
          steps(
            `Stop ${users}, if it is left over or pod/${p.pod.metadata.name} is to replace it; ` +
              'scale its owner down, if it has one, since it comes back otherwise. ' +
              'If both are needed at once, they have to run on the same node. The first line shows node and state. ' +
              'The volume is attached within about 5 minutes of that.',
            [`kubectl ${place} get pod ${names.join(' ')} -o wide`, `kubectl ${place} delete pod ${names.join(' ')}`],
            'disruptive',
          ),
        ]
      : [],
  };
}

/** Only a user who may read attachments can see which node holds the volume; the command then explains why it stays. */
function findHolderFix({ volumeName }: VolumeUse): Fix {
  return steps(
    'Ask someone who may read VolumeAttachments which one holds the volume, and why it stays. ' +
      `PLACEHOLDER_ATTACHMENT is the name in the first line's output.`,
    [
      `kubectl get volumeattachments.storage.k8s.io | grep -e ${shellWord(volumeName)}`,
      'kubectl csi why va/PLACEHOLDER_ATTACHMENT',
    ],
  );
}
