import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { ExitCode } from './exit-codes.ts';

/** A command parses its flags, calls its run function and returns the exit code, which the program sets. */
export abstract class BaseCommand extends Command {
  abstract override run(): Promise<ExitCode>;
}

type Description = Pick<
  typeof Command,
  'aliases' | 'hiddenAliases' | 'summary' | 'description' | 'usage' | 'examples' | 'strict' | 'args' | 'flags'
>;
export type CommandClass = (new (argv: string[], config: Config) => BaseCommand) & Description;
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;
