/** The minor version: 36 of v1.36.4. */
export const minorOf = (gitVersion: string): number => Number(/^v?1\.(\d+)/.exec(gitVersion)?.[1] ?? 0);

/** The answer of /version. */
export function versionInfo(gitVersion: string): Record<string, string> {
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
