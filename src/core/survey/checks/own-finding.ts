import { ownChecks } from '../../report/check.ts';
import type { CheckFinding, OwnCheckId } from '../../report/check.ts';
import type { EvidenceList } from '../../causes/lib/rule.ts';
import type { Confidence, Fix, ObjectRef } from '../../report/report.ts';
import { refOf } from '../../graph/inquiry.ts';

interface Details {
  readonly summary: string;
  /** One sentence for all objects with the same reason. */
  readonly group?: string;
  readonly evidence: EvidenceList;
  readonly fix: readonly Fix[];
  readonly confidence?: Confidence;
  /** Too young to count as a finding. */
  readonly isInProgress?: boolean;
}

type Identified = Parameters<typeof refOf>[0];

/** A finding of a check that is no cause. */
export function ownFinding(
  id: OwnCheckId,
  object: Identified | ObjectRef,
  { summary, group = summary, evidence, fix, confidence = 'certain', isInProgress = false }: Details,
): CheckFinding {
  const severity = ownChecks.find((check) => check.id === id)?.severity ?? 'warning';
  return {
    id,
    type: 'check',
    severity: isInProgress ? 'info' : severity,
    confidence,
    object: 'metadata' in object ? refOf(object) : object,
    summary,
    group,
    evidence,
    fix,
    ...(isInProgress && { isInProgress: true as const }),
  };
}
