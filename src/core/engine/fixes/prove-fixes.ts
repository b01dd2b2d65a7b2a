import { scopeKey } from '../../kube/snapshot.ts';
import type { Need, Snapshot } from '../../kube/snapshot.ts';
import type { Finding, Report, ReportItem } from '../../report/report.ts';
import { foreseeFix } from './foresee-fix.ts';
import type { ParseManifests } from './play-commands.ts';

export interface ProvenReport {
  readonly report: Report;
  /** What the snapshot lacked to foresee what fixes lead to. */
  readonly needs: readonly Need[];
}

/** Says under each fix of what is blocked what it would lead to, where that can be played through. */
export function proveFixes(report: Report, snapshot: Snapshot, parse: ParseManifests): ProvenReport {
  const needs: Need[] = [];
  const items = report.items.map((item) =>
    item.status === 'blocked' ? proveItem(item, snapshot, parse, needs) : item,
  );
  const distinct = new Map(needs.map((need) => [scopeKey(need.kind, need.scope), need]));
  return { report: { ...report, items }, needs: [...distinct.values()] };
}

function proveItem(item: ReportItem, snapshot: Snapshot, parse: ParseManifests, needs: Need[]): ReportItem {
  const prove = (finding: Finding): Finding => ({
    ...finding,
    fix: finding.fix.map((fix) => {
      const after = foreseeFix(snapshot, item, fix, { parse, needs });
      return after === undefined ? fix : { ...fix, after };
    }),
  });
  return { ...item, findings: item.findings.map((finding) => (finding.role === 'cause' ? prove(finding) : finding)) };
}
