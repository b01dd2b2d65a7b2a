import { ageText, parseTime, secondsBetween } from '../../kube/time.ts';
import type { Lease, Pod } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachmentEvidence, firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { confidenceThatUnmade } from './unmade-attachment.ts';

const patienceSeconds = 120;

/** Everything is ready for an attachment, and the attach-detach controller does not create it. */
export const attachAdControllerDown = podRule({
  cause: 'attach-ad-controller-down',
  stage: 'attach',
  severity: 'blocking',
  explain: (p) => firstOf(troublesOf(p), (trouble) => explainUnmade(trouble, p.pod)),
});

function explainUnmade(trouble: AttachTrouble, pod: Pod): Explanation | undefined {
  const { ask, lead, waitedSeconds } = trouble;
  const confidence = confidenceThatUnmade(trouble);
  if (!confidence || waitedSeconds < patienceSeconds) return undefined;
  const stale = findStaleLease(ask);
  if (!stale && confidence !== 'certain') return undefined;
  return {
    confidence: stale ? 'likely' : 'possible',
    about: 'kube-controller-manager',
    summary: stale
      ? `${lead}: the kube-controller-manager, which makes the attachments, has not renewed its lease for ${ageText(stale.renewed, ask.now)}`
      : `${lead}: nobody has made the attachment in ${ageText(ask.now - waitedSeconds * 1000, ask.now)}, so the attach-detach controller in the kube-controller-manager may be down, switched off, or stuck`,
    evidence: evidenceOf(trouble, pod, stale?.lease),
    fix: [
      fix(
        'see that the kube-controller-manager runs, with the controller persistentvolume-attach-detach-controller among its own; what waits then goes on by itself',
        'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
      ),
    ],
  };
}

/** Managed clusters hide this lease, so its absence proves nothing. */
function findStaleLease(ask: Inquiry): { readonly lease: Lease; readonly renewed: number } | undefined {
  const lookup = ask.get('Lease', 'kube-system', 'kube-controller-manager', 'whether the kube-controller-manager runs');
  if (lookup.state !== 'found') return undefined;
  const renewed = parseTime(lookup.object.spec?.renewTime);
  const limit = Math.max(60, 4 * (lookup.object.spec?.leaseDurationSeconds ?? 15));
  return renewed !== undefined && secondsBetween(renewed, ask.now) > limit
    ? { lease: lookup.object, renewed }
    : undefined;
}

function evidenceOf(trouble: AttachTrouble, pod: Pod, lease: Lease | undefined): Explanation['evidence'] {
  const evidence = attachmentEvidence(trouble);
  return lease
    ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity'), ...evidence]
    : [note(pod, `has node ${trouble.node} and no VolumeAttachment for pv/${trouble.volumeName}`), ...evidence];
}
