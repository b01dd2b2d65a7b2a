import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { MissReason, NearMiss, NearMisses } from '../../facts/volume/near-miss.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';

/** What a cause of this family says about the closest volume. */
interface ClosestVolumeCause {
  /** Only where the reason alone does not prove it. */
  holds?(c: PresentClaim, volume: Volume): boolean;
  /** Completes "the closest, NAME, …". */
  describe(c: PresentClaim, volume: Volume): string;
  /** What stands against the volume, next to its own line: most often the field of the claim that it does not meet. */
  evidence?(c: PresentClaim, volume: Volume): readonly Evidence[];
  advise(c: PresentClaim, volume: Volume): readonly Fix[];
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
      summary: `no existing volume fits: the closest, ${volume.metadata.name}, ${parts.describe(c, volume)}${othersText(miss, near.misses)}`,
      evidence: [first, ...rest],
      fix: parts.advise(c, volume),
    }
  );
}

/** Without its class it is a guess that no provisioner serves the claim. */
export function confidenceOf(c: PresentClaim, { complete }: NearMisses): 'certain' | 'likely' {
  return complete && c.storageClass?.state !== 'unknown' ? 'certain' : 'likely';
}

/** A volume that fits better but belongs to another claim is worth naming: it is often the one that was meant. */
function othersText(miss: NearMiss, misses: readonly NearMiss[]): string {
  const taken =
    miss.reason === 'claimed'
      ? undefined
      : misses.find(({ reason, failed }) => reason === 'claimed' && failed.length === 1);
  if (taken) return `; volume ${taken.volume.metadata.name} would fit and is taken by ${ownerText(taken.volume)}`;
  const count = misses.length - 1;
  if (count === 0) return '';
  return count === 1 ? '; one other volume fits no better' : `; ${count} other volumes fit no better`;
}

/** NAMESPACE/NAME of the claim in the claimRef. */
export function ownerText({ spec }: Volume): string {
  return `${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}`;
}

function classEvidence(c: PresentClaim): Evidence[] {
  if (c.storageClass?.state !== 'missing') return [];
  const missing = absent('StorageClass', c.class.name);
  return [{ ...missing, value: 'does not exist, and need not: volumes of that class name do' }];
}

export function requestField(c: PresentClaim): Evidence {
  return field(c.claim, 'spec.resources.requests.storage');
}

export function remakeClaim(c: PresentClaim, text: string): Fix {
  return fix(`${text}: nothing is stored under a claim that was never bound`, deleteClaimCommand(c), 'disruptive');
}

export function patchVolume(name: string, patch: unknown): string {
  return `kubectl patch pv ${shellWord(name)} --type merge -p ${shellWord(JSON.stringify(patch))}`;
}

/** Gives a free volume another class; the beta annotation would win over the field, so it goes. */
export function giveClass(volume: Volume, className: string): string {
  const isAnnotated = resolveClass(volume).source === 'annotation';
  return patchVolume(volume.metadata.name, {
    ...(isAnnotated && { metadata: { annotations: { [betaClassAnnotation]: null } } }),
    spec: { storageClassName: className },
  });
}
