import { lastSeen } from '../../../graph/events.ts';
import type { EventMatch } from '../../../graph/events.ts';
import type { Evidence } from '../../../report/report.ts';
import { eventSaid, field } from '../../../facts/evidence.ts';
import type { ClaimCase, PresentClaim } from '../../../facts/claim/claim-case.ts';
import { claimRule } from '../../lib/rule.ts';
import type { ClaimRule, Explanation } from '../../lib/rule.ts';
import { failure } from '../provisioner.ts';

export const snapshotGroup = 'snapshot.storage.k8s.io';

/** What the volume is to be made from. */
export interface DataSource {
  readonly path: 'spec.dataSource' | 'spec.dataSourceRef';
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
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

/** The provisioner handles these two itself (and asks nothing of the group of a claim); all else is left to a populator. */
export function isPopulated({ kind }: DataSource): boolean {
  return kind !== 'PersistentVolumeClaim' && kind !== 'VolumeSnapshot';
}

/** The last word of the provisioner, if it fits: its checks run in a fixed order, so an older refusal has been overcome. */
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

export function saidBy(c: PresentClaim, said: EventMatch | undefined): Evidence[] {
  return said ? [eventSaid(c.claim, said.event)] : [];
}

/** One of several causes that a single walk through the provisioner's checks can end with. */
export interface Outcome extends Explanation {
  readonly cause: string;
}

/** The rules of a family: one walk finds the first check that fails, and each rule speaks for its own. */
export function rulesOf(causes: readonly string[], judge: (c: PresentClaim) => Outcome | undefined): ClaimRule[] {
  const judgeOnce = judge as (c: ClaimCase) => Outcome | undefined;
  return causes.map((cause) =>
    claimRule({
      cause,
      stage: 'provision',
      severity: 'blocking',
      explain(c) {
        const outcome = c.once(judgeOnce);
        if (outcome?.cause !== cause) return undefined;
        const { cause: _cause, ...explanation } = outcome;
        return explanation;
      },
    }),
  );
}
