import type { CheckFinding, CheckSurvey, DriverNodes, UnknownVerdict } from '../../report/check.ts';
import type { Report, ReportItem, Severity } from '../../report/report.ts';
import type { TargetRef } from '../../kube/selection.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { Status } from '../../report/status.ts';
import { parseTime } from '../../kube/time.ts';
import { compareText, graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { describeUnread, needsOf } from '../../graph/unread.ts';
import { defaultClassFindings } from './default-class.ts';
import { driverFindings, oddNodes, repeatsNodes } from './driver-findings.ts';
import { fullnessFindings, usualUsageLimits } from './fullness.ts';
import type { UsageLimits } from './fullness.ts';
import { capacityFindings, quotaFindings, slotFindings } from './limits.ts';
import { contentFindings, orphanTargets } from './orphans.ts';
import { unusedClaims } from './unused.ts';
import { upgradeFindings } from './upgrade.ts';
import { measuredClaims } from '../usage/measured-claims.ts';
import type { MeasuredClaims } from '../usage/measured-claims.ts';
import { unmeasuredUsage } from '../../graph/unread.ts';
import { findingsOfVerdicts, keyOf } from './verdict-findings.ts';

/** The verdicts that the checks start from, and a way to get more. */
interface CheckVerdicts {
  readonly status: Status;
  readonly stuck: Report;
  readonly drivers: readonly ReportItem[];
  readonly judge: (targets: readonly TargetRef[]) => Report;
}

/** What a user has asked for beyond the usual checks. */
export interface CheckWishes {
  readonly limits?: UsageLimits;
  /** Read all claims and pods, to find the claims that no pod uses. */
  readonly unused?: boolean;
}

/** Everything that is wrong with the storage of a cluster or a namespace, and what will soon be. */
export function surveyChecks(
  snapshot: Snapshot,
  { status, stuck, drivers, judge }: CheckVerdicts,
  wishes: CheckWishes = {},
): CheckSurvey & { readonly needs: readonly Need[] } {
  const ask = new Inquiry(graphOf(snapshot));
  const { namespace } = status;
  // Drivers are judged apart, so that what is wrong with one on its nodes is reported for the nodes.
  const found = { ...stuck, items: stuck.items.filter(({ target }) => target.kind !== 'CSIDriver') };
  const judged = new Set(found.items.map(({ target }) => keyOf(target)));
  const fresh = (targets: readonly TargetRef[]): TargetRef[] => targets.filter((target) => !judged.has(keyOf(target)));
  const orphans = judgeSome(judge, fresh(orphanTargets(ask, namespace)));
  const nodes = judgeSome(judge, fresh(oddNodes(status)));
  const badDrivers = drivers.filter((item) => !repeatsNodes(item, nodes.items));
  const usage = measuredClaims(ask, namespace);
  const unused = unusedClaims(ask.graph, namespace, wishes.unused === true);
  const judgements = judgementsOf(badDrivers, [found, orphans, nodes]);
  const findings = [
    ...judgements,
    ...driverFindings(ask, status, nodes.items, judgements),
    ...contentFindings(ask, namespace, orphans.items),
    ...defaultClassFindings(ask, namespace),
    ...slotFindings(status),
    ...capacityFindings(ask, status),
    ...quotaFindings(ask, namespace),
    ...fullnessFindings(ask, usage, wishes.limits ?? usualUsageLimits),
    ...upgradeFindings(ask, namespace),
    ...unused.findings,
  ];
  const unmeasured = unmeasuredUsage(ask.graph, usage?.unmeasured ?? []);
  // An unknown verdict on leftovers or on nodes does not make the result incomplete.
  const items = [...found.items, ...badDrivers];
  return {
    takenAt: status.takenAt,
    source: status.source,
    ...(namespace !== undefined && { namespace }),
    findings: inOrder(withoutRepeats(findings)),
    unknown: items
      .filter((item) => item.status === 'unknown')
      .map(({ target, summary }): UnknownVerdict => ({ object: target, summary })),
    unread: distinct([...status.unread, ...describeUnread(ask.unanswered), ...unused.unread, ...unmeasured]),
    isSearched: status.isSearched && (unmeasured.length === 0 || isAnyMeasured(usage)),
    isSearchedForWarnings:
      unmeasured.length === 0 &&
      ask.unanswered.length === 0 &&
      [...orphans.items, ...nodes.items].every((item) => item.status !== 'unknown'),
    healthy: status.summary.healthy,
    drivers: status.drivers.map(driverNodes),
    needs: [...needsOf(ask.unanswered), ...unused.needs],
  };
}

/** Whether any volume was measured: a driver that reports none never lets all volumes be measured. */
function isAnyMeasured(usage: MeasuredClaims | undefined): boolean {
  return (usage?.measured ?? []).some(({ usage: { bytes } }) => bytes !== undefined);
}

/** The findings about drivers first, then those of the other verdicts, grouped with the driver they wait for. */
function judgementsOf(
  drivers: readonly ReportItem[],
  verdicts: readonly Pick<Report, 'items' | 'causes'>[],
): CheckFinding[] {
  const ofDrivers = findingsOfVerdicts({ items: drivers, causes: [] });
  const others = verdicts.flatMap(findingsOfVerdicts);
  return [...ofDrivers, ...others.map((finding) => joinDriver(finding, ofDrivers))];
}

/** What waits for a driver that is down is grouped with the finding about that driver. */
function joinDriver(finding: CheckFinding, drivers: readonly CheckFinding[]): CheckFinding {
  const driver = drivers.find(
    ({ id, severity, object }) =>
      id === finding.id && severity === finding.severity && finding.summary.includes(object.name),
  );
  return driver === undefined ? finding : { ...finding, group: driver.group };
}

/** Without targets `judge` would search for everything that is stuck. */
function judgeSome(judge: CheckVerdicts['judge'], targets: readonly TargetRef[]): Pick<Report, 'items' | 'causes'> {
  return targets.length === 0 ? { items: [], causes: [] } : judge(targets);
}

function driverNodes({ name, state, placements }: Status['drivers'][number]): DriverNodes {
  const nodes = Object.fromEntries(
    [...Map.groupBy(placements, (placement) => placement.state)].map(([word, group]) => [word, group.length]),
  );
  return { driver: name, ...(state !== 'unknown' && { works: state === 'works' }), nodes };
}

function withoutRepeats(findings: readonly CheckFinding[]): CheckFinding[] {
  return [
    ...new Map(
      findings.map((finding) => [
        `${finding.id}|${finding.severity}|${keyOf(finding.object)}|${finding.summary}`,
        finding,
      ]),
    ).values(),
  ];
}

function sinceOf({ since }: CheckFinding): number {
  return parseTime(since) ?? Number.MAX_SAFE_INTEGER;
}

const severityRank: Record<Severity, number> = { blocking: 0, warning: 1, info: 2 };

/** The worst first, then the largest groups, then what has lasted longest: the order of `why` and `status`. */
function inOrder(findings: readonly CheckFinding[]): CheckFinding[] {
  const groupOf = ({ id, severity, group }: CheckFinding): string => `${id}|${severity}|${group}`;
  const groups = Map.groupBy(findings, groupOf);
  const sizes = new Map([...groups].map(([key, group]) => [key, group.length]));
  const times = new Map([...groups].map(([key, group]) => [key, Math.min(...group.map(sinceOf))]));
  const size = (finding: CheckFinding): number => sizes.get(groupOf(finding)) ?? 0;
  const start = (finding: CheckFinding): number => times.get(groupOf(finding)) ?? Number.MAX_SAFE_INTEGER;
  return [...findings].sort(
    (a, b) =>
      severityRank[a.severity] - severityRank[b.severity] ||
      size(b) - size(a) ||
      start(a) - start(b) ||
      compareText(a.id, b.id) ||
      compareText(a.group, b.group) ||
      compareText(keyOf(a.object), keyOf(b.object)),
  );
}

function distinct<Entry extends { readonly resource: string; readonly needed: string }>(
  unread: readonly Entry[],
): Entry[] {
  return [...new Map(unread.map((entry) => [`${entry.resource}|${entry.needed}`, entry])).values()];
}
