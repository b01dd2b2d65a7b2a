import { Command } from '@oclif/core/command';
import type { Config } from '@oclif/core/config';
import type { ExitCode } from './exit-codes.ts';

/** A command parses, calls and prints; it answers with the exit code, and the program sets it. */
export abstract class BaseCommand extends Command {
  abstract override run(): Promise<ExitCode>;
}

type Description = Pick<typeof Command, 'aliases' | 'hiddenAliases' | 'summary' | 'description' | 'usage' | 'examples' | 'strict' | 'args' | 'flags'>;
export type CommandClass = (new (argv: string[], config: Config) => BaseCommand) & Description;
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: CommandClass }>>>;

/**
 * The part of oclif's Config that a running command touches. Loading the real one searches for plugins, themes, a shell
 * and the package file, which costs more than the rest of the start and finds nothing here.
 */
export function bareConfig(version: string): Config {
  return {
    bin: 'kubectl csi',
    name: 'kubectl-csi',
    version,
    topicSeparator: ' ',
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVarKeys: () => [],
  } as unknown as Config;
}
