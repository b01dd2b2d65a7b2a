import { diagnose } from '../../src/core/engine/diagnose.ts';
import { askCheck } from '../../src/core/survey/checks/ask-check.ts';
import { renderText } from '../../src/terminal/verdict/text.ts';
import { damage, isPendingClaim } from '../kit/damage.ts';
import { loadScenarios } from '../kit/scenario.ts';

export const name = 'fuzz';

/** One in so many is also rendered, and searched as a whole. */
const rendered = 10;
const searched = 50;

/** Diagnoses of damaged snapshots: never an exception, never a Pending claim that is healthy, no control byte in the text. */
export async function attack(report: (line: string) => void): Promise<{ cases: number; failures: string[] }> {
  const wanted = Number(process.env['FUZZ_CASES'] ?? 100_000);
  const scenarios = loadScenarios();
  const failures: string[] = [];
  let cases = 0;
  for (let seed = 1; cases < wanted; seed += 1) {
    for (const { id, target, snapshot } of scenarios) {
      if (cases >= wanted) break;
      cases += 1;
      const damaged = damage(snapshot, seed * 7919 + cases);
      try {
        const { report: answer } = diagnose(damaged, { targets: [target] });
        if (isPendingClaim(damaged, target) && answer.items[0]?.status === 'healthy')
          failures.push(`${id}, case ${cases}: a Pending claim is called healthy`);
        if (cases % rendered === 0 && /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(textOf(answer)))
          failures.push(`${id}, case ${cases}: a control byte in the text`);
        if (cases % searched === 0) askCheck(damaged, {});
      } catch (error) {
        failures.push(
          `${id}, case ${cases}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
      if (cases % 10_000 === 0) {
        report(`${cases} of ${wanted} diagnoses, ${failures.length} failures`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  return { cases, failures };
}

function textOf(answer: Parameters<typeof renderText>[0]): string {
  return renderText(answer, { width: 100, colour: false, ascii: false, wide: true, named: true });
}
