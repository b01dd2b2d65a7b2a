import type { Fix } from './report.ts';

/** The commands of a fix, in the order in which they are to be run. */
export function commandsOf({ command, commands }: Pick<Fix, 'command' | 'commands'>): readonly string[] {
  if (commands !== undefined) return commands;
  return command === undefined || command === '' ? [] : [command];
}
