import { absent, eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import { attachmentName } from '../../kube/names.ts';
import { failureOf } from './mount-failure.ts';
import { nodeOf, podWords, toldVolume, volumeWords } from './told-volume.ts';

/**
 * The node's status says attached, so the kubelet goes ahead, and then it does not find the VolumeAttachment
 * (kcsi csi_attacher.go WaitForAttach). Judged at the attach stage, after all that explains a missing attachment.
 */
export const mountVaNotReady = podRule({
  cause: 'mount-va-not-ready',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    const node = nodeOf(p);
    const failure = failureOf(p, 'attachment');
    const toldUse = failure && toldVolume(p, failure);
    for (const use of volumeUsesOf(p)) {
      const { attachment, uniqueName, volumeObject: volume } = use;
      if (!volume || !attachment || attachment.state === 'unknown' || use.needsAttach === false) continue;
      if (attachment.state === 'found' && attachment.object.status?.attached === true) continue;
      const machine =
        uniqueName === undefined
          ? undefined
          : p.ask.get('Node', undefined, node, `what the status of ${node} says is attached`);
      const isListed =
        machine?.state === 'found' &&
        (machine.object.status?.volumesAttached ?? []).some(({ name }) => name === uniqueName);
      const said = toldUse === use ? failure : undefined;
      if (!isListed && !said) continue;
      const name =
        attachment.state === 'found'
          ? attachment.object.metadata.name
          : attachmentName(use.handle ?? '', use.driver ?? '', node);
      return {
        confidence: isListed ? 'certain' : 'likely',
        summary: `the VolumeAttachment of ${volumeWords(use)} to ${node} ${attachment.state === 'found' ? 'is not attached' : 'does not exist'}${isListed ? ', though the status of the node lists the volume as attached' : ''}: the kubelet cannot mount it for ${podWords(p)}`,
        evidence: [
          attachment.state === 'found'
            ? field(attachment.object, 'status.attached', attachment.object.status?.attached ?? 'not set')
            : absent('VolumeAttachment', name),
          ...(isListed && machine?.state === 'found'
            ? [field(machine.object, 'status.volumesAttached', uniqueName)]
            : []),
          ...(said ? [eventSaid(p.pod, said.event)] : []),
        ],
        fix: [
          fix('see what keeps the volume from being attached', `kubectl csi why va/${shellWord(name)}`),
          fix(
            'the attach-detach controller makes a deleted attachment again by itself within minutes, or when the pod is made again',
            'kubectl get volumeattachments',
          ),
        ],
      };
    }
    return undefined;
  },
});

/** The node authorizer lets a kubelet read only what a pod on its node refers to: no such tie, no object (plugin/pkg/auth/authorizer/node). */
export const mountVaForbidden = podRule({
  cause: 'mount-va-forbidden',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const failure = failureOf(p, 'forbidden');
    if (!failure) return undefined;
    const match =
      /(volumeattachments|secrets|configmaps|persistentvolumeclaims|persistentvolumes)(?:\.[\w.]+)? "([^"]+)" is forbidden/.exec(
        failure.text,
      );
    const [, resource = 'object', name = ''] = match ?? [];
    const namespace = /in the namespace "([^"]+)"/.exec(failure.text)?.[1];
    const nouns: Record<string, string> = {
      volumeattachments: 'VolumeAttachment',
      secrets: 'secret',
      configmaps: 'config map',
      persistentvolumeclaims: 'claim',
      persistentvolumes: 'volume',
    };
    const isAttachment = resource === 'volumeattachments';
    const why = isAttachment
      ? 'there is no attachment of that name for this node'
      : `nothing on the node refers to it, so far as the API server knows${namespace === undefined ? '' : `: a volume that names a secret without its namespace is looked up in ${namespace}`}`;
    return {
      confidence: 'likely',
      summary: `the kubelet on ${nodeOf(p)} may not read ${nouns[resource] ?? resource} ${name} for ${volumeWords(toldVolume(p, failure), failure)} of ${podWords(p)}: ${why}`,
      evidence: [eventSaid(p.pod, failure.event)],
      fix: [
        isAttachment
          ? fix(
              'see whether the volume is attached to this node at all',
              `kubectl get volumeattachment ${shellWord(name)}`,
            )
          : fix(
              'check that the object exists where the volume says, and that the volume names its namespace',
              `kubectl ${namespace === undefined ? '' : `-n ${shellWord(namespace)} `}get ${resource} ${shellWord(name)}`,
            ),
        fix(
          'if all of it is right, make the pod again: the API server then draws the tie between node and object anew',
          undefined,
          'disruptive',
        ),
      ],
    };
  },
});
