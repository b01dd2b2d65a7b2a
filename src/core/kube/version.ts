export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
}

/** Vendors write v1.32.3-eks-abc, v1.27+ or v1.29.4-gke.100: only the first two numbers mean the same everywhere. */
const versionPattern = /^v?(\d{1,6})\.(\d{1,6})(?=$|[.+-])/;

export function parseServerVersion(gitVersion: string | undefined): ServerVersion | undefined {
  const match = gitVersion === undefined ? null : versionPattern.exec(gitVersion.trim());
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/** Whether the version is this one or newer; undefined when the version is not known. */
export function atLeast(version: ServerVersion | undefined, major: number, minor: number): boolean | undefined {
  if (version === undefined) return undefined;
  return version.major > major || (version.major === major && version.minor >= minor);
}
