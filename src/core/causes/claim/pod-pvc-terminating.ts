import type { Claim, Pod } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import { isOthersClaim } from '../../facts/pod/pod-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { podRule } from '../lib/rule.ts';

const graceMs = 30_000;

/** The scheduler never gives a new pod a claim that is being deleted (VolumeBinding PreFilter). */
export const podPvcTerminating = podRule({
  cause: 'pod-pvc-terminating',
  stage: 'claim',
  severity: 'blocking',
  explain(p) {
    const c = p.isScheduled ? undefined : terminatingClaim(p);
    if (!c?.claim) return undefined;
    const { finalizers = [], deletionTimestamp } = c.claim.metadata;
    const holders = otherUsers(c, p.pod);
    // Without a user it is gone in a moment, and may be recreated.
    if (holders.length === 0 && p.now - (parseTime(deletionTimestamp) ?? 0) < graceMs) return undefined;
    return {
      about: `${c.namespace}/${c.name}`,
      summary: `pod/${p.pod.metadata.name} needs pvc/${c.name}, which is being deleted${holderText(c.claim, holders)}: a new pod cannot use it any more`,
      evidence: [
        field(c.claim, 'metadata.deletionTimestamp', deletionTimestamp),
        field(c.claim, 'metadata.finalizers', finalizers.join(', ') || 'none'),
        ...holders.map((pod) => note(pod, `uses the claim on node ${pod.spec?.nodeName ?? ''}`)),
        ...schedulerEvidence(p),
      ],
      fix: [awaitDeletion(c), ...holders.map((pod) => deleteHolder(c, pod))],
    };
  },
});

function terminatingClaim(p: PodCase): ClaimCase | undefined {
  return p.claims.find(({ claim }) => claim?.metadata.deletionTimestamp !== undefined && !isOthersClaim(p.pod, claim));
}

function otherUsers(c: ClaimCase, { metadata: { uid } }: Pod): readonly Pod[] {
  return c.consumers.items.filter((pod) => pod.spec?.nodeName && pod.metadata.uid !== uid);
}

function holderText({ metadata: { finalizers = [] } }: Claim, holders: readonly Pod[]): string {
  const names = holders.length > 0 ? holders.map((pod) => `pod/${pod.metadata.name}`) : finalizers;
  return names.length > 0 ? `, held by ${names.join(', ')}` : '';
}

function schedulerEvidence({ pod, schedulingMessage }: PodCase): Evidence[] {
  const isSaid = schedulingMessage?.reasons.some(({ text }) => /is being deleted/i.test(text));
  return isSaid ? [field(pod, 'status.conditions[PodScheduled].message', schedulingMessage?.raw)] : [];
}

function awaitDeletion(c: ClaimCase): Fix {
  return fix(
    'see what holds the claim, let its deletion end, then make it again: a deletion cannot be taken back',
    `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
  );
}

function deleteHolder(c: ClaimCase, { metadata: { name } }: Pod): Fix {
  return fix(
    `data-loss: the claim goes as soon as pod/${name} is gone, and with reclaim policy Delete its volume as well: save the data first`,
    `kubectl ${inNamespace(c.namespace)}delete pod ${shellWord(name)}`,
    'data-loss',
  );
}
