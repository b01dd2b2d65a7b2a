import type { Evidence } from '../../report/report.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { ClaimCase, PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { rpcErrorText } from '../lib/driver-error/grpc-codes.ts';
import type { Explanation } from '../lib/rule.ts';
import { failure } from './provisioner.ts';

export const snapshotGroup = 'snapshot.storage.k8s.io';

/** What the volume is to be created from. */
export interface DataSource {
  readonly path: 'spec.dataSource' | 'spec.dataSourceRef';
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** The provisioner retries at most five minutes apart, so after this an error is no longer about the present state. */
const recentSeconds = 600;

/**
 * The last refusal is the driver's: the provisioner calls it only after it has found the source. A dump may hold the claim without its
 * source.
 */
export function hasReachedDriver(c: ClaimCase): boolean {
  const [last] = c.events.items
    .filter(({ reason }) => reason === 'ProvisioningFailed')
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  return last !== undefined && rpcErrorText.test(messageOf(last)) && (c.now - lastSeen(last)) / 1000 < recentSeconds;
}

/** external-provisioner dataSource(): the field dataSource wins, and only dataSourceRef may name another namespace. */
export function dataSourceOf(c: ClaimCase): DataSource | undefined {
  const { dataSource, dataSourceRef } = c.claim?.spec ?? {};
  if (dataSource?.kind && dataSource.name)
    return {
      path: 'spec.dataSource',
      group: dataSource.apiGroup ?? '',
      kind: dataSource.kind,
      name: dataSource.name,
      namespace: c.namespace,
    };
  if (!dataSourceRef?.kind || !dataSourceRef.name) return undefined;
  return {
    path: 'spec.dataSourceRef',
    group: dataSourceRef.apiGroup ?? '',
    kind: dataSourceRef.kind,
    name: dataSourceRef.name,
    namespace: dataSourceRef.namespace || c.namespace,
  };
}

/**
 * The provisioner handles these two itself (and ignores the group of a claim); everything else is left to a populator.
 */
export function isPopulated({ kind }: DataSource): boolean {
  return kind !== 'PersistentVolumeClaim' && kind !== 'VolumeSnapshot';
}

/**
 * The last refusal of the provisioner, if it fits: its checks run in a fixed order, so an older refusal has been
 * overcome.
 */
export function lastRefusal(c: ClaimCase, pattern: RegExp): EventMatch | undefined {
  const match = failure(c, pattern);
  const last = failure(c, /[^]*/);
  return match && last && lastSeen(match.event) >= lastSeen(last.event) ? match : undefined;
}

/** How the claim names its source. */
export function sourceEvidence(c: PresentClaim, source: DataSource): Evidence {
  const place = source.namespace === c.namespace ? '' : `${source.namespace}/`;
  return field(c.claim, source.path, `${source.kind} ${place}${source.name}`);
}

/**
 * A check of the source that failed by the word of the provisioner alone, since the objects behind it cannot be read.
 */
export interface ToldFailure<Check extends string> {
  readonly by: 'provisioner';
  readonly check: Check;
  readonly source: DataSource;
  readonly said: EventMatch;
}

/** The first of the checks that the last refusal of the provisioner is about. */
export function findToldFailure<Check extends string>(
  c: ClaimCase,
  source: DataSource,
  checks: readonly Check[],
  texts: Readonly<Record<Check, RegExp>>,
): ToldFailure<Check> | undefined {
  for (const check of checks) {
    const said = lastRefusal(c, texts[check]);
    if (said) return { by: 'provisioner', check, source, said };
  }
  return undefined;
}

export function explainTold(
  c: PresentClaim,
  { source, said }: ToldFailure<string>,
  telling: Pick<Explanation, 'summary' | 'fix'>,
): Explanation {
  return {
    confidence: 'likely',
    ...telling,
    evidence: [sourceEvidence(c, source), eventSaid(c.claim, said.event)],
  };
}
