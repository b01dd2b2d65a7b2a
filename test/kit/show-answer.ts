import { diagnose } from '../../src/core/engine/diagnose.ts';
import { renderText } from '../../src/terminal/verdict/text.ts';
import { loadScenario } from './scenario.ts';

/** Prints the answers for scenarios as a user sees them: `node test/kit/show-answer.ts ID…`. */
for (const id of process.argv.slice(2)) {
  const { snapshot, target } = loadScenario(id);
  const { report } = diagnose(snapshot, { targets: [target] });
  process.stdout.write(`=== ${id}\n${renderText(report, { width: 100, colour: false, named: true })}\n`);
}
