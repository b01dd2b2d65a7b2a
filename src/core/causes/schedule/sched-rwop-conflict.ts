import type { Pod } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';

const oncePod = 'ReadWriteOncePod';

/** VolumeRestrictions: one pod in the whole cluster may use the claim, and a terminating pod counts until it is removed. */
export const schedRwopConflict = podRule({
  cause: 'sched-rwop-conflict',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const isBlamed = blames(p, storageTexts.oncePod);
    if (p.isScheduled || isBlamed === false) return undefined;
    const claims = p.claims.filter(isPresent).filter(isOncePod);
    for (const claim of claims) {
      const holder = findHolder(p, claim);
      if (holder) return explainHolder(p, claim, holder);
    }
    return isBlamed ? explainUnreadHolder(p, claims[0] ?? p.claims[0]) : undefined;
  },
});

function isOncePod({ claim }: PresentClaim): boolean {
  return claim.spec?.accessModes?.includes(oncePod) === true;
}

function findHolder(p: PodCase, claim: PresentClaim): Pod | undefined {
  const { uid, name } = p.pod.metadata;
  return p.ask
    .podsUsing(claim)
    .items.find(
      (pod) =>
        pod.metadata.uid !== uid &&
        pod.metadata.name !== name &&
        pod.spec?.nodeName &&
        pod.status?.phase !== 'Succeeded' &&
        pod.status?.phase !== 'Failed',
    );
}

function explainHolder(p: PodCase, claim: PresentClaim, holder: Pod): Explanation {
  const others = otherReasonsText(p);
  return {
    summary: `pvc/${claim.name} may be used by one pod at a time (${oncePod}), and pod/${holder.metadata.name} on node ${holder.spec?.nodeName ?? ''} uses it${deletionText(p, holder)}${others ? `; other nodes refuse as well (${others})` : ''}`,
    evidence: holderEvidence(p, claim, holder),
    fix: adviceFor(claim, holder),
  };
}

function deletionText(p: PodCase, { metadata: { deletionTimestamp } }: Pod): string {
  if (deletionTimestamp === undefined) return '';
  const since = parseTime(deletionTimestamp);
  return `; that pod is being deleted${since === undefined ? '' : ` for ${ageText(since, p.now)}`}`;
}

function holderEvidence(p: PodCase, { claim }: PresentClaim, holder: Pod): EvidenceList {
  return [
    field(claim, 'spec.accessModes'),
    field(holder, 'spec.nodeName'),
    ...(holder.metadata.deletionTimestamp === undefined ? [] : [field(holder, 'metadata.deletionTimestamp')]),
    ...schedulerSaid(p),
  ];
}

function adviceFor(claim: PresentClaim, { metadata: { name, deletionTimestamp } }: Pod): Fix[] {
  return [
    deletionTimestamp === undefined
      ? fix(
          `stop pod/${name} if this pod shall take over; in a Deployment use the strategy Recreate`,
          `kubectl ${inNamespace(claim.namespace)}delete pod ${shellWord(name)}`,
          'disruptive',
        )
      : fix(
          `see what keeps pod/${name} from going away`,
          `kubectl ${inNamespace(claim.namespace)}describe pod ${shellWord(name)}`,
        ),
    fix(
      'or, if several pods are to share it, move to a claim with ReadWriteOnce (one node) or ReadWriteMany: the mode of this one cannot be changed',
    ),
  ];
}

/** The scheduler reports the conflict, and the other pod could not be read. */
function explainUnreadHolder(p: PodCase, claim: ClaimCase | undefined): Explanation | undefined {
  const [said] = schedulerSaid(p);
  if (!said || !claim) return undefined;
  return {
    confidence: 'likely',
    summary: `pvc/${claim.name} may be used by one pod at a time (${oncePod}), and the scheduler finds that another pod uses it`,
    evidence: [said],
    fix: [fix('find the other pod', `kubectl ${inNamespace(claim.namespace)}describe pvc ${shellWord(claim.name)}`)],
  };
}
