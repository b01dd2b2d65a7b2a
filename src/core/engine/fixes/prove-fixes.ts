import type { RawObject, Snapshot } from '../../kube/snapshot.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Finding, Report, ReportItem } from '../../report/report.ts';
import { foreseeFix, isProvenByObjects } from './foresee-fix.ts';

/** More blocked targets than this, and only the first of each cause is played through: its fixes are the ones that are shown. */
const enoughItems = 20;

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
  const isPlayable = ({ role, fix }: Finding): boolean =>
    role === 'cause' && fix.some((one) => commandsOf(one).length > 0);
  if (!item.findings.some(isPlayable) || !isProvenByObjects(snapshot, item)) return item;
  const prove = (finding: Finding): Finding => ({
    ...finding,
    fix: finding.fix.map((fix) => {
      const after = foreseeFix(snapshot, item, fix, { parse: parseManifest });
      // The same obstacle again: the commands do more than can be played through, or only a part of the repair.
      return after === undefined || (after.status === 'blocked' && after.cause === item.cause)
        ? fix
        : { ...fix, after };
    }),
  });
  return { ...item, findings: item.findings.map((finding) => (isPlayable(finding) ? prove(finding) : finding)) };
}

/** Printed manifests are JSON (applyCommand). */
function parseManifest(text: string): readonly RawObject[] {
  const object: unknown = JSON.parse(text);
  return [object as RawObject];
}
