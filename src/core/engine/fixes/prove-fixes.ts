import type { Need, RawObject, Snapshot } from '../../kube/snapshot.ts';
import type { Fix, FixOutcome, Report, ReportItem } from '../../report/report.ts';
import type { World } from '../rehearse/world.ts';
import { foreseeOutcome, isProvenByObjects, playFix } from './foresee-fix.ts';

/**
 * More blocked targets than this, and only the first of each cause is played through: its fixes are the ones that are
 * shown.
 */
const enoughItems = 5;

/**
 * Adds to each fix of what is blocked the outcome that it would have, if that can be rehearsed. Nothing more is read
 * for it: if the snapshot lacks something, no outcome is given.
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

interface Played {
  readonly outcome: FixOutcome | undefined;
  /** What would have to be read to know it. */
  readonly needs: readonly Need[];
}

/** An item belongs to one snapshot, so its fixes are played through once. */
const playedFixes = new WeakMap<ReportItem, ReadonlyMap<Fix, Played>>();

export function playFixes(item: ReportItem, snapshot: Snapshot): ReadonlyMap<Fix, Played> {
  const known = playedFixes.get(item);
  if (known) return known;
  const changed = fixesOf(item).flatMap((fix) => {
    const world = playFix(snapshot, fix, parseManifest);
    return world ? [[fix, world] as const] : [];
  });
  // Whether the objects prove the cause is asked last: most causes have no fix that can be played.
  const isPlayed = changed.length > 0 && isProvenByObjects(snapshot, item);
  const played = new Map(isPlayed ? changed.map(([fix, world]) => [fix, foresee(world, item, snapshot)]) : []);
  playedFixes.set(item, played);
  return played;
}

function foresee(world: World, item: ReportItem, snapshot: Snapshot): Played {
  const needs: Need[] = [];
  const after = foreseeOutcome(snapshot, item, world, needs);
  // The same obstacle again: the commands do more than can be played through, or only a part of the repair.
  const isNoNews = after?.status === 'blocked' && after.cause === item.cause;
  return { outcome: isNoNews ? undefined : after, needs: after === undefined ? needs : [] };
}

export function fixesOf({ findings }: ReportItem): readonly Fix[] {
  return findings.filter(({ role }) => role === 'cause').flatMap(({ fix }) => fix);
}

function proveItem(item: ReportItem, snapshot: Snapshot): ReportItem {
  const played = playFixes(item, snapshot);
  const findings = item.findings.map((finding) => {
    if (finding.role !== 'cause') return finding;
    const fix = finding.fix.map((one) => {
      const after = played.get(one)?.outcome;
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
