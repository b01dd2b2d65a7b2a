import type { PreflightItem, PreflightReport, PreflightStatus } from '../../core/report/preflight.ts';

export const statusWords: Readonly<Record<PreflightStatus, string>> = {
  ok: 'ok',
  wouldWait: 'would wait',
  wouldFail: 'would fail',
  unknown: 'not known',
};

/** `app.yaml:14 (document 2)`: the line of the wrong field, or of the object. */
export function placeWords({ place, line }: PreflightItem): string {
  return `${place.file}:${line ?? place.line}${place.document > 1 ? ` (document ${place.document})` : ''}`;
}

/** `1 would fail, 3 ok; 4 more objects were not judged (Service 2, ConfigMap 2)`. */
export function summaryWords({ summary, skipped, items }: PreflightReport): string {
  const parts = (['wouldFail', 'unknown', 'wouldWait', 'ok'] as const)
    .filter((status) => summary[status] > 0)
    .map((status) => `${summary[status]} ${statusWords[status]}`);
  const judged = items.length === 0 ? 'These manifests contain nothing related to storage.' : parts.join(', ');
  if (summary.skipped === 0) return judged;
  const kinds = Object.entries(skipped)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  const more = items.length === 0 ? '' : 'more ';
  const objects = summary.skipped === 1 ? 'object was' : 'objects were';
  return `${judged}; ${summary.skipped} ${more}${objects} not judged (${kinds.join(', ')})`;
}
