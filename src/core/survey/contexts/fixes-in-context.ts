import { commandInContext, sentenceInContext } from '../../kube/command-context.ts';
import type { CommandPlace } from '../../kube/command-context.ts';
import type { ClusterChoice } from '../../kube/context-flag.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Fix } from '../../report/report.ts';
import { placeOfCommands } from './context-answer.ts';

interface Fixable {
  readonly fix: readonly Fix[];
}

/** The commands of these findings, to be run against one of several clusters. */
export function placeOfFixes(choice: ClusterChoice, prefix: string, findings: readonly Fixable[]): CommandPlace {
  return placeOfCommands(
    choice,
    prefix,
    findings.flatMap(({ fix }) => fix.flatMap(commandsOf)),
  );
}

/** The same findings, whose fixes act on the cluster of the place and not on the current context. */
export function findingInContext<Finding extends Fixable>(finding: Finding, place: CommandPlace): Finding {
  return { ...finding, fix: finding.fix.map((fix) => fixInContext(fix, place)) };
}

/** The same fix in one cluster. */
export function fixInContext(fix: Fix, place: CommandPlace): Fix {
  const { text, command, commands } = fix;
  return {
    ...fix,
    text: sentenceInContext(text, place),
    ...(command !== undefined && { command: commandInContext(command, place) }),
    ...(commands && { commands: commands.map((one) => commandInContext(one, place)) }),
  };
}
