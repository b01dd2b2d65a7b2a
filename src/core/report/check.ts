import type { Confidence, Evidence, Fix, ObjectRef, Severity, Unread } from './report.ts';
import type { Source } from '../kube/snapshot.ts';
import type { PlacementState } from './status.ts';

/**
 * What is checked in addition to what is stuck. Everything else that a check finds is a cause with a page of its own.
 */
export interface OwnCheck {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** Sorted by id. An id names the bad state and is never renamed or reused; docs/checks.md has a section for each. */
export const ownChecks = [
  {
    id: 'capacity-too-small',
    severity: 'warning',
    summary: 'no topology segment, or only some, has room for a volume of the usual size of the class',
  },
  { id: 'claim-unused', severity: 'info', summary: 'no pod uses a bound claim, and no workload names it' },
  {
    id: 'default-class-missing',
    severity: 'warning',
    summary: 'there is no default StorageClass, and a StatefulSet creates claims without a class',
  },
  {
    id: 'driver-missing-on-node',
    severity: 'blocking',
    summary: 'a driver is not registered on a node where it should be',
  },
  {
    id: 'driver-not-ready-on-node',
    severity: 'blocking',
    summary: 'the node plugin of a driver is not ready on a node',
  },
  { id: 'quota-near-limit', severity: 'warning', summary: 'at least 90% of a storage quota is used' },
  { id: 'sidecar-down', severity: 'blocking', summary: 'a sidecar of a driver is not running, or has no leader' },
  {
    id: 'snapshot-content-orphan',
    severity: 'warning',
    summary: 'a VolumeSnapshotContent remains although its snapshot is gone',
  },
  {
    id: 'volume-nearly-full',
    severity: 'warning',
    summary: 'a volume is nearly full, or will be within a day (with --usage)',
  },
  {
    id: 'volume-slots-near-limit',
    severity: 'warning',
    summary: 'at least 90% of the volume slots of a node are used',
  },
] as const satisfies readonly OwnCheck[];
export type OwnCheckId = (typeof ownChecks)[number]['id'];

/** One problem of one object, present or expected soon. */
export interface CheckFinding {
  readonly context?: string;
  /** A cause or a check. */
  readonly id: string;
  readonly type: 'cause' | 'check';
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly object: ObjectRef;
  readonly summary: string;
  /** The sentence of all findings that have the same reason. */
  readonly group: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
  /** Since when the object has been stuck, where known. */
  readonly since?: string;
  /** Still within the time that it usually takes. */
  readonly isInProgress?: true;
}

/** new: it counts. ignored: a rule of the user ignores it. known: it is in the baseline. */
export type Outcome = 'new' | 'ignored' | 'known';

export interface JudgedFinding extends CheckFinding {
  readonly outcome: Outcome;
  /** The entry that ignores it, and why, if that was written down. */
  readonly ignoredBy?: string;
  readonly reason?: string;
}

/** What could not be decided. */
export interface UnknownVerdict {
  readonly context?: string;
  readonly object: ObjectRef;
  readonly summary: string;
}

export interface DriverNodes {
  readonly context?: string;
  readonly driver: string;
  readonly works?: boolean;
  readonly nodes: Readonly<Partial<Record<PlacementState, number>>>;
}

/** The findings before ignores, baseline and --fail-on decide which of them count. */
export interface CheckSurvey {
  readonly takenAt: string;
  readonly source: Source;
  readonly namespace?: string;
  readonly findings: readonly CheckFinding[];
  readonly unknown: readonly UnknownVerdict[];
  readonly unread: readonly Unread[];
  /** Whether all could be read that something blocked could hide behind. */
  readonly isSearched: boolean;
  /** The same for warnings. */
  readonly isSearchedForWarnings: boolean;
  readonly healthy: number;
  readonly drivers: readonly DriverNodes[];
}

export interface BaselineEntry {
  /** Absent: of every cluster. */
  readonly context?: string;
  readonly id: string;
  readonly severity: Severity;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export type FailOn = 'blocking' | 'warning';
export type CheckResult = 'passed' | 'failed' | 'inconclusive';

export interface CheckReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'CheckReport';
  readonly takenAt: string;
  readonly source: Source;
  /** Absent: the whole cluster. */
  readonly namespace?: string;
  readonly failOn: FailOn;
  readonly result: CheckResult;
  /** The worst first; what is ignored or known is among them. */
  readonly findings: readonly JudgedFinding[];
  readonly unknown: readonly UnknownVerdict[];
  readonly unread: readonly Unread[];
  readonly drivers: readonly DriverNodes[];
  /** Entries that ignored nothing. */
  readonly unusedIgnores: readonly string[];
  /** What the baseline lists and the check no longer finds. */
  readonly gone: readonly BaselineEntry[];
  readonly summary: {
    readonly blocking: number;
    readonly warning: number;
    readonly info: number;
    readonly unknown: number;
    readonly ignored: number;
    readonly known: number;
    readonly healthy: number;
  };
}

export interface Judgement {
  readonly failOn: FailOn;
  readonly findings: readonly JudgedFinding[];
  readonly unusedIgnores: readonly string[];
  readonly gone: readonly BaselineEntry[];
}

/** What was proven outweighs what could not be read, which no threshold hides. */
function resultOf(hasFailed: boolean, isOpen: boolean): CheckReport['result'] {
  if (hasFailed) return 'failed';
  return isOpen ? 'inconclusive' : 'passed';
}

export function checkReportOf(survey: CheckSurvey, { failOn, findings, unusedIgnores, gone }: Judgement): CheckReport {
  const { takenAt, source, namespace, unknown, unread, drivers, healthy } = survey;
  const counts = (severity: Severity): number =>
    findings.filter((finding) => finding.outcome === 'new' && finding.severity === severity).length;
  const summary = {
    blocking: counts('blocking'),
    warning: counts('warning'),
    info: counts('info'),
    unknown: unknown.length,
    ignored: findings.filter(({ outcome }) => outcome === 'ignored').length,
    known: findings.filter(({ outcome }) => outcome === 'known').length,
    healthy,
  };
  const hasFailed = summary.blocking > 0 || (failOn === 'warning' && summary.warning > 0);
  const isOpen = unknown.length > 0 || !survey.isSearched || (failOn === 'warning' && !survey.isSearchedForWarnings);
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'CheckReport',
    takenAt,
    source,
    ...(namespace !== undefined && { namespace }),
    failOn,
    result: resultOf(hasFailed, isOpen),
    findings,
    unknown,
    unread,
    drivers,
    unusedIgnores,
    gone,
    summary,
  };
}

/** Whether this finding alone makes the check fail. */
export function fails(finding: JudgedFinding, failOn: FailOn): boolean {
  return (
    finding.outcome === 'new' &&
    (finding.severity === 'blocking' || (failOn === 'warning' && finding.severity === 'warning'))
  );
}
