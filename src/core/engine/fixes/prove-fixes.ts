import type { RawObject, Snapshot } from '../../kube/snapshot.ts';
import type { Fix, FixOutcome, Report, ReportItem } from '../../report/report.ts';
import { foreseeOutcome, isProvenByObjects, playFix } from './foresee-fix.ts';

/** More blocked targets than this, and only the first of each cause is played through: its fixes are the ones that are shown. */
const enoughItems = 5;

/**
 * Says under each fix of what is blocked what it would lead to, where that can be played through. Nothing more is read for
 * it: where the snapshot lacks something, nothing is said.
 */
export function proveFixes(report: Report, snapshot: Snapshot): Report {
  const chosen = new Set(chooseItems(report));
  if (chosen.size === 0) return report;
  return { ...report, items: report.items.map((item) => (chosen.has(item) ? proveItem(item, snapshot) : item)) };
}

function chooseItems({ items }: Report): readonly ReportItem[] {
  const blocked = items.filter(({ status }) => status === 'blocked');
  if (blocked.length <= enoughItems) return blocked;
  const firsts = new Map<string, ReportItem>();
  for (const item of blocked) {
    const key = `${item.cause ?? ''}|${item.summary}`;
    if (!firsts.has(key)) firsts.set(key, item);
  }
  return [...firsts.values()].slice(0, enoughItems);
}

function proveItem(item: ReportItem, snapshot: Snapshot): ReportItem {
  const fixes = item.findings.flatMap(({ role, fix }) => (role === 'cause' ? fix : []));
  const worlds = new Map(fixes.map((fix) => [fix, playFix(snapshot, fix, parseManifest)]));
  // Most causes have no fix that can be played, and that is seen sooner than whether the objects prove them.
  if (fixes.every((fix) => worlds.get(fix) === undefined) || !isProvenByObjects(snapshot, item)) return item;
  const foresee = (fix: Fix): FixOutcome | undefined => {
    const world = worlds.get(fix);
    const after = world && foreseeOutcome(snapshot, item, world);
    // The same obstacle again: the commands do more than can be played through, or only a part of the repair.
    return after?.status === 'blocked' && after.cause === item.cause ? undefined : after;
  };
  const findings = item.findings.map((finding) => {
    if (finding.role !== 'cause') return finding;
    const fix = finding.fix.map((one) => {
      const after = foresee(one);
      return after === undefined ? one : { ...one, after };
    });
    return { ...finding, fix };
  });
  return { ...item, findings };
}

/** Printed manifests are JSON (applyCommand). */
function parseManifest(text: string): readonly RawObject[] {
  const object: unknown = JSON.parse(text);
  return [object as RawObject];
}
