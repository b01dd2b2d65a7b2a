import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import type { Claim } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence } from '../../report/report.ts';
import { restoreLabel } from './velero-restore.ts';

/** A claim that was created with the binding of an earlier one: restored from a backup, or from a saved manifest. */
export interface CopiedClaim {
  /** The restore of Velero that created it. */
  readonly restore: string | undefined;
  /** Other claims of the same restore that are Lost. */
  readonly others: readonly Claim[];
}

/** A claim that is Lost so soon after its creation never had a volume under its own uid. */
const soonSeconds = 60;

export function copiedClaimOf(c: PresentClaim): CopiedClaim | undefined {
  const restore = c.claim.metadata.labels?.[restoreLabel];
  if (!wasLostAtOnce(c)) return undefined;
  const others = c.ask.graph
    .inNamespace('PersistentVolumeClaim', c.namespace)
    .filter(
      ({ metadata, status }) =>
        restore !== undefined &&
        metadata.name !== c.name &&
        status?.phase === 'Lost' &&
        metadata.labels?.[restoreLabel] === restore,
    );
  return { restore, others };
}

function wasLostAtOnce(c: PresentClaim): boolean {
  const created = parseTime(c.claim.metadata.creationTimestamp);
  const lost = c.events.items.find(({ reason }) => reason === 'ClaimLost');
  const since = parseTime(lost?.firstTimestamp ?? lost?.eventTime ?? lost?.lastTimestamp);
  return created !== undefined && since !== undefined && (since - created) / 1000 <= soonSeconds;
}

/** Completes the sentence that the volume does not exist. */
export function copiedText(copy: CopiedClaim): string {
  const who =
    copy.restore === undefined
      ? 'It was created from a copy of an earlier claim, with its binding'
      : `Velero restore "${copy.restore}" created it with the binding of the claim in the backup`;
  const others = copy.others.map(({ metadata }) => `pvc/${metadata.name}`).join(', ');
  return ` ${who}, and without the volume.${others === '' ? '' : ` The same holds for ${others}.`}`;
}

export function copiedEvidence({ claim }: PresentClaim, { restore }: CopiedClaim): Evidence[] {
  return [
    ...(restore === undefined
      ? [field(claim, 'metadata.creationTimestamp')]
      : [field(claim, `metadata.labels[${restoreLabel}]`, restore)]),
  ];
}
