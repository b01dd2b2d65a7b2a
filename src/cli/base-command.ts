import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { ExitCode } from './exit-codes.ts';

/** A command parses, calls and prints; it answers with the exit code, and the program sets it. */
export abstract class BaseCommand extends Command {
  abstract override run(): Promise<ExitCode>;
}

type Description = Pick<
  typeof Command,
  'aliases' | 'hiddenAliases' | 'summary' | 'description' | 'usage' | 'examples' | 'strict' | 'args' | 'flags'
>;
export type CommandClass = (new (argv: string[], config: Config) => BaseCommand) & Description;
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;
