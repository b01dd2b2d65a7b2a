import type { Config } from '@oclif/core/config';

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
