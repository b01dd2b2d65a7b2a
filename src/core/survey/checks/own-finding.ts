import { ownChecks } from '../../report/check.ts';
import type { CheckFinding, OwnCheckId } from '../../report/check.ts';
import type { Confidence, Evidence, Fix, ObjectRef } from '../../report/report.ts';
import { refOf } from '../../graph/inquiry.ts';

interface Told {
  readonly summary: string;
  /** Where several objects have the same reason. */
  readonly group?: string;
  readonly evidence: readonly [Evidence, ...Evidence[]];
  readonly fix: readonly Fix[];
  readonly confidence?: Confidence;
  /** Too young to be called wrong. */
  readonly isInProgress?: boolean;
}

type Identified = Parameters<typeof refOf>[0];

/** A finding of one of the checks that are no causes. */
export function ownFinding(
  id: OwnCheckId,
  object: Identified | ObjectRef,
  { summary, group = summary, evidence, fix, confidence = 'certain', isInProgress = false }: Told,
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
