import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { claimRule, podRule } from '../lib/rule.ts';
import { deleteClaimCommand } from './delete-claim.ts';

const cause = 'pod-bound-pv-missing';

/** The volume was removed while it was bound, and the volume controller has not set the claim to Lost yet. */
export const podBoundPvMissing = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!c.isBound || c.volume?.state !== 'missing') return undefined;
    return {
      summary: summaryOf(c),
      evidence: [
        volumeNameField(c.claim, c.volumeName),
        field(c.claim, 'status.phase'),
        absent('PersistentVolume', c.volumeName),
      ],
      fix: advise(c),
    };
  },
});

/** Where volumes cannot be read, the scheduler still reports it (VolumeBinding checkBoundClaims). */
export const podBoundPvSaidMissing = podRule({
  cause,
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const unreadable = isSaidMissing(p)
      ? p.claims.filter((candidate) => candidate.isBound && candidate.volume?.state === 'unknown')
      : [];
    const named = namedClaim(p);
    const c = unreadable.find(({ name }) => name === named) ?? unreadable[0];
    if (!c?.claim) return undefined;
    return {
      confidence: unreadable.length === 1 || named === c.name ? 'likely' : 'possible',
      summary: summaryOf(c),
      evidence: [
        volumeNameField(c.claim, c.volumeName),
        field(p.pod, 'status.conditions[PodScheduled].message', p.schedulingMessage?.raw),
      ],
      fix: advise(c),
    };
  },
});

function isSaidMissing(p: PodCase): boolean {
  const reasons = p.schedulingMessage?.reasons ?? [];
  return reasons.some(({ text }) => /bound to non-existent (?:pv|persistentvolume)/i.test(text));
}

function namedClaim(p: PodCase): string | undefined {
  return /persistentvolumeclaim "([^"]+)" bound to non-existent persistentvolume "([^"]+)"/i.exec(
    p.schedulingMessage?.raw ?? '',
  )?.[1];
}

function summaryOf(c: ClaimCase): string {
  return `pvc/${c.name} is bound to pv/${c.volumeName}, which does not exist any more`;
}

function volumeNameField(claim: Claim, volumeName: string): Evidence {
  return field(claim, 'spec.volumeName', volumeName);
}

function advise(c: ClaimCase): Fix[] {
  return [
    fix(
      `look at the claim; if the storage behind it still exists, create pv/${c.volumeName} again with the same volume handle and a claimRef to this claim: they find each other`,
      `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o yaml`,
    ),
    fix(
      'data-loss: otherwise give the volume up: delete the claim, make it again and restore a backup into it',
      deleteClaimCommand(c),
      'data-loss',
    ),
  ];
}
