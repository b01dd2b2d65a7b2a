import { absent, eventSaid, field, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Attachment, Node } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { lastSeen } from '../../graph/events.ts';
import { ageText } from '../../kube/time.ts';
import { steps } from '../lib/steps.ts';
import { hurryFix } from './after-repair.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, sentenceStart, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The status of the node lists the volume as attached, so the kubelet goes ahead, and then it does not find the
 * VolumeAttachment (kcsi csi_attacher.go WaitForAttach). Judged at the attach stage, after every rule that explains why
 * an attachment is missing.
 */
export const mountVaNotReady = podRule({
  cause: 'mount-va-not-ready',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    const unready = findUnreadyAttachment(p);
    if (!unready) return undefined;
    const { use, attachment, listedOn } = unready;
    return {
      confidence: listedOn ? 'certain' : 'likely',
      summary:
        `The VolumeAttachment of ${volumeWords(use)} for ${nodeOf(p)} ` +
        `${attachment ? 'is not attached' : 'does not exist'}${listedOn ? ', although the status of the node lists the volume as attached' : ''}. ` +
        `The kubelet cannot mount it for ${podWords(p)}.`,
      evidence: evidenceOf(p, unready),
      fix: adviceFor(p, unready),
    };
  },
});

interface UnreadyAttachment {
  readonly use: VolumeUse;
  /** Undefined where it does not exist. */
  readonly attachment: Attachment | undefined;
  readonly name: string;
  /** The node whose status says that the volume is attached. */
  readonly listedOn: Node | undefined;
  readonly failure: MountFailure | undefined;
}

function findUnreadyAttachment(p: PodCase): UnreadyAttachment | undefined {
  const reported = failureOf(p, 'attachment');
  const reportedUse = reported && toldVolume(p, reported);
  for (const use of volumeUsesOf(p)) {
    const lookup = use.attachment;
    if (!use.volumeObject || !lookup || lookup.state === 'unknown' || use.needsAttach === false) continue;
    const attachment = lookup.state === 'found' ? lookup.object : undefined;
    if (attachment?.status?.attached === true) continue;
    const listedOn = findNodeListing(p, use.uniqueName);
    const failure = reportedUse === use ? reported : undefined;
    if (!listedOn && !failure) continue;
    const name = attachment?.metadata.name ?? attachmentName(use.handle ?? '', use.driver ?? '', nodeOf(p));
    return { use, attachment, name, listedOn, failure };
  }
  return undefined;
}

function findNodeListing(p: PodCase, uniqueName: string | undefined): Node | undefined {
  if (uniqueName === undefined) return undefined;
  const node = p.ask.get('Node', undefined, nodeOf(p), `what the status of ${nodeOf(p)} says is attached`);
  if (node.state !== 'found') return undefined;
  const isListed = (node.object.status?.volumesAttached ?? []).some(({ name }) => name === uniqueName);
  return isListed ? node.object : undefined;
}

function evidenceOf(p: PodCase, unready: UnreadyAttachment): Explanation['evidence'] {
  const { use, attachment, name, listedOn, failure } = unready;
  return [
    attachment
      ? field(attachment, 'status.attached', attachment.status?.attached ?? 'not set')
      : absent('VolumeAttachment', name),
    ...(listedOn ? [field(listedOn, 'status.volumesAttached', use.uniqueName)] : []),
    ...failureEvidence(p, failure),
  ];
}

function adviceFor({ pod }: PodCase, { attachment, name }: UnreadyAttachment): Fix[] {
  if (attachment)
    return [
      steps('Follow the answer for the attachment: its cause is the one to fix. The kubelet then mounts the volume.', [
        `kubectl csi why va/${shellWord(name)}`,
      ]),
    ];
  return [
    steps(
      'Recreate the pod: the attach-detach controller then creates the attachment again. Without that it does so within minutes.',
      restartPodCommands(pod),
      pod.status?.phase === 'Running' ? 'disruptive' : 'safe',
    ),
  ];
}

/** The attach-detach controller and the kubelet both try again within this time after the volume was attached. */
const retrySeconds = 420;

function minutesLeft({ now }: PodCase, since: number): string {
  const left = Math.max(1, Math.min(5, Math.ceil((retrySeconds - (now - since) / 1000) / 60)));
  return left === 1 ? 'a minute' : `${left} minutes`;
}

/**
 * The volume is attached now, and what was reported before is over: the attach-detach controller backs off for minutes,
 * so the latest event may be an error that is older than the attachment.
 */
export const mountAttachedSince = podRule({
  cause: 'mount-va-not-ready',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    for (const use of volumeUsesOf(p)) {
      const attachment = use.attachment?.state === 'found' ? use.attachment.object : undefined;
      const since = use.attachedSince;
      if (!attachment || since === undefined || (p.now - since) / 1000 > retrySeconds) continue;
      const failures = p.events.items.filter(
        ({ reason }) => reason === 'FailedAttachVolume' || reason === 'FailedMount' || reason === 'FailedMapVolume',
      );
      const [last] = [...failures].sort((a, b) => lastSeen(b) - lastSeen(a));
      if (last && lastSeen(last) > since) continue;
      return {
        severity: 'info',
        confidence: 'likely',
        summary:
          `${sentenceStart(volumeWords(use))} has been attached to ${nodeOf(p)} for ` +
          `${ageText(since, p.now)}. ${last ? 'The error before that is history: ' : ''}${podWords(p)} ` +
          `starts at the next try, within about ${minutesLeft(p, since)}.`,
        evidence: [field(attachment, 'status.attached'), ...(last ? [eventSaid(p.pod, last)] : [])],
        fix: [hurryFix(p)],
      };
    }
    return undefined;
  },
});
