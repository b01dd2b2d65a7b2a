import { ageText, parseTime, secondsBetween } from '../../kube/time.ts';
import type { Lease } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Confidence } from '../../report/report.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import { isUntold } from '../../journey/pod-attach.ts';
import { podRule } from '../lib/rule.ts';
import { attachmentEvidence, firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
const patienceSeconds = 120;

/** Nobody has made the attachment, and no other node holds the volume. A dump that holds no attachment at all was most likely taken where there was none. */
function isUnmade({ ask, attachment, use, error }: AttachTrouble): Confidence | undefined {
  if (!use || use.needsAttach !== true || error) return undefined;
  if (attachment.state === 'missing')
    return use.isExclusive && use.otherAttachments.items.length > 0 ? undefined : 'certain';
  const observed = ask.graph.coverage.of('VolumeAttachment', {});
  return attachment.state === 'unknown' &&
    observed.state === 'unread' &&
    observed.message !== undefined &&
    ask.seen('VolumeAttachment').length === 0
    ? 'likely'
    : undefined;
}

/** adc addNodeToDswp: the controller attaches only for nodes whose kubelet asked for it. */
export const attachNodeUnmanaged = podRule({
  cause: 'attach-node-unmanaged',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return firstOf(troublesOf(p), (trouble) => {
      const { ask, node, lead } = trouble;
      const confidence = isUnmade(trouble);
      if (!confidence) return undefined;
      const lookup = ask.get('Node', undefined, node, `whether volumes are attached to ${node} by the controller`);
      if (lookup.state !== 'found' || lookup.object.metadata.annotations?.[managedAnnotation] !== undefined)
        return undefined;
      return {
        confidence,
        about: `node ${node}`,
        summary: `${lead}: the node lacks the annotation ${managedAnnotation}, so that the attach-detach controller leaves it alone, and a kubelet cannot attach CSI volumes itself`,
        evidence: [
          field(lookup.object, `metadata.annotations[${managedAnnotation}]`, 'not set'),
          ...attachmentEvidence(trouble),
        ],
        fix: [
          fix(
            `set enableControllerAttachDetach: true in the configuration of the kubelet on ${node} (it is the default) and restart it`,
            `kubectl get --raw ${shellWord(`/api/v1/nodes/${node}/proxy/configz`)}`,
            'disruptive',
          ),
        ],
      };
    });
  },
});

/** Managed clusters hide the lease, so that its absence proves nothing. */
function staleLease(
  ask: Inquiry,
): { readonly lease: Lease | undefined; readonly renewed: number | undefined } | undefined {
  const lookup = ask.get('Lease', 'kube-system', 'kube-controller-manager', 'whether the kube-controller-manager runs');
  if (lookup.state !== 'found') return { lease: undefined, renewed: undefined };
  const renewed = parseTime(lookup.object.spec?.renewTime);
  const limit = Math.max(60, 4 * (lookup.object.spec?.leaseDurationSeconds ?? 15));
  return renewed !== undefined && secondsBetween(renewed, ask.now) > limit
    ? { lease: lookup.object, renewed }
    : undefined;
}

/** Everything is ready for an attachment, and the one who makes them does not. */
export const attachAdControllerDown = podRule({
  cause: 'attach-ad-controller-down',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return firstOf(troublesOf(p), (trouble) => {
      const { ask, lead, waitedSeconds } = trouble;
      const confidence = isUnmade(trouble);
      if (!confidence || waitedSeconds < patienceSeconds) return undefined;
      const stale = staleLease(ask);
      const lease = stale?.lease;
      if (!lease && confidence !== 'certain') return undefined;
      const evidence = attachmentEvidence(trouble);
      return {
        confidence: lease ? 'likely' : 'possible',
        about: 'kube-controller-manager',
        summary: lease
          ? `${lead}: the kube-controller-manager, which makes the attachments, has not renewed its lease for ${ageText(stale?.renewed ?? ask.now, ask.now)}`
          : `${lead}: nobody has made the attachment in ${ageText(ask.now - waitedSeconds * 1000, ask.now)}, so the attach-detach controller in the kube-controller-manager may be down, switched off, or stuck`,
        evidence: lease
          ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity'), ...evidence]
          : [note(p.pod, `has node ${trouble.node} and no VolumeAttachment for pv/${trouble.volumeName}`), ...evidence],
        fix: [
          fix(
            'see that the kube-controller-manager runs, with the controller persistentvolume-attach-detach-controller among its own; what waits then goes on by itself',
            'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
          ),
        ],
      };
    });
  },
});

/** og GenerateVerifyControllerAttachedVolumeFunc: the kubelet waits in silence for the node's status to list the volume. */
export const attachNotInNodeStatus = podRule({
  cause: 'attach-not-in-node-status',
  stage: 'attach',
  severity: 'blocking',
  explain(p) {
    return firstOf(troublesOf(p), ({ ask, use, attachment, node, volumeName }) => {
      if (
        !use ||
        attachment.state !== 'found' ||
        attachment.object.metadata.deletionTimestamp !== undefined ||
        attachment.object.status?.attached !== true ||
        !isUntold(use, attachment.object)
      )
        return undefined;
      const lookup = ask.get('Node', undefined, node);
      if (lookup.state !== 'found') return undefined;
      return {
        about: `node ${node}`,
        summary: `pv/${volumeName} is attached to ${node}, but the node's status does not list it, and the kubelet waits for that: the kube-controller-manager cannot write the status of the node`,
        evidence: [
          field(attachment.object, 'status.attached', true),
          field(
            lookup.object,
            'status.volumesAttached',
            (lookup.object.status?.volumesAttached ?? []).map(({ name }) => name).join(', ') || 'none',
          ),
          ...(lookup.object.status?.volumesInUse?.includes(use.uniqueName ?? '')
            ? [field(lookup.object, 'status.volumesInUse', use.uniqueName)]
            : []),
        ],
        fix: [
          fix(
            'see that the kube-controller-manager runs and may patch nodes/status',
            'kubectl auth can-i patch nodes --subresource=status --as=system:serviceaccount:kube-system:attachdetach-controller',
          ),
          fix(
            'see that no webhook stands in the way',
            'kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations',
          ),
        ],
      };
    });
  },
});
