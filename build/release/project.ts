/**
 * Where the project and its releases are. The address is a placeholder until the repository is public: set it here and in package.json,
 * which a test compares with this file (docs/releasing.md).
 */
export const repository = 'https://github.com/kubectl-csi/kubectl-csi';

/** Archives of a version are at `${repository}/releases/download/v0.1.0/…`. */
export function downloadAddress(version: string, file: string): string {
  return `${repository}/releases/download/v${version}/${file}`;
}

export const programName = 'kubectl-csi';

/** The name in krew's index. Its reviewers may call `csi` too general, and then the second one is used. */
export const krewNames = { wanted: 'csi', reserve: 'csi-why' } as const;

export const shortDescription = 'Explain why storage is stuck';
