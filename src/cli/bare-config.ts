import type { Config } from '@oclif/core/config';
import type { ExitCode } from './exit-codes.ts';

/** Runs another command of the program with arguments that oclif parses. */
export type RunCommand = (id: string, argv: string[]) => Promise<ExitCode>;

/**
 * The part of oclif's Config that a running command uses. Loading the real one searches for plugins, themes, a shell
 * and the package file, which takes longer than the rest of the start and finds nothing here.
 */
export function bareConfig(version: string, runCommand?: RunCommand): Config {
  return {
    bin: 'kubectl csi',
    name: 'kubectl-csi',
    version,
    topicSeparator: ' ',
    runCommand,
    runHook: () => Promise.resolve({ successes: [], failures: [] }),
    scopedEnvVarKeys: () => [],
  } as unknown as Config;
}
