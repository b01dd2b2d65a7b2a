import { diagnose } from '../../src/core/engine/diagnose.ts';
import { commandsOf } from '../../src/core/report/fix-commands.ts';
import { checkFixes, unparsable } from './fix-checks.ts';
import { loadScenarios } from './scenario.ts';

/**
 * What a machine can see wrong with the printed fixes, over all scenarios: `node test/kit/check-fixes.ts [CAUSES [RULE]]`,
 * where CAUSES is a regular expression and RULE one of the words in brackets.
 */
const [, , causes = '', rule] = process.argv;
const wanted = new RegExp(causes);
const counts = new Map<string, number>();
const commands: string[] = [];
for (const { id, snapshot, target } of loadScenarios()) {
  for (const item of diagnose(snapshot, { targets: [target] }).report.items)
    for (const finding of item.findings.filter(({ role, severity }) => role === 'cause' && severity === 'blocking')) {
      if (!wanted.test(finding.cause)) continue;
      commands.push(...finding.fix.flatMap(commandsOf));
      for (const problem of checkFixes(snapshot, item, finding)) {
        counts.set(problem.rule, (counts.get(problem.rule) ?? 0) + 1);
        if (rule === undefined || rule === problem.rule)
          process.stdout.write(`${id} (${finding.cause}) fix ${problem.fix} [${problem.rule}] ${problem.detail}\n`);
      }
    }
}
for (const command of unparsable(commands)) process.stdout.write(`[shell] ${command}\n`);
process.stdout.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
