import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { MissReason, NearMiss, NearMisses } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';

/** What a cause of this family says about the closest volume. */
interface ClosestVolumeCause {
  /** Only where the reason alone does not prove it. */
  holds?(c: PresentClaim, volume: Volume): boolean;
  /** The whole summary, where another one than the usual says more. */
  summarise?(c: PresentClaim, miss: NearMiss): string | undefined;
  /** Completes "The closest, pv/NAME, …". */
  describe(c: PresentClaim, miss: NearMiss): string;
  /** The smallest change after which the two would bind, as a clause; nothing where there is none. */
  wouldFit?(c: PresentClaim, miss: NearMiss): string;
  /** Next to the volume's own line: most often the field of the claim that it does not meet. */
  evidence?(c: PresentClaim, volume: Volume): readonly Evidence[];
  advise(c: PresentClaim, miss: NearMiss): readonly Fix[];
}

/** Whether the volume controller searches all volumes for this claim, and no provisioner can help it. */
export function isSearching(c: PresentClaim): boolean {
  if (c.isBound || c.isLost || c.wasBound || c.namesVolume || c.reservedVolumes.length > 0) return false;
  // With WaitForFirstConsumer the scheduler does the search, node by node.
  return c.isStatic === true && c.isDelayed !== true;
}

/** The volume that comes closest; undefined when one fits, or none is a candidate. */
export function closestMiss(c: PresentClaim): NearMiss | undefined {
  if (!isSearching(c)) return undefined;
  const { misses, fitting } = nearMissesOf(c);
  return fitting.length === 0 ? misses[0] : undefined;
}

/** The closest volume does not fit for this reason. */
export function closestVolumeRule(cause: string, reason: MissReason, parts: ClosestVolumeCause): ClaimRule {
  return claimRule({
    cause,
    stage: 'bind',
    severity: 'blocking',
    explain(c) {
      const miss = closestMiss(c);
      if (miss?.reason !== reason || parts.holds?.(c, miss.volume) === false) return undefined;
      return explainMiss(c, miss, parts);
    },
  });
}

function explainMiss(c: PresentClaim, miss: NearMiss, parts: ClosestVolumeCause): Explanation | undefined {
  const near = nearMissesOf(c);
  const { volume } = miss;
  const [first, ...rest] = [
    ...(parts.evidence?.(c, volume) ?? []),
    ...missEvidence(near.misses, c.claim),
    ...classEvidence(c),
  ];
  return (
    first && {
      confidence: confidenceOf(c, near),
      summary: parts.summarise?.(c, miss) ?? summaryOf(c, miss, parts),
      evidence: [first, ...rest],
      fix: parts.advise(c, miss),
    }
  );
}

function summaryOf(c: PresentClaim, miss: NearMiss, parts: ClosestVolumeCause): string {
  const change = parts.wouldFit?.(c, miss) ?? '';
  const condition = change === '' ? '' : `; the two would bind if ${change}`;
  return (
    `No PersistentVolume fits ${claimText(c)}. ` +
    `The closest, pv/${miss.volume.metadata.name}, ` +
    `${parts.describe(c, miss)}${condition}.${othersText(miss, nearMissesOf(c).misses)}`
  );
}

/** Without its class it is a guess that no provisioner serves the claim. */
export function confidenceOf(c: PresentClaim, { complete }: NearMisses): 'certain' | 'likely' {
  return complete && c.storageClass?.state !== 'unknown' ? 'certain' : 'likely';
}

/** A volume that fits but belongs to another claim: it is often the intended one. */
export function takenMiss(misses: readonly NearMiss[]): NearMiss | undefined {
  return misses.find(({ reason, failed }) => reason === 'claimed' && failed.length === 1);
}

function othersText(miss: NearMiss, misses: readonly NearMiss[]): string {
  const taken = miss.reason === 'claimed' ? undefined : takenMiss(misses);
  if (taken) return ` pv/${taken.volume.metadata.name} would fit, but belongs to ${ownerText(taken.volume)}.`;
  const count = misses.length - 1;
  if (count === 0) return '';
  return count === 1 ? ' One other volume fits no better.' : ` ${count} other volumes fit no better.`;
}

/** `pvc/NAME in namespace NAMESPACE` of the claim in the claimRef. */
export function ownerText({ spec }: Volume): string {
  return `pvc/${spec?.claimRef?.name ?? ''} in namespace ${spec?.claimRef?.namespace ?? ''}`;
}

function classEvidence(c: PresentClaim): Evidence[] {
  if (c.storageClass?.state !== 'missing') return [];
  const missing = absent('StorageClass', c.class.name);
  return [{ ...missing, value: 'does not exist, and need not: volumes of that class name do' }];
}

export function requestField(c: PresentClaim): Evidence {
  return field(c.claim, 'spec.resources.requests.storage');
}
