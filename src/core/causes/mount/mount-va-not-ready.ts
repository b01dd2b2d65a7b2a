import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Attachment, Node } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { failureEvidence } from './failure-evidence.ts';
import { failureOf } from './mount-failure.ts';
import type { MountFailure } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

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
      summary: `the VolumeAttachment of ${volumeWords(use)} to ${nodeOf(p)} ${attachment ? 'is not attached' : 'does not exist'}${listedOn ? ', though the status of the node lists the volume as attached' : ''}: the kubelet cannot mount it for ${podWords(p)}`,
      evidence: evidenceOf(p, unready),
      fix: adviceFor(unready.name),
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

function adviceFor(attachment: string): Fix[] {
  return [
    fix('see what keeps the volume from being attached', `kubectl csi why va/${shellWord(attachment)}`),
    fix(
      'the attach-detach controller makes a deleted attachment again by itself within minutes, or when the pod is made again',
      'kubectl get volumeattachments',
    ),
  ];
}
