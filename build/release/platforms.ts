import pinned from './node-packages.json' with { type: 'json' };

/** A package of the npm registry that contains a Node executable. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** The checksum of the package's archive. */
  readonly integrity: string;
}

/** One platform that a release has an executable for. */
export interface Platform {
  /** As Node names it: `process.platform` and `process.arch`. */
  readonly name: string;
  /** As Go, krew and most release pages name them. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  readonly node: NodePackage;
}

const systems: Readonly<Record<string, Platform['os']>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const processors: Readonly<Record<string, Platform['arch']>> = { x64: 'amd64', arm64: 'arm64' };

export const platforms: readonly Platform[] = Object.entries(pinned.platforms).map(([name, node]) => {
  const [system = '', processor = ''] = name.split('-');
  const [os, arch] = [systems[system], processors[processor]];
  if (os === undefined || arch === undefined) throw new Error(`node-packages.json names an unknown platform: ${name}`);
  return { name, os, arch, node: packageOf(node) };
});

/** What the machine that builds the release runs: one Node of each version that goes into an executable. */
export const builders: readonly NodePackage[] = pinned.builders.map(packageOf);

function packageOf(entry: { readonly package: string; readonly version: string; readonly integrity: string }) {
  return { name: entry.package, version: entry.version, integrity: entry.integrity };
}

export function fileName({ os }: Platform, base: string): string {
  return os === 'windows' ? `${base}.exe` : base;
}

export function archiveName({ os, arch }: Platform, version: string): string {
  return `kubectl-csi_${version}_${os}_${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
}
