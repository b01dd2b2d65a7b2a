import type { CheckFinding } from '../../report/check.ts';
import type { Finding, ObjectRef, Report, ReportItem, Severity } from '../../report/report.ts';
import { waitsForSomeone } from '../../causes/lib/lasting-causes.ts';

/** Nothing waits for these leftovers: a pod that needs the volume elsewhere is a finding of its own. */
const leftBehind: ReadonlySet<string> = new Set([
  'va-orphan-node-deleted',
  'va-orphan-attachrequired-false',
  'va-node-gone-no-nodeid',
  'va-pv-missing',
]);
/** Retained by design, which is worth a warning after a while. */
const keptForLong: ReadonlySet<string> = new Set(['pv-released-retain', 'snap-content-retained']);
/** Reported once for the whole cluster. */
const saidElsewhere: ReadonlySet<string> = new Set(['class-default-multiple']);

/** The verdicts of a report as findings: the cause of each target, and its warnings. */
export function findingsOfVerdicts({ items, causes }: Pick<Report, 'items' | 'causes'>): CheckFinding[] {
  const groups = new Map(
    causes.flatMap(({ cause, summary, targets }) =>
      targets.map((target) => [`${cause}|${keyOf(target)}`, summary] as const),
    ),
  );
  return items.flatMap((item) => [...causeOf(item, groups), ...adviceOf(item)]);
}

function causeOf(item: ReportItem, groups: ReadonlyMap<string, string>): CheckFinding[] {
  const { cause, status, target, summary } = item;
  if (cause === undefined || (status !== 'blocked' && status !== 'waiting')) return [];
  const finding = item.findings.find((each) => each.role === 'cause' && each.cause === cause);
  return [
    {
      id: cause,
      type: 'cause',
      severity: severityOf(item, cause, finding?.severity ?? 'blocking'),
      confidence: finding?.confidence ?? 'certain',
      object: target,
      summary,
      group: groups.get(`${cause}|${keyOf(target)}`) ?? summary,
      evidence: finding?.evidence ?? [],
      fix: finding?.fix ?? [],
      ...sinceOf(item, finding),
      ...(status === 'waiting' && !waitsForSomeone.has(cause) && { isInProgress: true as const }),
    },
  ];
}

/** When the stage that decides began; where that is not known, the time of the oldest evidence. */
function sinceOf({ stage, stages }: ReportItem, finding: Finding | undefined): { readonly since?: string } {
  const row = stages.find((each) => each.stage === stage && each.state !== 'passed' && each.since !== undefined);
  const since = row?.since ?? finding?.evidence.flatMap(({ at }) => at ?? []).toSorted()[0];
  return since === undefined ? {} : { since };
}

function severityOf({ status, target, phase }: ReportItem, cause: string, severity: Severity): Severity {
  if (keptForLong.has(cause)) return 'warning';
  if (status === 'waiting') return 'info';
  // A class is a target of its own only where no claim waits for it.
  if (target.kind === 'StorageClass') return 'warning';
  if (target.kind === 'VolumeAttachment' && leftBehind.has(cause)) return 'warning';
  if (target.kind === 'PersistentVolume' && phase === 'Failed') return 'warning';
  return severity;
}

function adviceOf({ findings, target }: ReportItem): CheckFinding[] {
  const isToldHere = ({ role, severity, cause }: Finding): boolean =>
    role === 'advice' && severity === 'warning' && !saidElsewhere.has(cause);
  return findings.filter(isToldHere).map(({ cause, severity, confidence, summary, evidence, fix }) => ({
    id: cause,
    type: 'cause',
    severity,
    confidence,
    object: target,
    summary,
    group: summary,
    evidence,
    fix,
  }));
}

export function keyOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind}|${namespace ?? ''}|${name}`;
}
