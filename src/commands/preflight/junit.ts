import type { PreflightItem, PreflightReport } from '../../core/report/preflight.ts';
import { whyUnread } from '../../core/report/why-unread.ts';
import { fixLines } from '../../terminal/verdict/finding.ts';
import { renderJunit } from '../../terminal/junit.ts';
import type { TestCase } from '../../terminal/junit.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { placeWords } from './words.ts';

/** A test case for each object: one that would fail failed, one that could not be judged is an error. */
export function renderPreflightJunit(report: PreflightReport): string {
  return renderJunit('kubectl csi preflight', report.takenAt, report.items.map(caseOf));
}

function caseOf(item: PreflightItem): TestCase {
  const tested = {
    classname: item.place.file,
    name: `${item.object.namespace === undefined ? '' : `${item.object.namespace}/`}${objectName(item.object)}`,
  };
  const steps = fixLines(item.objection?.fix ?? []);
  const lacking = item.unread.map((entry) => `could not read ${entry.resource} (${whyUnread(entry)}): ${entry.needed}`);
  const warnings = item.warnings.map(({ cause, summary }) => `warning ${cause}: ${summary}`);
  const body = [placeWords(item), ...steps, ...lacking, ...warnings].join('\n');
  if (item.status === 'wouldFail')
    return {
      ...tested,
      outcome: { element: 'failure', type: item.cause ?? 'would-fail', message: item.summary, body },
    };
  if (item.status === 'unknown')
    return { ...tested, outcome: { element: 'error', type: 'not-known', message: item.summary, body } };
  return { ...tested, output: [item.summary, ...warnings].join('\n') };
}
