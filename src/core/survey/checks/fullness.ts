import { roomFixes } from '../../causes/mount/full-volume.ts';
import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import { fullInWords, usageEvidence, usageWords } from '../../facts/claim/volume-usage.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { refOf } from '../../graph/inquiry.ts';
import type { Claim } from '../../kube/kinds.ts';
import { fullnessOf, percentUsed } from '../../kube/volume-usage.ts';
import type { VolumeUsage } from '../../kube/volume-usage.ts';
import type { CheckFinding } from '../../report/check.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { MeasuredClaims } from '../usage/measured-claims.ts';
import { ownFinding } from './own-finding.ts';

/** From how many percent on a volume counts as nearly full. */
export interface UsageLimits {
  readonly bytesPercent: number;
  readonly inodesPercent: number;
}

export const usualUsageLimits: UsageLimits = { bytesPercent: 90, inodesPercent: 90 };
/** A volume that is full so soon at the present rate is reported before it is nearly full, once half of it is used. */
const soonSeconds = 24 * 60 * 60;
const leastPercentForRate = 50;

/** Volumes that are full, nearly full, or full within a day. */
export function fullnessFindings(
  ask: Inquiry,
  claims: MeasuredClaims | undefined,
  limits: UsageLimits,
): CheckFinding[] {
  return (claims?.measured ?? []).flatMap(({ claim, usage }) => findingOf(ask, claim, usage, limits) ?? []);
}

function findingOf(ask: Inquiry, claim: Claim, usage: VolumeUsage, limits: UsageLimits): CheckFinding | undefined {
  const of = fullnessOf(usage);
  if (of) return fullFinding(ask, claim, usage, of);
  const near = nearlyFull(usage, limits);
  if (!near) return undefined;
  const [first, ...rest] = evidenceOf(usage);
  if (!first) return undefined;
  return ownFinding('volume-nearly-full', claim, {
    summary: `${nameOf(claim)} ${near.words}`,
    evidence: [first, ...rest],
    fix: fixesOf(ask, claim, near.of),
  });
}

function fullFinding(ask: Inquiry, claim: Claim, usage: VolumeUsage, of: 'bytes' | 'inodes'): CheckFinding {
  const amount = usage[of];
  const what = of === 'bytes' ? 'is full' : 'has no inode left';
  const summary = `The volume of ${nameOf(claim)} ${what}${amount ? ` (${usageWords(amount, of)})` : ''}.`;
  return {
    id: of === 'bytes' ? 'volume-full' : 'volume-inodes-full',
    type: 'cause',
    severity: 'blocking',
    confidence: 'certain',
    object: refOf(claim),
    summary,
    group: summary,
    evidence: evidenceOf(usage),
    fix: fixesOf(ask, claim, of),
  };
}

interface Near {
  readonly of: 'bytes' | 'inodes';
  readonly words: string;
}

function nearlyFull({ bytes, inodes, fullInSeconds }: VolumeUsage, limits: UsageLimits): Near | undefined {
  const soon =
    fullInSeconds !== undefined && fullInSeconds < soonSeconds
      ? `, ${fullInWords(fullInSeconds)} at the present rate`
      : '';
  if (bytes && percentUsed(bytes) >= limits.bytesPercent)
    return { of: 'bytes', words: `uses ${usageWords(bytes, 'bytes')}${soon}` };
  if (inodes && percentUsed(inodes) >= limits.inodesPercent)
    return { of: 'inodes', words: `uses ${usageWords(inodes, 'inodes')} of its inodes` };
  return bytes && soon !== '' && percentUsed(bytes) >= leastPercentForRate
    ? { of: 'bytes', words: `uses ${usageWords(bytes, 'bytes')}${soon}` }
    : undefined;
}

function evidenceOf(usage: VolumeUsage): Evidence[] {
  return [...usageEvidence(usage, 'bytes'), ...usageEvidence(usage, 'inodes')];
}

function fixesOf(ask: Inquiry, claim: Claim, of: 'bytes' | 'inodes'): readonly Fix[] {
  const subject = new ClaimCase(ask, claim.metadata.namespace ?? '', claim.metadata.name, claim);
  return isPresent(subject) ? roomFixes(subject, of) : [];
}

function nameOf({ metadata: { name, namespace } }: Claim): string {
  return `pvc/${name} in namespace ${namespace ?? ''}`;
}
