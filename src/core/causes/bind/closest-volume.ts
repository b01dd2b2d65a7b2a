import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { MissReason, NearMiss } from '../../facts/volume/near-miss.ts';
import { claimRule } from '../lib/rule.ts';
import type { ClaimRule, Explanation } from '../lib/rule.ts';
import type { Evidence, Fix } from '../../report/report.ts';

/** What a rule of the family adds to the list of near misses. */
interface Telling {
  /** Goes on after "the closest, NAME, …". */
  readonly says: string;
  /** Fields of the claim that the volume fails. */
  readonly wanted?: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Whether the controller searches all volumes for this claim, and nothing else can help it. */
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

/** A cause of the family: the closest volume misses for one of these reasons. */
export function closestVolumeRule(
  cause: string,
  reasons: readonly MissReason[],
  tell: (c: PresentClaim, miss: NearMiss) => Telling | undefined,
  severity: ClaimRule['severity'] = 'blocking',
): ClaimRule {
  return claimRule({
    cause,
    stage: 'bind',
    severity,
    explain(c) {
      const miss = closestMiss(c);
      const telling = miss && reasons.includes(miss.reason) ? tell(c, miss) : undefined;
      return miss && telling ? explanationOf(c, miss, telling) : undefined;
    },
  });
}

function explanationOf(c: PresentClaim, miss: NearMiss, telling: Telling): Explanation {
  const { misses, complete } = nearMissesOf(c);
  const [closest, ...others] = missEvidence(misses, c.claim);
  return {
    confidence: confidenceOf(c, complete),
    severity: 'blocking',
    summary: `no existing volume fits: the closest, ${miss.volume.metadata.name}, ${telling.says}${othersText(miss, misses)}`,
    evidence: [...(telling.wanted ?? []), closest, ...others, ...classEvidence(c)].filter(
      (line) => line !== undefined,
    ) as [Evidence, ...Evidence[]],
    fix: telling.fix,
  };
}

/** Whether the claim is served by hand at all is a guess without its class. */
export function confidenceOf(c: PresentClaim, complete: boolean): 'certain' | 'likely' {
  return complete && c.storageClass?.state !== 'unknown' ? 'certain' : 'likely';
}

/** A larger or better volume that someone else took is half of the story. */
function othersText(miss: NearMiss, misses: readonly NearMiss[]): string {
  const taken =
    miss.reason === 'claimed'
      ? undefined
      : misses.find(({ reason, failed }) => reason === 'claimed' && failed.length === 1);
  if (taken) return `; volume ${taken.volume.metadata.name} would fit and is taken by ${ownerText(taken)}`;
  const count = misses.length - 1;
  return count === 0 ? '' : `; ${count === 1 ? 'one other volume fits' : `${count} other volumes fit`} no better`;
}

export function ownerText({ volume }: NearMiss): string {
  return `${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}`;
}

function classEvidence(c: PresentClaim): Evidence[] {
  return c.storageClass?.state === 'missing'
    ? [
        {
          ...absent('StorageClass', c.class.name),
          value: 'does not exist, and need not: volumes of that class name do',
        },
      ]
    : [];
}

export function requestField(c: PresentClaim): Evidence {
  return field(c.claim, 'spec.resources.requests.storage');
}

export function remakeClaim(c: PresentClaim, text: string): Fix {
  return fix(
    `${text}: nothing is stored under a claim that was never bound`,
    `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
    'disruptive',
  );
}

export function patchVolume(name: string, patch: unknown): string {
  return `kubectl patch pv ${shellWord(name)} --type merge -p ${shellWord(JSON.stringify(patch))}`;
}
