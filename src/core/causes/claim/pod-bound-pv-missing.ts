import type { Claim } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { lostVolumeFixes } from '../lib/restore-volume.ts';
import { claimRule, podRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';

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
      fix: lostVolumeFixes(c),
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
      fix: isPresent(c) ? lostVolumeFixes(c) : [],
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
  return `${claimText(c)} is bound to pv/${c.volumeName}, which no longer exists.`;
}

function volumeNameField(claim: Claim, volumeName: string): Evidence {
  return field(claim, 'spec.volumeName', volumeName);
}
